"""Measure the perplexity of a language model on dev and test (rule measure_perplexity)."""

import logging
from typing import Any

from nlmt.io.json_files import write_json
from nlmt.kinds import load_language_model
from nlmt.lm import measure_sentences, vocabulary_facts
from nlmt.neural.model import NeuralLM
from nlmt.neural.text_facts import text_facts
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        model = load_language_model(snakemake.input.model, threads=snakemake.threads)
        # Perplexities are comparable only between models with the same vocabulary.
        measured: dict[str, Any] = {"vocabulary": vocabulary_facts(model).to_dict()}
        sentences: dict[str, dict[str, Any]] = {}
        for split in ("dev", "test"):
            # Source and alignment, for a model that sees them.
            source = snakemake.input.get(f"{split}_source", [])
            perplexity, scores = measure_sentences(model, snakemake.input[split], source)
            sentences[split] = {"log_probability": scores.tolist()}
            measured[split] = perplexity.to_dict()
            if isinstance(model, NeuralLM):
                facts, of_sentences = text_facts(model, snakemake.input[split], source)
                measured[split] |= facts
                sentences[split] |= of_sentences
            logging.info(
                "%s: perplexity %.2f (%.2f without %d words out of vocabulary)",
                split,
                perplexity.perplexity,
                perplexity.perplexity_without_oov,
                perplexity.oov,
            )
        write_json(snakemake.output.perplexity, measured)
        write_json(snakemake.output.sentences, sentences, indent=None)
