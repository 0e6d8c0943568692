"""Tables 2 and 3 of Baltescu and Blunsom (2015): sizes of the corpora after preparation."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.papers.paper import PairFiles
from nlmt.papers.results import RESULT_COLUMNS, Measurement, result_frame, result_row
from nlmt.papers.sizes import SIZES
from nlmt.papers.tables import PaperTable
from nlmt.text import read_sizes

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

PAPER, PAIR = "baltescu2015", "fr-en"
BITEXT, TEXT = "train", "texts/default"


def _needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
    """The sizes of all texts of the pair, and the names of its languages."""
    corpus = experiment.config.corpora[experiment.corpus(experiment.paper_task(PAPER))]
    source, _, target = pair.partition("-")
    names = {"source": source, "target": target, "language": corpus.languages[target]}
    return PairFiles(pair, {"sizes": [SIZES]}, names)


def make_table2(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """Tokens of both sides of the bitext, and its sentences."""
    rows = []
    for part in parts:
        sizes = read_sizes(Path(part.files["sizes"][0]))
        sides = [sizes[BITEXT, part.facts[side]] for side in ("source", "target")]
        values = {"tokens": sum(side.tokens for side in sides), "sentences": sides[0].sentences}
        rows += [
            result_row(part.pair, part.pair, unit, unit, BITEXT, Measurement(float(value)))
            for unit, value in values.items()
        ]
    return result_frame(rows)


def make_table3(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """Tokens and distinct words of the texts of language models."""
    rows = []
    for part in parts:
        size = read_sizes(Path(part.files["sizes"][0]))[TEXT, part.facts["target"]]
        for column, unit, value in (
            ("tokens", "tokens", size.tokens),
            ("Vocabulary", "words", size.words),
        ):
            measured = Measurement(float(value))
            rows.append(result_row(part.pair, part.facts["language"], column, unit, TEXT, measured))
    return result_frame(rows)


TABLE2 = PaperTable(
    title="Table 2: the bitexts after preparation",
    needs=_needs,
    make=make_table2,
    columns=RESULT_COLUMNS,
    note="Tokens of both languages together, tokenised and lower-cased, pairs with a side of more "
    "than 80 tokens left out. The published values are those of WMT 2014.",
    pair=PAIR,
)
TABLE3 = PaperTable(
    title="Table 3: the texts of the language models after preparation",
    needs=_needs,
    make=make_table3,
    columns=RESULT_COLUMNS,
    note="The text named default; words that the bitext does not have are <unk> and no word of the "
    "vocabulary. The published values are those of WMT 2014.",
    pair=PAIR,
)
