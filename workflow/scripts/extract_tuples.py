"""Write the tuples of a word-aligned text (rule extract_tuples)."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.runlog import log_to_file
from nlmt.tuples import extract_tuples

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        inputs = snakemake.input
        paths = [Path(path) for path in (inputs.source, inputs.target, inputs.aligned)]
        logging.info("%s", extract_tuples(*paths, Path(snakemake.output.tuples)))
