"""Extract a further reference of a set of a corpus (rule extract_reference)."""

from nlmt.corpora import Extraction, SplitSettings, read_corpora
from nlmt.io.files import write_lines
from nlmt.text import Tokeniser
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        name, part = snakemake.params.origin
        languages = snakemake.wildcards.src, snakemake.wildcards.tgt
        number = int(snakemake.wildcards.number)
        bitext = Extraction(
            name,
            read_corpora(snakemake.params.corpora)[name],
            languages,
            SplitSettings(),  # has no effect on a part of the corpus
            (Tokeniser(languages[0]).count, Tokeniser(languages[1]).count),
        ).bitext([part])
        write_lines(snakemake.output.reference, (sides[number] for sides in bitext.parts[part]))
