"""List the best paths of the dev lattices with new models' scores (rule rescore_lattices)."""

from dataclasses import asdict

from nlmt.io.json_files import write_json
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.lattice_nbest import write_nbest
from nlmt.rescoring import first_weights, open_rescorer
from nlmt.tuning import leave_out
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        lattices = LatticeFile(snakemake.input.lattices)
        weights = lattices.weights | first_weights(lattices.weights, snakemake.params.models)
        rescorer = open_rescorer(
            snakemake.params.models,
            leave_out(weights, snakemake.params.left_out),
            states=snakemake.params.states,
            recombine=True,
            references=dict.fromkeys(snakemake.params.oracles, snakemake.input.references),
            threads=snakemake.threads,
        )
        rescored = rescorer.rescore(lattices)
        write_nbest(snakemake.output.nbest, rescored, snakemake.params.nbest, distinct=True)
        write_json(snakemake.output.statistics, asdict(rescorer.counts))
