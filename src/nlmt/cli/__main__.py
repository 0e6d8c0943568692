"""`python -m nlmt.cli` is the command `nlmt`."""

import sys

from nlmt.cli import main

sys.exit(main())
