"""Search the test lattices with lists and states of several sizes (rule measure_search)."""

from nlmt.evaluation import BLEU
from nlmt.io.files import read_lines
from nlmt.io.json_files import write_json
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.weights import read_weights
from nlmt.kinds import load_stepping_models
from nlmt.rescoring import study_search
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        models = load_stepping_models(snakemake.params.models)
        sizes = snakemake.params.sizes
        reference = list(read_lines(snakemake.input.reference))
        searches = [
            {
                "kind": search.kind,
                "size": search.size,
                "bleu_statistics": BLEU.statistics(search.texts, [reference]).tolist(),
                "scores": search.scores,
                "seconds": search.seconds,
            }
            for search in study_search(
                LatticeFile(snakemake.input.lattices),
                models,
                read_weights(snakemake.input.weights),
                lists=sizes["lists"],
                states=sizes["states"],
                repetitions=snakemake.params.repetitions,
            )
        ]
        write_json(snakemake.output.searches, searches, indent=None)
