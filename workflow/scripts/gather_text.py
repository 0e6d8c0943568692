"""Join, sample and restrict a training text of language models (rule gather_text)."""

from pathlib import Path

from nlmt.io.files import read_lines, scratch_folder
from nlmt.io.other_formats import only_sentences
from nlmt.text import Sample, Tokenisation, gather_text, prepare_monolingual, share_of
from nlmt.workflow.job import workflow_job


def prepared(folder: Path) -> list[Path]:
    """The user's own texts, tokenised, without held-out sentences."""
    if not snakemake.input.monolingual:
        return []
    from nlmt.corpora import HeldOut  # late: few texts need it

    held_out = HeldOut(line for path in snakemake.input.held_out for line in read_lines(path))
    paths = []
    for number, raw in enumerate(snakemake.input.monolingual):
        own = only_sentences(read_lines(raw), raw)
        paths.append(folder / f"{number}.gz")
        prepare_monolingual(
            share_of(held_out.others(own), **snakemake.params.get("sample", {})),
            snakemake.wildcards.tgt,
            paths[-1],
            max_length=int(snakemake.params.max_length),
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
            threads=snakemake.threads,
        )
    return paths


if __name__ == "__main__":
    with workflow_job(snakemake), scratch_folder(snakemake.output.text) as scratch:
        text = snakemake.params.text
        gather_text(
            [*snakemake.input.texts, *prepared(scratch)],
            snakemake.output.text,
            words_of=snakemake.input.bitext if text["vocabulary"] == "bitext" else None,
            min_count=text["min_count"],
            most_frequent=text["most_frequent"],
            sample=Sample(text["share"], text["sentences"], text["tokens"]),
            seed=int(snakemake.params.seed),
        )
