"""Filtering of tables by texts, and the configuration of a model."""

from pathlib import Path

import pytest

from nlmt.decoder.ini_search import read_search
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.moses_ini import Feature, make_features, read_ini, write_ini
from nlmt.phrases import filter_table, moses_model, source_phrases

GOLDEN = Path(__file__).parents[2] / "golden"
(LM,) = make_features(["KENLM name=LM0 factor=0 path=model/lm.arpa.gz order=3"])


@pytest.mark.parametrize(
    "name", ["phrase-table.gz", "reordering-table.wbe-msd-bidirectional-fe.gz"]
)
def test_keeps_exactly_what_occurs(tmp_path: Path, name: str) -> None:
    lines = [line for text in ("dev.fr", "test.fr") for line in read_lines(GOLDEN / text)]
    table, output = GOLDEN / "model" / name, tmp_path / "filtered.gz"
    filter_table(table, source_phrases(lines), output)
    text = "\n".join(f" {line} " for line in lines)
    expected = [line for line in read_lines(table) if f" {line.split(' ||| ')[0]} " in text]
    assert list(read_lines(output)) == expected
    assert 0 < len(expected) < 14433


def test_source_phrases_are_up_to_seven_words() -> None:
    phrases = source_phrases(["a  b\tc d e f g h", ""])
    assert len(phrases) == 8 + 7 + 6 + 5 + 4 + 3 + 2
    assert {"a", "a b c d e f g", "b c d e f g h"} <= phrases


def test_a_line_without_columns_is_named(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("a ||| x ||| 1\nno columns\n")
    with pytest.raises(InputError, match="table:2"):
        filter_table(table, {"a"}, tmp_path / "out.gz")
    assert not (tmp_path / "out.gz").exists()


def test_model_has_the_golden_features_and_weights(tmp_path: Path) -> None:
    golden = read_ini(GOLDEN / "moses.ini")
    model = moses_model(
        Path("model/phrase-table.gz"),
        Path("model/reordering-table.wbe-msd-bidirectional-fe.gz"),
        [LM],
        table_limit=30,
    )
    write_ini(tmp_path / "moses.ini", model)
    written = read_ini(tmp_path / "moses.ini")
    assert written.sections == golden.sections
    assert written.weights == golden.weights
    table = dict(written.feature("TranslationModel0").arguments)
    assert table.pop("table-limit") == "30"
    assert table == golden.feature("TranslationModel0").arguments
    others = [f for f in written.features if f.label != "TranslationModel0"]
    assert others == [f for f in golden.features if f.label != "TranslationModel0"]


def test_a_context_of_recombination_is_read_as_it_is_written(tmp_path: Path) -> None:
    model = moses_model(Path("a"), Path("b"), [LM], recombination_context=7)
    write_ini(tmp_path / "moses.ini", model)
    search, _ = read_search(read_ini(tmp_path / "moses.ini"), tmp_path / "moses.ini")
    assert search.recombination_context == 7


def test_language_models_share_a_weight() -> None:
    models = [LM, Feature("NeuralLM", "NLM0", {"name": "NLM0", "path": "b"})]
    ini = moses_model(Path("table"), Path("reordering"), models)
    assert ini.features[-2:] == tuple(models)
    assert ini.weights["LM0"] == ini.weights["NLM0"] == [0.25]
