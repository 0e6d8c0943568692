"""Tables 2 and 3 of Baltescu and Blunsom (2015): sizes of the corpora after preparation."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nlmt.papers.paper import PairFiles
from nlmt.papers.results import Measurement, result_row
from nlmt.papers.sizes import SIZES
from nlmt.papers.tables import pair_table
from nlmt.text import TextSize, read_size

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

PAPER = "baltescu2015"
BITEXT, TEXT = "train", "texts/default"


def _needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
    """The sizes of all texts of the pair, and the names of its languages."""
    corpus = experiment.config.corpora[experiment.corpus(experiment.paper_task(PAPER))]
    source, _, target = pair.partition("-")
    names = {"source": source, "target": target, "language": corpus.languages[target]}
    return PairFiles(pair, {"sizes": [SIZES]}, names)


def _size(part: PairFiles, text: str, side: str) -> TextSize:
    """The size of a text on the source or target side."""
    return read_size(part.files["sizes"][0], text, part.facts[side])


def _bitext(part: PairFiles) -> Iterator[dict[str, Any]]:
    """Tokens of both sides of the bitext, and its sentences."""
    sides = [_size(part, BITEXT, side) for side in ("source", "target")]
    values = {"tokens": sum(side.tokens for side in sides), "sentences": sides[0].sentences}
    for unit, value in values.items():
        yield result_row(part.pair, part.pair, unit, unit, BITEXT, Measurement(float(value)))


def _text(part: PairFiles) -> Iterator[dict[str, Any]]:
    """Tokens and distinct words of the text of language models."""
    size = _size(part, TEXT, "target")
    for column, unit, value in (
        ("tokens", "tokens", size.tokens),
        ("Vocabulary", "words", size.words),
    ):
        measured = Measurement(float(value))
        yield result_row(part.pair, part.facts["language"], column, unit, TEXT, measured)


TABLE2 = pair_table(
    "Table 2: the bitexts after preparation",
    _needs,
    _bitext,
    note="Tokens of both languages together, tokenised and lower-cased, pairs with a side of more "
    "than 80 tokens left out. The published values are those of WMT 2014.",
)
TABLE3 = pair_table(
    "Table 3: the texts of the language models after preparation",
    _needs,
    _text,
    note="The text named default; words that the bitext does not have are <unk> and no word of the "
    "vocabulary. The published values are those of WMT 2014.",
)
