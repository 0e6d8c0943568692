"""Judge the claims of a paper by our tables (rule judge_claims)."""

from pathlib import Path

from nlmt.lm.places import id_of_model, pair_of_model
from nlmt.papers import PAPERS, read_claims
from nlmt.papers.quantities import is_trained
from nlmt.papers.results import read_tables, write_frame
from nlmt.papers.verdicts import judge_claims
from nlmt.report import marked
from nlmt.workflow.job import mixed_code_warnings, workflow_job


def untrained() -> list[tuple[str, str]]:
    """Pairs with systems and models of which a network is no better than a unigram model."""
    failed = set()
    for path in map(Path, snakemake.input.trained):
        if not is_trained(path):
            failed.add((pair_of_model(path), id_of_model(path)))
    return [
        (pair, part)
        for pair, networks in snakemake.params.networks.items()
        for part, names in networks.items()
        if any((pair, name) in failed for name in names)
    ]


if __name__ == "__main__":
    with workflow_job(snakemake):
        key = snakemake.wildcards.paper
        paper = PAPERS.get(key)
        folder = Path(snakemake.input.claims[0]).parent.parent
        verdicts, comparisons = judge_claims(
            read_claims(folder, key),
            read_tables(snakemake.input.tables),
            snakemake.params.pairs,
            paper.published_pairs,
            paper.trainings,
            untrained(),
        )
        warnings = mixed_code_warnings(snakemake)
        write_frame(snakemake.output.verdicts, marked(verdicts, warnings))
        write_frame(snakemake.output.comparisons, marked(comparisons, warnings))
