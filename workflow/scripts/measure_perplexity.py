"""Perplexity of a language model of any kind on dev and test (rule measure_perplexity)."""

import json
import logging
from typing import TYPE_CHECKING, Any

from nlmt.io.files import read_lines, write_text
from nlmt.lm import LanguageModel, Perplexity, load_language_model, measure, vocabulary_facts
from nlmt.neural import NeuralLM, SourceFiles, read_with_source
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def measure_split(model: LanguageModel, split: str) -> Perplexity:
    """Perplexity on one of the texts, given its source where the model sees it."""
    text, source = snakemake.input[split], snakemake.input[f"{split}_source"]
    if not source:
        return measure(model, read_lines(text))
    assert isinstance(model, NeuralLM)
    return model.corpus_perplexity(read_with_source(text, SourceFiles(*source), model))


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        model = load_language_model(snakemake.input.model, threads=snakemake.threads)
        # Perplexities are comparable only between models of the same vocabulary.
        measured: dict[str, Any] = {"vocabulary": vocabulary_facts(model).to_dict()}
        for split in ("dev", "test"):
            perplexity = measure_split(model, split)
            measured[split] = perplexity.to_dict()
            logging.info(
                "%s: perplexity %.2f (%.2f without %d words out of vocabulary)",
                split,
                perplexity.perplexity,
                perplexity.perplexity_without_oov,
                perplexity.oov,
            )
        write_text(snakemake.output.perplexity, json.dumps(measured, indent=2) + "\n")
