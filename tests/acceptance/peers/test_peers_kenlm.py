"""Probabilities of words by KenLM's own query, from ARPA files of many kinds, and ours."""

import gzip
import lzma
import math
import random
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import kenlm
import numpy as np
import pytest
from held import Case, held
from samples import seeded

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.io.fields import split_fields
from nlmt.io.nbest import iter_nbest
from nlmt.ngram import NgramModel
from nlmt.ngram.backoff import NATURAL

VERSION = f"KenLM {version('kenlm')}"
FILES, SENTENCES = 6, 25
WORDS = [
    *"abcdef",
    "é",
    "\u00a0x",
    "y\u3000z",
    "\u2028",
    "|",
    "<s>x",
    "&#124;",
    "1e5",
    "-inf",
    "ngram",
]
ODD_TEXT = [
    "a\tb",
    " a  b ",
    "a\u00a0b",
    "a\u3000b\u2028c",
    "<unk> b",
    "A",
]


def arpa(draw: random.Random, order: int) -> list[str]:
    """The lines of an ARPA file: every n-gram's shorter ones are there."""
    words = ["<unk>", "<s>", "</s>", *draw.sample(WORDS, 10)]
    levels = [[(word,) for word in words]]
    for _ in range(order - 1):
        longer = {
            (*gram, draw.choice(words[2:]))
            for gram in draw.sample(levels[-1], min(8, len(levels[-1])))
            if gram[-1] != "</s>" and "<unk>" not in gram
        }
        shorter = set(levels[-1])
        levels.append(sorted(gram for gram in longer if gram[1:] in shorter))
    lines = ["\\data\\", *(f"ngram {n}={len(level)}" for n, level in enumerate(levels, 1)), ""]
    for n, level in enumerate(levels, 1):
        lines.append(f"\\{n}-grams:")
        for gram in level:
            score = "-99" if gram == ("<s>",) else f"{-draw.random() * 3:.5g}"
            fields = [score, " ".join(gram)]
            lines.append("\t".join(fields if n == order else [*fields, f"{-draw.random():.5g}"]))
        lines.append("")
    return [*lines, "\\end\\"]


