"""Statistics, scores and signatures against sacreBLEU's, on real and on made-up text."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from math import isclose
from pathlib import Path

import pytest
import sacrebleu
from held import held
from samples import LANGUAGES, edited, made_up, messages, seeded

from nlmt.evaluation import Bleu, Chrf, Ter, evaluate_system, read_evaluation_set
from nlmt.evaluation.counted import CountedMetric
from nlmt.text import Tokeniser

VERSION = f"sacreBLEU {sacrebleu.__version__}"
LINES = 60
TOKENISERS = ("none", "13a", "intl", "char", "zh", "ja-mecab")


def metrics() -> Iterator[CountedMetric]:
    """Each metric with each of the options that we offer."""
    for lowercase in (True, False):
        yield from (Bleu(lowercase, tokenize) for tokenize in TOKENISERS)
        yield from (Ter(lowercase, normalized) for normalized in (True, False))
        yield Chrf(lowercase)


def texts(language: str, kind: str, references: int) -> tuple[list[str], list[list[str]]]:
    """Translations and references, some of them empty."""
    draw = seeded(language, kind, references)
    lines = messages(language, 10_000)
    lines = draw.sample(lines, min(LINES, len(lines))) + made_up(draw, LINES)
    if kind == "tokenised":
        tokenise = Tokeniser(language)
        lines = [tokenise(line) for line in lines]
    sets = [[edited(draw, line) for line in lines] for _ in range(references)]
    for some in (lines, *sets):
        for place in draw.sample(range(len(some)), 8):
            some[place] = draw.choice(("", " ", "\u3000", "\ufeff"))
    return lines, sets


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["raw", "tokenised"])
def test_scores_are_those_of_sacrebleu(language: str, kind: str) -> None:
    for references in (1, 3):
        hypotheses, sets = texts(language, kind, references)
        for metric in metrics():
            with held(VERSION, f"{metric}, {kind} text") as case:
                official = metric._official()
                rows = official._extract_corpus_statistics(hypotheses, sets)
                found = metric.statistics(hypotheses, sets)
                for line, theirs, ours in zip(hypotheses, rows, found.tolist(), strict=True):
                    counts = in_our_order(metric, theirs, references)
                    case.compare((language, line), counts, ours)
                expected = (
                    official.corpus_score(hypotheses, sets).score,
                    str(official.get_signature()),
                )
                score = metric.corpus_score(hypotheses, sets)
                answers = partial(tuple, expected), partial(tuple, (score.value, score.signature))
                case.hold((language, references), *answers, equal)


def equal(theirs: tuple[float, str], ours: tuple[float, str]) -> bool:
    """Whether scores and signatures are the same; sums of sacreBLEU's TER are of rounded means."""
    return isclose(theirs[0], ours[0], rel_tol=1e-12) and theirs[1] == ours[1]


def in_our_order(metric: CountedMetric, row: list[float], references: int) -> list[int]:
    """A sentence's statistics of sacreBLEU as we order them."""
    if metric.name == "BLEU":
        row = [row[i] for i in (2, 6, 3, 7, 4, 8, 5, 9, 1)]
    scale = references if metric.name == "TER" else 1
    return [round(value * scale) for value in row]


FILES: dict[str, Callable[[list[str]], str]] = {
    "as they are": lambda lines: "".join(f"{line}\n" for line in lines),
    "CRLF": lambda lines: "".join(f"{line}\r\n" for line in lines),
    "no newline at the end": "\n".join,
    "a line too many": lambda lines: "".join(f"{line}\n" for line in [*lines, ""]),
    "separators that end no line": lambda lines: "".join(
        f"{line}{mark}x\n"
        for line, mark in zip(lines, cycle("\u2028\u2029\x85\x0b\x0c\x1c"), strict=False)
    ),
    "an empty file": lambda _: "",
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_as_by_sacrebleu(tmp_path: Path, name: str) -> None:
    lines = messages("fr", 40)
    draw = seeded(name)
    paths = [tmp_path / "reference", tmp_path / "hypotheses"]
    paths[0].write_text("".join(f"{line}\n" for line in lines))
    paths[1].write_bytes(FILES[name]([edited(draw, line) for line in lines]).encode())
    command = [
        sys.executable,
        "-m",
        "sacrebleu",
        paths[0],
        "-i",
        paths[1],
        "-m",
        "bleu",
        "ter",
        "chrf",
        "-w",
        "6",
        "-b",
    ]
    command += ["--tokenize", "none", "-lc", "--chrf-lowercase"]

    def theirs() -> list[float]:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return sorted(json.loads(done.stdout))

    def ours() -> list[float]:
        test = read_evaluation_set("test", [paths[1]], [paths[0]])
        scores = evaluate_system("it", [test], baseline="it", seeds=[1]).scores["test"]
        return sorted(round(scores[name].mean, 6) for name in ("BLEU", "TER", "chrF"))

    with held(VERSION, "files") as case:
        case.hold(name, theirs, ours)
