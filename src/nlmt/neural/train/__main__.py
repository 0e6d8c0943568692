"""One of several processes that train a model: `python -m nlmt.neural.train JSON`."""

import sys

from nlmt.neural.train.folder import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
