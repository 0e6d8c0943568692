"""Tokenise a corpus' text of the target language alone (rule prepare_monolingual)."""

from pathlib import Path

from nlmt.corpora import HeldOut, ProseFilter, read_corpora, text_of
from nlmt.io.files import read_lines, scratch_folder
from nlmt.io.json_files import write_json
from nlmt.text import Tokenisation, prepare_monolingual, share_of
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake), scratch_folder(Path(snakemake.output.text)) as folder:
        name, language = snakemake.wildcards.corpus, snakemake.wildcards.tgt
        threads = snakemake.threads
        corpus = read_corpora(snakemake.params.corpora)[name]
        held_out = [line for path in snakemake.input.held_out for line in read_lines(path)]
        if corpus.filters is None:
            texts, counts = HeldOut(held_out).others(text_of(name, corpus, language, threads)), {}
        else:
            own, other = snakemake.input.bitext
            prose = ProseFilter(corpus.filters, held_out, (read_lines(own), read_lines(other)))
            texts, counts = prose.read(name, corpus, language, read_lines(own), folder, threads)
        prepare_monolingual(
            share_of(texts, **snakemake.params.get("sample", {})),
            language,
            snakemake.output.text,
            max_length=int(snakemake.params.max_length),
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
            threads=threads,
        )
        write_json(snakemake.output.counts, counts)