def replaced(old: str, new: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [line.replace(old, new) for line in lines]


def grams(change: Callable[[list[str]], list[str]]) -> Callable[[list[str]], list[str]]:
    """A change of the fields of every second n-gram."""
    return lambda lines: [
        "\t".join(change(line.split("\t"))) if "\t" in line and number % 2 else line
        for number, line in enumerate(lines)
    ]


SHAPES: dict[str, Callable[[list[str]], list[str]]] = {
    "as it is": list,
    "CRLF": lambda lines: [f"{line}\r" for line in lines],
    "missing back-offs": grams(lambda fields: fields[:2]),
    "CRLF, missing back-offs": lambda lines: SHAPES["CRLF"](SHAPES["missing back-offs"](lines)),
    "-inf": grams(lambda fields: ["-inf", *fields[1:]]),
    "a back-off of -inf": grams(lambda fields: [*fields[:2], *("-inf" for _ in fields[2:])]),
    "a probability above one": grams(lambda fields: ["0.25", *fields[1:]]),
    "-0, exponents and many digits": grams(
        lambda fields: ["-1.25000000000000000001e-1", fields[1], *("-0" for _ in fields[2:])]
    ),
    "no <unk>": lambda lines: [
        line.replace("ngram 1=13", "ngram 1=12") for line in lines if "\t<unk>" not in line
    ],
    "<UNK>": replaced("<unk>", "<UNK>"),
    "no <s>": lambda lines: [line.replace("<s>", "g") for line in lines],
    "no </s>": lambda lines: [line.replace("</s>", "h") for line in lines],
    "blanks for tabs": replaced("\t", " "),
    "blanks at line ends": lambda lines: [f"{line} " if "\t" in line else line for line in lines],
    "blanks after headings": lambda lines: [f"{line} " if "\\" in line else line for line in lines],
    "blank lines": lambda lines: ["", *(x for a in lines for x in ([a] if a else ["", ""]))],
    "blank lines within": lambda lines: [x for line in lines for x in (line, "")],
    "comments before": lambda lines: ["made by hand", "# 2", "", *lines],
    "comments with #": lambda lines: ["# made by hand", *lines],
    "blanks in counts": replaced("ngram ", "ngram  "),
    "blanks around =": replaced("=", " = "),
    "no end": lambda lines: lines[:-1],
    "text after the end": lambda lines: [*lines, "more", ""],
    "a line too few": lambda lines: [line for i, line in enumerate(lines) if i != 8],
    "a word twice": lambda lines: [
        *(line.replace("ngram 1=13", "ngram 1=14") for line in lines[:8]), *lines[7:]
    ],
    "BOM": lambda lines: ["\ufeff" + lines[0], *lines[1:]],
}  # fmt: skip
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "Latin-1": lambda content: content.replace("é".encode(), b"\xe9"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("packed", PACKED)
def test_probabilities_are_those_of_kenlm(tmp_path: Path, shape: str, packed: str) -> None:
    draw = seeded(shape, packed)
    for number in range(FILES if packed == "plain" else 2):
        path = tmp_path / f"{number}.arpa{'.gz' if packed == 'gzip' else ''}"
        lines = SHAPES[shape](arpa(draw, draw.choice((1, 2, 3))))
        path.write_bytes(PACKED[packed]("".join(f"{line}\n" for line in lines).encode()))
        texts = [
            " ".join(draw.choices([*WORDS, "<unk>", "oov"], k=draw.randrange(9)))
            for _ in range(SENTENCES)
        ]
        with held(VERSION, f"ARPA files: {shape}") as case:
            model = opened(path)
            if model is None:
                case.refused += 1
                continue
            hold_queries(case, path, model, [*texts, *ODD_TEXT])
            hold_decoder(case, path, model, texts, tmp_path)


def opened(path: Path) -> kenlm.Model | None:
    """KenLM's model; None where it refuses the file."""
    config = kenlm.Config()
    config.show_progress = False
    try:
        return kenlm.Model(str(path), config)
    except OSError:
        return None


def log10s(model: kenlm.Model, text: str) -> list[float]:
    return [score for score, _, _ in model.full_scores(text)]


def hold_queries(case: Case, path: Path, theirs: kenlm.Model, texts: list[str]) -> None:
    """Probabilities of words and sentences, and the vocabulary."""

    def ours(text: str, *, whole: bool) -> list[float]:
        model, words = NgramModel(path), split_fields(text)
        ids, offsets = model.lookup(words), np.array([0, len(words)])
        score = model.score_sentences if whole else model.score_words
        return [float(value) for value in score(ids, offsets) / NATURAL]

    for text in texts:
        scores = log10s(theirs, text)
        case.hold(text, lambda a=scores: a, partial(ours, text, whole=False), close)
        case.hold(text, lambda a=scores: [math.fsum(a)], partial(ours, text, whole=True), close)
    words = (*WORDS, "<UNK>", "oov", "g", "h")
    found = NgramModel(path).vocabulary
    if found is not None:
        case.compare(
            "vocabulary", [w for w in words if w in theirs], [w for w in words if w in found.words]
        )


def hold_decoder(
    case: Case, path: Path, theirs: kenlm.Model, texts: list[str], folder: Path
) -> None:
    """The language model's feature of the decoder, a word a phrase and in order."""
    words = sorted({*WORDS} - {"|", "<s>x"})
    table = "".join(f"{word} ||| {word} ||| 1\n" for word in words)
    (folder / "table").write_text(table)
    (folder / "moses.ini").write_text(INI.format(folder=folder, path=path, order=theirs.order))
    texts = [text for text in texts if text and not {"|", "<s>x"} & {*text.split(" ")}]

    def ours() -> list[float]:
        decoder = Decoder(folder / "moses.ini", search=SearchOptions(distortion_limit=0))
        list(decoder.translate(texts, nbest=NbestRequest(folder / "list", 1)))
        (block,) = iter_nbest(folder / "list", whole_sentences=False)
        labels = [label for label, count in block.feature_names for _ in range(count)]
        return (block.features[:, labels.index("LM0")] / NATURAL).tolist()

    expected = [math.fsum(log10s(theirs, text)) for text in texts]
    case.hold(f"{path.name} in the decoder", lambda: expected, ours, close)


INI = """\
[input-factors]
0
[mapping]
0 T 0
[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=T0 num-features=1 path={folder}/table input-factor=0 output-factor=0
KENLM name=LM0 factor=0 path={path} order={order}
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -1
T0= 1
LM0= 1
"""


def close(theirs: list[float], ours: list[float]) -> bool:
    """Whether numbers are those of KenLM's floats."""
    return len(theirs) == len(ours) and all(
        math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-5) for a, b in zip(theirs, ours, strict=True)
    )
