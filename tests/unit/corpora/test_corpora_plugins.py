"""A source and a reader that the project does not know: docs/extending.md, section by section."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plugins import example_plugins

from nlmt.corpora import (
    READERS,
    SOURCES,
    Corpora,
    Extraction,
    SplitSettings,
    download,
    downloads,
    inputs,
    read_corpora,
    text_of,
)
from nlmt.corpora.access import pieces
from nlmt.corpora.catalogue import Catalogue
from nlmt.errors import InputError
from nlmt.settings import Settings, setting
from nlmt.settings_check import read_settings


@pytest.fixture(scope="module", autouse=True)
def plugins() -> Iterator[None]:
    """The examples among the parts, for the tests of this module alone."""
    with example_plugins(["corpus_source", "corpus_reader"], [SOURCES, READERS]):
        yield
    for _, source in SOURCES.items():
        source.settings.model_rebuild(force=True)
    Catalogue.model_rebuild(force=True)


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "share").mkdir()
    rows = ["en;fr", *(f"letter number {n};lettre numéro {n}" for n in range(12))]
    (tmp_path / "share/letters.csv").write_text("\n".join(rows) + "\n")
    return {
        "kind": "share",
        "languages": {"fr": "French", "en": "English"},
        "origin": str(tmp_path / "share"),
        "format": {"kind": "table", "separator": ";"},
        "files": {"whole": "letters.csv"},
    }


def test_a_source_and_a_reader_of_one_s_own(entry: dict[str, Any]) -> None:
    corpora = read_corpora({"letters": entry})
    corpus = corpora["letters"]
    (path,) = inputs("letters", corpus, ["fr", "en"], ["train", "test"])
    assert path == Path("data/raw/letters/letters.csv")
    what = downloads(corpora)[str(path)]
    assert what == {"source": "share", "request": {"from": f"{entry['origin']}/letters.csv"}}
    download(what, path, path.with_suffix(".json"))
    split = SplitSettings(test=2, min_tokens=1)
    bitext = Extraction("letters", corpus, ("fr", "en"), split, (len, len), seed=2).bitext(
        ["train", "test"]
    )
    assert bitext.counts["rows"] == 12
    assert (len(bitext.parts["train"]), len(bitext.parts["test"])) == (10, 2)
    pairs = [pair for part in bitext.parts.values() for pair in part]
    assert ("lettre numéro 0", "letter number 0") in pairs
    assert next(text_of("letters", corpus, "en")) == "letter number 0"


def test_their_keys_are_checked_like_all_others(entry: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"letters.orign: unknown key \(did you mean 'origin'"):
        read_corpora({"letters": {**entry, "orign": "x"}})
    with pytest.raises(InputError, match=r"letters.format.separator: ';;'"):
        read_corpora({"letters": {**entry, "format": {"kind": "table", "separator": ";;"}}})
    by_name = read_corpora({"letters": {**entry, "format": "table"}})["letters"]
    ((options, _),) = (
        (piece.format, piece.files) for piece in pieces("letters", by_name, ["fr", "en"], "whole")
    )
    assert options.model_dump() == {"kind": "table", "separator": "\t"}


def test_within_a_whole_configuration(entry: dict[str, Any]) -> None:
    class Whole(Settings):
        corpora: Corpora = setting({}, "Corpora by name.")

    whole = read_settings(Whole, {"corpora": {"letters": entry}})
    assert whole.corpora["letters"].kind == "share"


def test_faults_of_the_examples(entry: dict[str, Any], tmp_path: Path) -> None:
    corpora = read_corpora({"letters": entry})
    (tmp_path / "share/letters.csv").write_text("en;fr\na\n")
    (path, what), *_ = downloads(corpora).items()
    download(what, Path(path), Path(path + ".json"))
    with pytest.raises(InputError, match=r"letters.csv:2: 1 columns"):
        list(text_of("letters", corpora["letters"], "en"))
    (tmp_path / "share/letters.csv").unlink()
    with pytest.raises(InputError, match="not in the shared folder"):
        download(what, Path(path), Path(path + ".json"))
