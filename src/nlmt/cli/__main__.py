"""Run the command `nlmt` by `python -m nlmt.cli`."""

import sys

from nlmt.cli import main

sys.exit(main())
