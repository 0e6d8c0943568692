"""Python's start, as its sitecustomize, where PYTHONPATH has another build of nlmt.

An editable install finds nlmt before PYTHONPATH is asked.
"""

import sys

sys.meta_path[:] = [
    finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable_")
]
