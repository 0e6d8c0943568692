"""All translations of small models; the golden model with other language models, held against
their scores by the library."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.io.files import write_lines
from nlmt.io.nbest import read_nbest

LINES = ["le chien ne cherche pas cette zzz près de ce temps .", "ma ville", "xxx", "", "le livre"]
EVERYTHING = SearchOptions(stack=10_000, beam_threshold=0)


def translations(ini: Path, line: str, search: SearchOptions = EVERYTHING) -> dict[str, float]:
    """Every translation and its score."""
    path = ini.with_name("list")
    Decoder(ini, search=search).decode([line], nbest=NbestRequest(path, 100_000, distinct=True))
    nbest = read_nbest(path)
    return {nbest.text(i): nbest.totals[i] for i in range(len(nbest))}


def write_with_lm(folder: Path, golden: Path, lm: Path) -> Path:
    """The golden moses.ini with another file as its language model."""
    ini = (golden / "moses.ini").read_text().replace("model/lm.arpa.gz", str(lm))
    (folder / "moses.ini").write_text(ini.replace("path=model/", f"path={golden}/model/"))
    return folder / "moses.ini"


def write_model(
    folder: Path, golden: Path, features: list[str], weights: list[str], *, beside: bool = False
) -> Path:
    """The golden moses.ini with language models in place of its own, or beside it."""
    ini = (golden / "moses.ini").read_text().replace("path=model/", f"path={golden}/model/")
    lines = [x for x in ini.splitlines() if beside or not x.startswith(("KENLM", "LM0="))]
    place = lines.index("[weight]")
    write_lines(folder / "moses.ini", [*lines[:place], *features, *lines[place:], *weights])
    return folder / "moses.ini"


def check_scores(
    ini: Path,
    search: SearchOptions,
    label: str,
    score: Callable[[list[str]], np.ndarray],
    **near: float,
) -> list[str]:
    """Hold a feature of the lists of `LINES` against the scores of their texts; return these."""
    path = ini.with_name("list")
    best = Decoder(ini, search=search).decode(LINES, nbest=NbestRequest(path, 20))
    found = read_nbest(path)
    texts = [found.text(i) for i in range(len(found))]
    assert len(texts) >= 30
    expected = score(texts)
    expected[found.sentence == LINES.index("")] = 0
    labels = [label for label, width in found.feature_names for _ in range(width)]
    assert found.features[:, labels.index(label)] == pytest.approx(expected, **near)
    tops = found.totals[found.sentence_starts()[:-1]]
    assert tops == pytest.approx([translation.score for translation in best], rel=1e-4)
    return texts
