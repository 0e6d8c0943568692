"""Corpora made of others."""

from pathlib import Path
from typing import Any

import pytest

from nlmt.corpora import (
    Extraction,
    SplitSettings,
    downloads,
    given_parts,
    inputs,
    read_corpora,
    reference_count,
    text_of,
)
from nlmt.corpora.access import documents_by_file
from nlmt.errors import InputError

LANGUAGES = {"fr": "French", "en": "English"}


@pytest.fixture
def entries(tmp_path: Path) -> dict[str, dict[str, Any]]:
    for name in ("a", "b", "c", "d"):
        for language in LANGUAGES:
            lines = [f"{name} {language} {number}\n" for number in range(3)]
            (tmp_path / f"{name}.{language}").write_text("".join(lines))
    (tmp_path / "d.sgm").write_text(
        '<refset><doc docid="x"><seg id="1">un</seg></doc></refset>', encoding="utf-8"
    )

    def entry(**files: object) -> dict[str, Any]:
        return {"kind": "file", "languages": LANGUAGES, "files": files}

    paths = {name: f"{tmp_path}/{name}.{{language}}" for name in "abcd"}
    return {
        "one": entry(train=paths["a"], dev=paths["c"]),
        "other": entry(whole=paths["b"]),
        "news": entry(test={"fr": f"{tmp_path}/d.sgm", "en": [f"{tmp_path}/d.sgm"] * 2})
        | {"format": "sgm"},
        "task": {
            "kind": "joined",
            "languages": LANGUAGES,
            "train": ["one", "other"],
            "dev": ["one"],
            "test": ["news"],
        },
    }


def test_parts_of_several_corpora(entries: dict[str, Any], tmp_path: Path) -> None:
    corpora = read_corpora(entries)
    task = corpora["task"]
    assert given_parts(task) == ("train", "dev", "test")
    assert task.joins() == ("one", "other", "news")
    assert corpora["one"].joins() == ()
    train = inputs("task", task, ["fr", "en"], ["train"])
    assert train == [tmp_path / name for name in ("a.fr", "a.en", "b.fr", "b.en")]
    bitext = Extraction("task", task, ("fr", "en"), SplitSettings(), (len, len)).bitext(
        ["train", "dev", "test"]
    )
    assert [source for source, _ in bitext.parts["train"]] == [
        f"{name} fr {number}" for name in "ab" for number in range(3)
    ]
    assert len(bitext.parts["dev"]) == 3
    assert bitext.parts["test"] == [("un", "un", "un")]
    assert bitext.counts["train_empty"] == 0
    assert bitext.counts["a.fr/train"] == bitext.counts["b.fr/train"] == 3
    assert bitext.counts["a.fr/train_words"] == 9
    assert reference_count("task", task, ["fr", "en"], "test") == 2
    assert len(list(text_of("task", task, "en"))) == 6
    assert downloads(corpora) == {}


def test_files_of_one_name_are_counted_by_their_paths(
    entries: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "x").mkdir()
    for language in LANGUAGES:
        (tmp_path / f"b.{language}").rename(tmp_path / f"x/a.{language}")
    entries["other"]["files"] = {"whole": f"{tmp_path}/x/a.{{language}}"}
    task = read_corpora(entries)["task"]
    bitext = Extraction("task", task, ("fr", "en"), SplitSettings(), (len, len)).bitext(["train"])
    found = {key: count for key, count in bitext.counts.items() if key.endswith("/train")}
    assert found == {f"{tmp_path}/a.fr/train": 3, f"{tmp_path}/x/a.fr/train": 3}
    assert [file for file, _ in documents_by_file("task", task, "en")] == [
        f"{tmp_path}/a.en",
        f"{tmp_path}/x/a.en",
    ]


def test_a_whole_from_which_parts_are_drawn(entries: dict[str, Any], tmp_path: Path) -> None:
    entries["task"] = {"kind": "joined", "languages": LANGUAGES, "whole": ["one", "other"]}
    task = read_corpora(entries)["task"]
    assert given_parts(task) == ("whole",)
    found = inputs("task", task, ["fr", "en"], ["train", "dev"])
    assert found == [tmp_path / name for name in ("a.fr", "a.en", "b.fr", "b.en")]


def test_text_of_a_language_is_that_of_the_corpora_that_have_it(entries: dict[str, Any]) -> None:
    entries["other"] |= {"languages": {"fr": "French"}}
    task = read_corpora(entries)["task"]
    assert list(text_of("task", task, "en")) == [f"a en {number}" for number in range(3)]
    assert len(list(text_of("task", task, "fr"))) == 6
    entries["task"] |= {"languages": {"de": "German"}}
    german = read_corpora(entries)["task"]
    with pytest.raises(InputError, match="corpus one has no language 'de'"):
        list(text_of("task", german, "de"))


def test_a_member_without_text_is_not_left_out(entries: dict[str, Any], tmp_path: Path) -> None:
    for language in LANGUAGES:
        (tmp_path / f"b.{language}").write_text("\n")
    task = read_corpora(entries)["task"]
    extraction = Extraction("task", task, ("fr", "en"), SplitSettings(), (len, len))
    with pytest.raises(InputError, match=r"b.fr: no sentence pair \(both sides"):
        extraction.bitext(["train", "dev", "test"])
    with pytest.raises(InputError, match=r"b.en: no sentence \(is it the right file"):
        list(text_of("task", task, "en"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": ["won"]}, r"corpora: task: unknown corpus 'won' \(did you mean 'one'"),
        ({"train": ["task"]}, r"corpora: task: task joins corpora itself"),
        ({"train": ["one/tset"]}, r"task.train.0: 'one/tset' does not have the form"),
        ({"train": [], "dev": [], "test": []}, r"task: one of train, dev, test, dev2, whole is"),
        ({"whole": ["other"]}, r"corpora\.task: train is drawn from whole: leave one of"),
    ],
)
def test_faulty_entries(entries: dict[str, Any], change: dict[str, Any], message: str) -> None:
    entries["task"] |= change
    with pytest.raises(InputError, match=message):
        read_corpora(entries)


def test_parts_that_a_member_lacks(entries: dict[str, Any]) -> None:
    entries["task"]["dev2"] = ["one"]
    entries["task"]["test"] = ["one/dev"]
    task = read_corpora(entries)["task"]
    assert len(inputs("task", task, ["fr", "en"], ["test"])) == 2
    with pytest.raises(InputError, match=r"dev2: one has no part dev2 or test \(it has train, dev"):
        inputs("task", task, ["fr", "en"], ["dev2"])


def test_languages_that_a_member_lacks(entries: dict[str, Any]) -> None:
    entries["task"]["languages"] = {**LANGUAGES, "de": "German"}
    task = read_corpora(entries)["task"]
    with pytest.raises(InputError, match=r"corpus one has no language 'de'"):
        inputs("task", task, ["de", "en"], ["train"])


def test_sets_with_different_numbers_of_references(entries: dict[str, Any]) -> None:
    entries["task"]["test"] = ["news", "one/dev"]
    task = read_corpora(entries)["task"]
    with pytest.raises(InputError, match="test joins sets with different numbers of references"):
        reference_count("task", task, ["fr", "en"], "test")
