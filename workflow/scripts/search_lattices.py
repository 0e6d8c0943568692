"""Translate by the best paths of rescored lattices with tuned weights (rule search_lattices)."""

from dataclasses import asdict

from nlmt.io.files import write_lines
from nlmt.io.json_files import write_json
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.weights import read_weights
from nlmt.rescoring import open_rescorer
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        rescorer = open_rescorer(
            snakemake.params.models,
            read_weights(snakemake.input.weights),
            states=snakemake.params.states,
            references=dict.fromkeys(snakemake.params.oracles, snakemake.input.references),
            threads=snakemake.threads,
        )
        rescored = rescorer.rescore(LatticeFile(snakemake.input.lattices))
        best = (lattice.text(lattice.best_path()) for lattice in rescored)
        write_lines(snakemake.output.hypotheses, best)
        write_json(snakemake.output.statistics, asdict(rescorer.counts))
