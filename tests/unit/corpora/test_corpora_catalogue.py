from pathlib import Path

import pytest
import yaml

from nlmt.configuration import check_configuration
from nlmt.corpora import AptCorpus, FileCorpus, read_corpus
from nlmt.errors import InputError

ROOT = Path(__file__).parents[3]
MINE = {
    "kind": "file",
    "languages": {"fr": "French", "en": "English"},
    "files": {"train": {"fr": "t.fr", "en": "t.en"}, "dev": {"fr": "d.fr", "en": "d.en"}},
}


def test_the_catalogue_is_valid_and_pins_every_package():
    catalogue = yaml.safe_load((ROOT / "config/corpora.yaml").read_text())
    check_configuration(catalogue, ROOT / "workflow/schemas/corpora.schema.yaml")
    corpus = read_corpus("help", catalogue["corpora"]["libreoffice-help"])
    assert isinstance(corpus, AptCorpus)
    assert corpus.languages == ("en", "fr", "de", "cs", "zh", "ja", "it")
    assert all(set(hashes) == set(corpus.languages) for hashes in corpus.pins.values())
    assert corpus.inputs("fr") == [Path("data/raw/help/fr.deb")]


def test_a_user_s_entry():
    check_configuration({"corpora": {"mine": MINE}}, ROOT / "workflow/schemas/corpora.schema.yaml")
    corpus = read_corpus("mine", MINE)
    assert isinstance(corpus, FileCorpus)
    assert corpus.parts == ("train", "dev")
    assert corpus.inputs("en") == [Path("t.en"), Path("d.en")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "ftp"}, r"unknown kind 'ftp' \(allowed: apt, file\)"),
        ({"kind": "apt"}, "the key 'packages' is missing"),
        ({"kind": "apt", "packages": {"fr": "x"}}, "packages names none for language 'en'"),
        ({"files": {"dev": {}}}, "files.train is missing"),
        ({"files": MINE["files"] | {"tests": {}}}, "unknown part 'tests'.*train, dev, test"),
    ],
)
def test_faulty_entries(change, message):
    with pytest.raises(InputError, match=message):
        read_corpus("mine", MINE | change)


def test_unknown_languages_name_the_known_ones():
    with pytest.raises(InputError, match=r"no language 'xx' \(it has fr, en\)"):
        read_corpus("mine", MINE).inputs("xx")
    entry = MINE | {"files": {"train": {"fr": "t.fr"}}}
    with pytest.raises(InputError, match=r"files.train names no file of language 'en'"):
        read_corpus("mine", entry).inputs("en")
