"""Translate by the best paths of rescored lattices under tuned weights (rule search_lattices)."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_lines, write_text
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.weights import read_weights
from nlmt.jobs import workflow_job
from nlmt.lm.loading import load_stepping_models
from nlmt.rescoring import LatticeRescorer

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        models = load_stepping_models(snakemake.params.models, threads=snakemake.threads)
        weights = read_weights(snakemake.input.weights)
        oracles = snakemake.params.oracles
        references = list(read_lines(snakemake.input.references)) if oracles else []
        rescorer = LatticeRescorer(
            models,
            weights,
            states=snakemake.params.states,
            references=dict.fromkeys(oracles, references),
        )
        rescored = rescorer.rescore(LatticeFile(snakemake.input.lattices))
        best = (lattice.text(lattice.best_path()) for lattice in rescored)
        write_lines(snakemake.output.hypotheses, best)
        counts = json.dumps(asdict(rescorer.counts), indent=2)
        write_text(snakemake.output.statistics, counts + "\n")
