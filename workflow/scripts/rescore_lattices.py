"""List the best paths of the dev lattices with new models' scores (rule rescore_lattices)."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_text
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.lattice_nbest import write_nbest
from nlmt.jobs import workflow_job
from nlmt.lm.loading import load_stepping_models
from nlmt.rescoring import LatticeRescorer, first_weights

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        lattices = LatticeFile(snakemake.input.lattices)
        models = load_stepping_models(snakemake.params.models, threads=snakemake.threads)
        oracles = snakemake.params.oracles
        references = list(read_lines(snakemake.input.references)) if oracles else []
        rescorer = LatticeRescorer(
            models,
            first_weights(lattices.weights, models),
            states=snakemake.params.states,
            references=dict.fromkeys(oracles, references),
        )
        rescored = rescorer.rescore(lattices)
        write_nbest(snakemake.output.nbest, rescored, snakemake.params.nbest, distinct=True)
        counts = json.dumps(asdict(rescorer.counts), indent=2)
        write_text(snakemake.output.statistics, counts + "\n")
