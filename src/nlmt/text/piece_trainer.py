"""Write a model of the pieces of the lines of standard input: `... piece_trainer MODEL SIZE`."""

import io
import sys
from pathlib import Path

import sentencepiece


def train(lines: io.TextIOBase, model: Path, size: int) -> None:
    """Write a model of up to `size` pieces; raises RuntimeError, of sentencepiece."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line.removesuffix("\n") for line in lines),
        model_writer=made,
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",  # the tokeniser has normalised the text
        max_sentence_length=100_000,
        num_threads=1,  # sums of several threads have no fixed order
        minloglevel=2,
    )
    model.write_bytes(made.getvalue())


if __name__ == "__main__":
    text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    try:
        train(text, Path(sys.argv[1]), int(sys.argv[2]))
    except RuntimeError as error:
        sys.exit(str(error))
