"""Test sets by sacreBLEU's names, from a server of the test's own."""

import hashlib
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.dataset import DATASETS
from web_site import running

from nlmt.corpora import (
    DownloadSettings,
    Extraction,
    SplitSettings,
    download,
    downloads,
    inputs,
    read_corpora,
    reference_count,
    text_of,
)
from nlmt.errors import InputError

SGM = '<{}set><doc docid="one"><seg id="1">{}</seg></doc></{}set>'
NEWS = """<dataset><doc id="one"><src lang="en"><seg id="1">Good morning</seg></src>
<ref lang="de" translator="A"><seg id="1">Guten Morgen</seg></ref>
<ref lang="de" translator="B"><seg id="1">Morgen</seg></ref></doc></dataset>"""


def entry(test_set: str, languages: str, **keys: str) -> dict[str, Any]:
    names = {code: code for code in languages.split()}
    return {"kind": "sacrebleu", "test_set": test_set, "languages": names, **keys}


def archive(**members: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as out:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            out.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def fetch(
    monkeypatch: pytest.MonkeyPatch, test_set: str, content: bytes, languages: tuple[str, str]
) -> dict[str, list[tuple[str, ...]]]:
    """Get a set whose only file has other content, and hash, than the real one."""
    corpora = read_corpora({"set": entry(test_set, " ".join(languages))})
    ((path, what),) = downloads(corpora).items()
    address = str(what["request"]["url"])
    what["request"]["md5"] = hashlib.md5(content, usedforsecurity=False).hexdigest()
    with running() as site:
        site.files["/file"] = content
        mirrors = {address: (f"{site.address}/file",)}
        download(
            what, Path(path), Path(path + ".json"), DownloadSettings(mirrors=mirrors, retries=0)
        )
    corpus = corpora["set"]
    assert inputs("set", corpus, languages, ["test"]) == [Path(path)]
    bitext = Extraction("set", corpus, languages, SplitSettings(), (len, len)).bitext(["test"])
    count = reference_count("set", corpus, languages, "test")
    assert all(len(texts) == count + 1 for texts in bitext.parts["test"])
    return bitext.parts


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_sgm(monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive(**{
        "test-full/newstest2014-fren-src.fr.sgm": SGM.format("src", "Un", "src"),
        "test-full/newstest2014-fren-ref.en.sgm": SGM.format("ref", "One", "ref"),
    })  # fmt: skip
    parts = fetch(monkeypatch, "wmt14/full", content, ("fr", "en"))
    assert parts == {"test": [("Un", "One")]}
    joined = {"kind": "joined", "languages": {"fr": "French"}, "train": ["set/test"]}
    corpora = read_corpora({"set": entry("wmt14/full", "fr en"), "all": joined})
    assert list(text_of("all", corpora["all"], "fr")) == ["Un"]


def test_xml_with_two_references(monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive(**{"test/newstest2021.en-de.xml": NEWS})
    parts = fetch(monkeypatch, "wmt21/AB", content, ("en", "de"))
    assert parts == {"test": [("Good morning", "Guten Morgen", "Morgen")]}


def test_xml_with_a_reference_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    text = NEWS.replace(' translator="B"', "").replace('lang="en"', 'lang="liv"')
    text = text.replace('lang="de"', 'lang="en"')
    content = archive(**{"wmt22-news-systems-1.1/xml/wmttest2022.liv-en.all.xml": text})
    parts = fetch(monkeypatch, "wmt22", content, ("liv", "en"))
    assert parts == {"test": [("Good morning", "Morgen")]}
    Path("config/downloads.lock").unlink()
    text = text.replace('lang="en"', 'lang="is"').replace('lang="liv"', 'lang="en"')
    content = archive(**{"dev/xml/newsdev2021.en-is.xml": text})
    parts = fetch(monkeypatch, "wmt21/dev", content, ("en", "is"))
    assert parts == {"test": [("Good morning", "Guten Morgen", "Morgen")]}


def test_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive(**{"MTNT/test/test.en-fr.tsv": "1\tyes\toui\n2\tno\tnon\n"})
    parts = fetch(monkeypatch, "mtnt1.1/test", content, ("en", "fr"))
    assert parts == {"test": [("yes", "oui"), ("no", "non")]}
    content = archive(**{"MTNT/test/test.en-fr.tsv": "1\tyes\toui\n2\n"})
    Path("config/downloads.lock").unlink()
    with pytest.raises(InputError, match=r"en-fr.tsv:2: no column 2: the line has 1"):
        fetch(monkeypatch, "mtnt1.1/test", content, ("en", "fr"))


def test_every_set_has_its_files() -> None:
    found = 0
    for name, dataset in DATASETS.items():
        for pair in dataset.langpairs:
            languages = pair.split("-")
            if type(dataset).__name__ == "WMTAdditionDataset" or len(max(languages, key=len)) > 3:
                continue  # of several formats; codes with a region
            corpora = read_corpora({"set": entry(name, " ".join(languages))})
            paths = inputs("set", corpora["set"], languages, ["test"])
            assert {str(path) for path in paths} <= downloads(corpora).keys(), (name, pair)
            found += 1
    assert found > 300


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (entry("wmt41", "fr en"), r"set.test_set: unknown test set 'wmt41' \(did you mean 'wmt"),
        (entry("wmt17/ms", "zh en"), r"wmt17/ms has several formats"),
        (entry("wmt14", "fr it"), r"set: wmt14 has no language 'it' \(it has cs, de, en, fr, hi"),
        (entry("wmt14", "fr en", part="train"), r"set.part: 'train' is not allowed"),
    ],
)
def test_faulty_entries(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_corpora({"set": values})


def test_pairs_that_a_set_lacks() -> None:
    corpus = read_corpora({"set": entry("wmt14", "fr de en")})["set"]
    with pytest.raises(InputError, match=r"wmt14 has no pair fr-de \(it has cs-en, en-cs"):
        inputs("set", corpus, ["fr", "de"], ["test"])
