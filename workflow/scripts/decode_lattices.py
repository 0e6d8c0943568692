"""Translate a split and write its lattices (rule decode_lattices)."""

from pathlib import Path

from nlmt.decoder import LatticeRequest, open_engine
from nlmt.io.files import read_lines
from nlmt.io.weights import read_weights
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        decoder = open_engine(
            snakemake.input.ini, snakemake.params.decoder, threads=snakemake.threads
        )
        decoder.set_weights(read_weights(snakemake.input.weights))
        lattices = LatticeRequest(Path(snakemake.output.lattices), density=snakemake.params.density)
        source = Path(snakemake.input.source)
        for _ in decoder.translate(read_lines(source), lattices=lattices, source=source):
            pass
