"""Translate a split and write its n-best list (rule decode)."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.decoder import Decoder, NbestRequest
from nlmt.io.files import read_lines, write_lines
from nlmt.rescoring import read_weights
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

log = logging.getLogger(__name__)

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        decoder = Decoder.from_config(
            snakemake.input.ini, snakemake.params.decoder, threads=snakemake.threads
        )
        decoder.set_weights(read_weights(snakemake.input.weights))
        nbest = NbestRequest(Path(snakemake.output.nbest), snakemake.params.nbest, distinct=True)
        source = Path(snakemake.input.source)
        translations = decoder.decode(read_lines(source), nbest=nbest, source=source)
        write_lines(snakemake.output.hypotheses, (best.text for best in translations))
        mean = sum(best.score for best in translations) / max(len(translations), 1)
        log.info("%d sentences, mean model score %.4f", len(translations), mean)
