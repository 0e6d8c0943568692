"""config/corpora.yaml: every mistake is found before any job, with key and what is allowed."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlmt.corpora import (
    SplitSettings,
    downloads,
    drawn_together,
    given_parts,
    inputs,
    read_corpora,
    reference_count,
)
from nlmt.corpora.catalogue import Catalogue
from nlmt.corpora.sources.apt import AptCorpus
from nlmt.errors import InputError
from nlmt.settings_check import read_settings

ROOT = Path(__file__).parents[3]
MINE: dict[str, Any] = {
    "kind": "file",
    "languages": {"fr": "French", "en": "English"},
    "files": {
        "train": {"fr": "t.fr", "en": "t.en"},
        "test": {"fr": "d.fr", "en": ["d1.en", "a.tgz/d2.en"]},
    },
}
PACKAGES: dict[str, Any] = {
    "kind": "apt",
    "format": "libreoffice-help",
    "languages": {"fr": "French", "en": "English"},
    "packages": {"fr": "help-fr", "en": "help-en"},
}


def catalogue() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "config/corpora.yaml").read_text())["corpora"]
    return found


def test_the_default_corpus_is_valid_and_pins_every_package() -> None:
    corpora = read_corpora(catalogue())
    corpus = corpora["libreoffice-help"]
    assert isinstance(corpus, AptCorpus)
    assert tuple(corpus.languages) == ("en", "fr", "de", "cs", "zh", "ja", "it")
    assert all(set(hashes) == set(corpus.languages) for hashes in corpus.pins.values())
    folder = Path("data/raw/libreoffice-help")
    assert inputs("libreoffice-help", corpus, ["fr", "en"], ["train", "dev"]) == [
        folder / "libreoffice-help-fr.deb",
        folder / "libreoffice-help-en-us.deb",
    ]
    fr = downloads(corpora)[str(folder / "libreoffice-help-fr.deb")]
    assert (fr["source"], fr["request"]["package"]) == ("apt", "libreoffice-help-fr")
    assert (fr["request"]["source"], fr["request"]["version"]) == ("libreoffice", None)
    # Those of Debian 12, whose results the documents have, then those of Debian 13.
    assert list(fr["request"]["pins"]) == [
        "4:7.4.7-1+deb12u14",
        "4:7.4.7-1+deb12u13",
        "4:25.2.3-2+deb13u12",
        "4:25.2.3-2+deb13u9",
    ]


def test_every_shipped_corpus_says_what_it_is() -> None:
    for name, corpus in read_corpora(catalogue()).items():
        assert corpus.description, name
        assert corpus.licence, name


def test_files_of_a_user_s_entry() -> None:
    corpus = read_corpora({"mine": MINE})["mine"]
    assert given_parts(corpus) == ("train", "test")
    assert inputs("mine", corpus, ["en"], ["train"]) == [Path("t.en")]
    both = ["t.fr", "t.en", "d.fr", "d1.en", "a.tgz"]
    assert inputs("mine", corpus, ["fr", "en"], ["train", "dev", "test"]) == [*map(Path, both)]
    assert inputs("mine", corpus, ["en", "fr"], ["test"]) == [*map(Path, ["d1.en", "d.fr"])]
    assert reference_count("mine", corpus, ["fr", "en"], "test") == 2
    assert reference_count("mine", corpus, ["en", "fr"], "test") == 1
    assert reference_count("mine", corpus, ["fr", "en"], "dev") == 1
    assert downloads({"mine": corpus}) == {}


def test_parts_that_a_corpus_gives_are_not_drawn_but_left_out_of_train() -> None:
    corpora = read_corpora({"mine": MINE, "packages": PACKAGES})
    for part, drawn in (("test", ["test"]), ("dev", ["dev"]), ("train", ["test", "dev", "train"])):
        assert drawn_together(corpora["mine"], part, ()) == drawn
    assert drawn_together(corpora["packages"], "dev2", ()) == ["test", "dev", "dev2"]
    assert drawn_together(corpora["packages"], "train", ()) == ["test", "dev", "train"]


def test_plain_text_has_a_file_for_each_language() -> None:
    entry = MINE | {"files": {"train": "t.{role}", "dev": {"fr": "d", "en": "d"}}}
    corpora = read_corpora({"mine": entry, "tmx": entry | {"format": "tmx"}})
    inputs("mine", corpora["mine"], ["fr", "en"], ["train"])
    inputs("tmx", corpora["tmx"], ["fr", "en"], ["dev"])
    with pytest.raises(InputError, match=r"mine: files\.dev: d: one file for both languages \(wr"):
        inputs("mine", corpora["mine"], ["fr", "en"], ["dev"])


def test_keys_of_a_split_that_are_null_are_the_general_ones() -> None:
    corpus = read_corpora({"mine": MINE | {"split": {"dev": None, "test": 9}}})["mine"]
    assert corpus.own_split(SplitSettings(dev=7)) == SplitSettings(dev=7, test=9)


def test_names_of_files_by_pair_and_role() -> None:
    entry = {
        "kind": "file",
        "languages": {"fr": "French", "en": "English", "de": "German"},
        "pairs": ["fr-en", "de-en"],
        "files": {
            "train": "c/news.{pair}.{language}",
            "test": "test/{first}{second}-{role}.{language}",
        },
    }
    corpus = read_corpora({"wmt": entry})["wmt"]
    assert inputs("wmt", corpus, ["en", "de"], ["train"]) == [
        Path("c/news.de-en.en"),
        Path("c/news.de-en.de"),
    ]
    assert inputs("wmt", corpus, ["en", "fr"], ["test"]) == [
        Path("test/fren-src.en"),
        Path("test/fren-ref.fr"),
    ]
    with pytest.raises(InputError, match=r"wmt has no pair fr-de \(it has fr-en, de-en\)"):
        inputs("wmt", corpus, ["fr", "de"], ["train"])
    with pytest.raises(InputError, match=r"a file for each pair of languages .*of 'en' alone"):
        inputs("wmt", corpus, ["en"], ["train"])


@pytest.mark.parametrize(
    ("entry", "change", "message"),
    [
        (MINE, {"kind": "ftp"}, r"corpora.mine: kind: 'ftp' is not allowed \(.*allowed: apt, file"),
        (MINE, {"langauges": {}}, r"mine.langauges: unknown key \(did you mean 'languages'"),
        (MINE, {"filez": 3}, r"corpora.mine.filez: unknown key \(did you mean 'files'"),
        (MINE, {"languages": {}}, r"corpora.mine.languages: a mapping needs at least 1"),
        (MINE, {"languages": {"french": "x"}}, r"languages.french: .* does not have the form"),
        (MINE, {"licence": 3}, r"corpora.mine.licence: 3 is not text"),
        (MINE, {"pairs": ["fr-de"]}, r"corpora.mine: pairs: fr-de: 'de' is not among languages"),
        (MINE, {"files": {"train": "t.{pair}.fr"}}, r"t.{pair}.fr: {pair} needs the key pairs, s"),
        (MINE, {"format": "plian"}, r"format: kind: 'plian' is not allowed \(did you mean 'pl"),
        (MINE, {"format": {"kind": "plain", "x": 1}}, r"format.x: unknown key \(allowed: kind"),
        (MINE, {"split": {"dve": 3}}, r"mine.split.dve: unknown key \(did you mean 'dev"),
        (MINE, {"split": {"dev": 0}}, r"mine.split.dev: 0 must be at least 1"),
        (MINE, {"files": {}}, r"mine.files: one of train, dev, test, dev2, whole is needed"),
        (MINE, {"files": 3}, r"mine.files: 3 is not a mapping"),
        (
            MINE,
            {"files": MINE["files"] | {"tset": {}}},
            r"mine.files.tset: unknown key \(did you mean 'test'\? allowed: train, dev, test, dev2",
        ),
        (MINE, {"files": {"train": 3}}, r"mine.files.train: a path, or paths by language"),
        (MINE, {"files": {"train": {"fr": 3}}}, r"mine.files.train: fr: a path, or a list"),
        (MINE, {"files": {"train": {"french": "x"}}}, r"train: 'french' is no code of a language"),
        (MINE, {"files": {"train": "x.{lang}"}}, r"x.{lang}: {lang} is unknown \(did you mean 'l"),
        (MINE, {"files": {"train": {"en": ["a", "b"]}}}, r"files: train: one path a language"),
        (MINE, {"files": {"train": "a", "whole": "b"}}, r"all other parts are drawn from whole"),
        (PACKAGES, {"packages": {"fr": "x1"}}, r"corpora.mine: packages names none for .* 'en'"),
        (PACKAGES, {"packages": {"fr": "X", "en": "y1"}}, r"packages.fr: 'X' does not have"),
        (PACKAGES, {"pins": {"1": {"fr": "00"}}}, r"pins.1.fr: '00' does not have the form"),
        (PACKAGES, {"files": {}}, r"mine.files: unknown key"),
    ],
)  # fmt: skip
def test_faulty_entries(entry: dict[str, Any], change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_corpora({"mine": copy.deepcopy(entry) | change})


def test_a_missing_key_and_the_file_it_is_missing_from(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("corpora:\n  mine:\n    kind: file\n    filez: 3\n    languages: {fr: F}\n")
    values = yaml.safe_load(path.read_text())
    with pytest.raises(InputError) as caught:
        read_settings(Catalogue, values, files=[path])
    message = str(caught.value)
    assert f"{path}:4: corpora.mine.filez: unknown key" in message
    assert f"{path}:2: corpora.mine.files: this key is missing" in message


def test_unknown_languages_and_parts_name_the_known_ones() -> None:
    corpus = read_corpora({"mine": MINE})["mine"]
    with pytest.raises(InputError, match=r"no language 'xx' \(it has fr, en\)"):
        inputs("mine", corpus, ["xx"], ["train"])
    entry = MINE | {"files": {"test": {"fr": "t.fr"}}}
    corpus = read_corpora({"mine": entry})["mine"]
    with pytest.raises(InputError, match=r"files.test names no file of language 'en'"):
        inputs("mine", corpus, ["en"], ["test"])
    with pytest.raises(InputError, match=r"corpus mine has no part train \(it has test\)"):
        inputs("mine", corpus, ["fr"], ["train"])


def test_text_to_obtain_is_named_with_its_place(tmp_path: Path) -> None:
    entry = MINE | {
        "description": "letters",
        "obtain": "the publisher, catalogue number L1",
        "files": {"train": f"{tmp_path}/letters.{{language}}"},
    }
    corpus = read_corpora({"mine": entry})["mine"]
    (tmp_path / "letters.fr").touch()
    with pytest.raises(
        InputError,
        match=r"\(letters\) is not here: \S*letters.en missing .*publisher, catalogue number L1",
    ):
        inputs("mine", corpus, ["fr", "en"], ["train"])


def test_one_place_is_one_file() -> None:
    one, other = (copy.deepcopy(PACKAGES) for _ in range(2))
    other["pins"] = {"1": {"fr": "0" * 64}}
    found = downloads(read_corpora({"one": one, "other": other}))
    assert len(found) == 4
