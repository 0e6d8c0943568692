"""Python's start under run_sanitized.sh, as its sitecustomize.

An editable install finds nlmt before PYTHONPATH is asked, and with it modules without sanitizers.
"""

import sys

sys.meta_path[:] = [
    finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable_")
]
