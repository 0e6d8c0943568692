"""The tokeniser `fast` beside sacremoses: the same output on a million lines, and both speeds.

Lines come from the raw texts of all experiments in results/: in turn one of the language, as long
as there are any, and one of any language with noise.
`python -m benchmarks tokenisers` takes some ten minutes, nearly all of them for sacremoses.
"""

import random
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice, repeat
from pathlib import Path

from benchmarks.frames import Row
from nlmt.io.files import read_lines
from nlmt.text import Tokeniser

# Of the workflow's languages. sacremoses takes ten times as long for a line of Chinese or Japanese;
# the rules of Czech are those of German.
LINES = {
    "en": 300_000,
    "fr": 250_000,
    "de": 215_000,
    "it": 200_000,
    "cs": 20_000,
    "ar": 10_000,
    "zh": 2_500,
    "ja": 2_500,
}
RESULTS = Path("results")
NOISE = 0.05  # share of the places between words where a piece is inserted
PIECES = (
    *("'", '"', "`", "''", "``", ",", ",,", ".", "..", "...", ";", ":", "?", "!", "%", "$", "/"),
    *("(", ")", "[", "]", "{", "}", "<", ">", "&", "|", "-", "--", "_", "@", "#", "*", "\\", "~"),
    *("\u00a0", "\u202f", "\u2009", "\u200b", "\u00ad", "\u2028", "\t", "  ", "\ufeff"),
    *("\u00ab", "\u00bb", "\u2018", "\u2019", "\u201a", "\u201c", "\u201d", "\u201e", "\u2039"),
    *("\u2013", "\u2014", "\u2026", "\u00b4", "\u00ba", "\u00b0", "\u20ac", "\u00a3", "\u2122"),
    *("\u3001", "\u3002", "\uff0c", "\uff1f", "\u300c", "\u300d", "\u060c", "\u061f", "\u0640"),
    *("l'", "d'", "qu'", "n't", "'s", "'ll", "dell'", "rock'n'roll", "1990's", "o'clock"),
    *("5,300", "1.000,50", "1 000", "1\u00a0000", "3.14", "50 %", "\u0663\u0664", "\u2167", "½"),
    *("https://a.example/b?c=d&e=%20#f", "www.example.org", "x.y@z.example", "C:\\dir\\a.txt"),
    *("&amp;", "&#124;", "&lt;b&gt;", "<seg id='1'>", "e.g.", "i.e.", "U.S.A.", "p.m.", "z.B."),
    *("\u0130", "\u03a3", "\u1e9e", "\ufb01", "e\u0301", "\U0001f600", "\U00020000", "\u0950"),
    *("DOTMULTI", "DOTDOTMULTI", "THISISPROTECTED000", "@-@", "-li", "No. 5", "Nr. 5", "a,b,c"),
)


def run() -> list[Row]:
    """Lines that differ, of all languages, and sentences a CPU second of each tokeniser."""
    rows: list[Row] = []
    total = differing = 0
    for language, count in LINES.items():
        lines = list(islice(noisy_lines(language), count))
        if not lines:
            return [{"step": "tokenisers", "figure": "not run", "note": f"needs {RESULTS}/*/*/raw"}]
        fast, seconds = _measure(Tokeniser(language), lines)
        sacremoses, reference = _measure(Tokeniser(language, tokeniser="sacremoses"), lines)
        wrong = sum(one != other for one, other in zip(fast, sacremoses, strict=True))
        total, differing = total + len(lines), differing + wrong
        rows.append(
            {
                "step": f"tokenise {language}",
                "figure": round(len(lines) / seconds),
                "unit": "lines a CPU s",
                "reference_tool": "sacremoses",
                "reference_figure": round(len(lines) / reference),
                "note": f"{wrong} of {len(lines):,} lines differ",
            }
        )
    note = f"of {total:,}, in {len(LINES)} languages"
    return [
        *rows,
        {"step": "lines that differ", "figure": differing, "unit": "lines", "note": note},
    ]


def noisy_lines(language: str) -> Iterator[str]:
    """Lines in and around a language, without end; none where there is no text."""
    own = sorted(RESULTS.glob(f"*/*/raw/*.{language}.gz"))
    others = sorted(set(RESULTS.glob("*/*/raw/*.gz")) - set(own))
    if not own and not others:
        return
    clean = dict.fromkeys(line for path in own for line in read_lines(path))
    draw = random.Random(language)  # noqa: S311
    texts = [
        *clean,
        *(line for path in others[:: len(others) // 8 or 1] for line in read_lines(path)),
    ]
    from sacremoses.corpus import NonbreakingPrefixes

    prefixes = [word.split()[0] for word in NonbreakingPrefixes().words(language)]
    for line in chain(clean, repeat("")):
        if line:
            yield line
        yield _with_noise(draw.choice(texts), prefixes, draw)


def _with_noise(line: str, prefixes: list[str], draw: random.Random) -> str:
    """A line with pieces between its words, or without a space where one was."""
    parts = []
    for word in line.split(" "):
        parts.append(word)
        if draw.random() < NOISE:
            kind = draw.randrange(8)
            if kind == 0:
                parts.append(f"{draw.choice(prefixes)}.")
            elif kind == 1:
                parts.append(chr(draw.randrange(0x20, 0x3400)))
            else:
                parts.append(draw.choice(PIECES))
        parts.append(draw.choice(("", "  ")) if draw.random() < NOISE else " ")
    return "".join(parts).strip("\n")


def _measure(tokenise: Callable[[str], str], lines: list[str]) -> tuple[list[str], float]:
    start = time.process_time()
    tokens = [tokenise(line) for line in lines]
    return tokens, time.process_time() - start
