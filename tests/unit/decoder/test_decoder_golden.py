"""What Moses answered on the same model and sentences."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.io.files import read_lines

pytestmark = pytest.mark.threads

WIDE = SearchOptions(stack=2000, distortion_limit=6)
RUNS = {
    "stack2000": WIDE,
    "cube5000": SearchOptions(cube_pruning=True, pop_limit=5000, stack=5000, distortion_limit=6),
    # Named after the list's length: the stacks are those of Moses' default, 200.
    "stack100": SearchOptions(distortion_limit=6),
    "cube": SearchOptions(cube_pruning=True, pop_limit=400, stack=400, distortion_limit=6),
    "monotone": SearchOptions(distortion_limit=0),
}


@dataclass(frozen=True)
class Line:
    words: str
    features: dict[str, list[float]]
    total: float
    rest: str


def read_list(path: Path) -> list[list[Line]]:
    """Lines of a list by sentence, taken apart by hand."""
    sentences: list[list[Line]] = []
    for line in read_lines(path):
        number, words, scores, total, *rest = line.split(" |||")
        features: dict[str, list[float]] = {}
        for token in scores.split():
            if token.endswith("="):
                features[token] = values = []
            else:
                values.append(float(token))
        while len(sentences) <= int(number):
            sentences.append([])
        sentences[int(number)].append(Line(words, features, float(total), "|||".join(rest)))
    return sentences


def decode(
    decoder: Decoder, search: SearchOptions, source: list[str], request: NbestRequest
) -> list[list[Line]]:
    decoder.search = search
    decoder.decode(source, nbest=request)
    return read_list(request.path)


@pytest.mark.parametrize("name", RUNS)
def test_best_scores_and_common_hypotheses_are_those_of_moses(
    name: str, golden: Path, golden_decoder: Decoder, golden_source: list[str], tmp_path: Path
) -> None:
    request = NbestRequest(tmp_path / "list.gz", 100, distinct=True)
    ours = decode(golden_decoder, RUNS[name], golden_source, request)
    theirs = read_list(golden / "output" / f"{name}.nbest.gz")
    assert len(ours) == len(theirs) == 30
    exact = name != "cube"
    for mine, moses in zip(ours, theirs, strict=True):
        assert mine[0].total >= moses[0].total - 1e-3
        assert mine[0].words == moses[0].words
        assert [line.total for line in mine] == sorted((line.total for line in mine), reverse=True)
        assert len({line.words for line in mine}) == len(mine)
        if exact:
            # Moses stops looking for distinct translations early; ours go on from there.
            assert len(mine) >= len(moses)
            totals = [line.total for line in mine[: len(moses)]]
            assert totals == pytest.approx([line.total for line in moses], abs=1e-3)
        found = {line.words: line for line in mine}
        for line in moses:
            same = found.get(line.words)
            # A narrow search may know a translation by another segmentation alone.
            if same is None or (not exact and abs(same.total - line.total) > 1e-3):
                assert not exact or same is not None
                continue
            assert list(same.features) == list(line.features)
            for label, values in line.features.items():
                assert same.features[label] == pytest.approx(values, abs=1e-4), label


def test_list_with_every_derivation_segmentation_and_alignment(
    golden: Path, golden_decoder: Decoder, golden_source: list[str], tmp_path: Path
) -> None:
    request = NbestRequest(tmp_path / "list.gz", 100, segmentation=True, alignment=True)
    ours = decode(golden_decoder, RUNS["stack100"], golden_source, request)
    theirs = read_list(golden / "output" / "stack100.nondistinct.nbest.gz")
    for mine, moses in zip(ours, theirs, strict=True):
        assert len(mine) == len(moses) == 100
        found = {(line.words, line.rest): line for line in mine}
        for line in moses:
            assert found[line.words, line.rest].total == pytest.approx(line.total, abs=1e-3)


def test_lines_are_moses_lines_to_the_byte(
    golden: Path, golden_decoder: Decoder, golden_source: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "list"
    golden_decoder.search = RUNS["stack100"]
    request = NbestRequest(path, 1, distinct=True, segmentation=True, alignment=True)
    golden_decoder.decode(golden_source, nbest=request)
    moses = list(read_lines(golden / "output" / "stack100.nbest.gz"))
    first = [next(group) for _, group in groupby(moses, lambda line: line.split(" ")[0])]
    for line, moses_line in zip(read_lines(path), first, strict=True):
        fields, moses_fields = line.split(" ||| "), moses_line.split(" ||| ")
        # The sixth digit of one total differs.
        assert float(fields.pop(3)) == pytest.approx(float(moses_fields.pop(3)), abs=1.1e-5)
        assert fields == moses_fields
