"""`nlmt lm perplexity`: measure the perplexity of one model or several on a text."""

import argparse
import time

from nlmt.cli.lm.models import add_command, load_models, one_model, source_files
from nlmt.cli.parser import Commands
from nlmt.lm import measure_text, vocabulary_facts


def add(commands: Commands) -> None:
    """Add the command to `nlmt lm`."""
    add_command(commands, "perplexity", "perplexity of a text", run)


def run(options: argparse.Namespace) -> int:
    """Print perplexities and the counts behind them."""
    start = time.perf_counter()
    models = load_models(options)
    model = one_model(models, options)
    found = measure_text(model, options.text, source_files(options))
    vocabulary = vocabulary_facts(model)
    print(f"perplexity: {found.perplexity:.4f}")
    print(f"perplexity without OOV: {found.perplexity_without_oov:.4f}")
    print(f"words: {found.words}, sentences: {found.sentences}, OOV: {found.oov}")
    print(f"log probability: {found.log_probability:.4f} (natural)")
    if vocabulary.words is not None:
        print(f"vocabulary: {vocabulary.words} words, hash {vocabulary.hash}")
    print(f"seconds: {time.perf_counter() - start:.2f}")
    return 0
