"""Corpora by mtdata's ids: a stand-in has its index, the rest is ours."""

import json
import sys
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from web_site import running

from nlmt.corpora import (
    DownloadSettings,
    Extraction,
    SplitSettings,
    download,
    downloads,
    inputs,
    read_corpora,
    text_of,
)
from nlmt.corpora.sources.mtdata import IndexEntry, table_rows
from nlmt.errors import InputError

ID = "Statmt-news-1-fra-eng"
CODES = {"fr": "fra", "en": "eng", "de": "deu"}


@dataclass(frozen=True)
class Tag:
    lang: str


@dataclass(frozen=True)
class Id:
    group: str
    text: str

    @classmethod
    def parse(cls, text: str) -> "Id":
        return cls(text.partition("-")[0], text)

    @property
    def langs(self) -> list[Tag]:
        return [Tag(code) for code in self.text.split("-")[3:]]

    def __str__(self) -> str:
        return self.text


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Id, Any]]:
    """Entries of an index, in modules with the names of mtdata's."""
    entries: dict[Id, Any] = {}

    class Index:
        def __init__(self) -> None:
            self.entries = entries

        def load_all(self) -> None:
            pass

    modules = {
        "mtdata": {},
        "mtdata.index": {"Index": Index},
        "mtdata.entry": {"DatasetId": Id},
        "mtdata.iso": {},
        "mtdata.iso.bcp47": {"bcp47": lambda code: Tag(CODES[code])},
    }
    for name, values in modules.items():
        module = types.ModuleType(name)
        module.__dict__.update(values)
        monkeypatch.setitem(sys.modules, name, module)
    return entries


def add(index: dict[Id, Any], address: str, extension: str, **keys: Any) -> None:
    values = {"in_paths": None, "in_ext": None, "cols": None} | keys
    did = Id.parse(ID)
    index[did] = types.SimpleNamespace(did=did, url=address, ext=extension, **values)


def entry(**keys: Any) -> dict[str, Any]:
    return {
        "kind": "mtdata",
        "dataset": ID,
        "languages": {"en": "English", "fr": "French"},
        **keys,
    }


def test_a_table_by_its_id(
    index: dict[Id, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    corpora = read_corpora({"news": entry()})
    ((path, what),) = downloads(corpora).items()
    assert path == f"data/raw/news/{ID}.tsv.gz"
    with running() as site:
        site.files["/news.tsv"] = b"x\tun\tone\nx\tdeux\ttwo\n"
        add(index, f"{site.address}/news.tsv", "tsv", cols=(1, 2))
        download(what, Path(path), Path(f"{path}.json"), DownloadSettings(retries=0))
    corpus = corpora["news"]
    assert inputs("news", corpus, ["fr", "en"], ["train"]) == [Path(path)]
    bitext = Extraction("news", corpus, ("fr", "en"), SplitSettings(), (len, len)).bitext(["train"])
    assert bitext.parts == {"train": [("un", "one"), ("deux", "two")]}
    assert list(text_of("news", corpus, "en")) == ["one", "two"]
    names = {path.name for path in Path("data/raw/news").iterdir()}
    assert names == {f"{ID}.tsv.gz", f"{ID}.tsv.gz.json"}


@pytest.mark.parametrize("dataset", ["/tmp/x-1-2-fra_eng", "../../../x-1-2-fra_eng", "a-b/c-1-fra"])  # noqa: S108
def test_an_id_names_a_file_of_the_project(dataset: str) -> None:
    with pytest.raises(InputError, match="dataset"):
        read_corpora({"news": entry(dataset=dataset)})


def rows(path: Path, content: str, *, members: tuple[str, ...] = ()) -> list[str]:
    found = IndexEntry("http://x", "zip", members, content, (), ("fra", "eng"))
    return list(table_rows(found, path, ["en", "fr"], Counter()))


def test_files_of_archives(index: dict[Id, Any], tmp_path: Path) -> None:
    folder = tmp_path / "a"
    (folder / "v1").mkdir(parents=True)
    (folder / "v1/news.fr").write_text("un\tx\ndeux\n")
    (folder / "v1/news.en").write_text("one\ntwo\n")
    assert rows(folder, "txt", members=("*/news.fr", "*/news.en")) == ["one\tun x", "two\tdeux"]
    with pytest.raises(InputError, match=r"0 members match '\*.de' \(one is expected\)"):
        rows(folder, "txt", members=("*.de", "*.en"))
    for language, text in (("fr", "un"), ("en", "one")):
        sgm = f'<srcset><doc docid="1"><seg id="1">{text}</seg></doc></srcset>'
        (folder / f"x.{language}.sgm").write_text(sgm)
    assert rows(folder, "sgm", members=("x.fr.sgm", "x.en.sgm")) == ["one\tun"]


def test_translation_memories(index: dict[Id, Any], tmp_path: Path) -> None:
    for name, texts in (("a", ("un", "one")), ("b", ("deux", "two"))):
        variants = "".join(
            f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>'
            for language, text in zip(("fr", "en"), texts, strict=True)
        )
        memory = f"<tmx><body><tu>{variants}</tu></body></tmx>"
        (tmp_path / f"{name}.tmx").write_text(memory)
    assert rows(tmp_path / "a.tmx", "tmx") == ["one\tun"]
    assert rows(tmp_path, "tmx", members=("b.tmx", "a.tmx")) == ["two\tdeux", "one\tun"]


def test_the_record_of_a_download_counts_what_is_dropped(
    index: dict[Id, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    units = "".join(
        f'<tu><tuv xml:lang="fr"><seg>{one}</seg></tuv><tuv xml:lang="en"><seg>{other}</seg></tuv>'
        "</tu>"
        for one, other in (("un", "one"), ("deux", ""), ("trois", "three"), ("", "four"))
    )
    with running() as site:
        site.files["/news.tmx"] = f"<tmx><body>{units}</body></tmx>".encode()
        add(index, f"{site.address}/news.tmx", "tmx")
        get(tmp_path)
    record = json.loads((tmp_path / "a.json").read_text())
    assert record["counts"] == {"units": 4, "without_source": 1, "without_target": 1}


def test_a_table_keeps_quotation_marks(index: dict[Id, Any], tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text('"un"\t"one"\n« "deux\t""two""\n')
    assert rows(tmp_path / "a.tsv", "tsv") == ['"one"\t"un"', '""two""\t« "deux']


@pytest.mark.parametrize(
    ("content", "members", "number"),
    [
        ("tsv", ("a", "b"), "has 2 files of tsv .1 expected"),
        ("txt", (), "has 1 files of txt .2 expected"),
        ("sgm", ("a",), "has 1 files of sgm .2 expected"),
    ],
)
def test_another_number_of_files(
    index: dict[Id, Any], tmp_path: Path, content: str, members: tuple[str, ...], number: str
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("un\tone\n")
    with pytest.raises(InputError, match=f"mtdata: http://x {number}"):
        rows(tmp_path if members else tmp_path / "a", content, members=members)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dataset": "europarl"}, r"news.dataset: 'europarl' does not have the form"),
        ({"part": "tran"}, r"news.part: 'tran' is not allowed \(did you mean 'train'"),
    ],
)
def test_faulty_entries(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_corpora({"news": entry(**change)})


def get(tmp_path: Path, **keys: Any) -> None:
    ((_, what),) = downloads(read_corpora({"news": entry(**keys)})).items()
    download(what, tmp_path / "a.tsv.gz", tmp_path / "a.json", DownloadSettings(retries=0))


def test_unknown_ids_and_kinds(index: dict[Id, Any], tmp_path: Path) -> None:
    add(index, "http://x/a.xlsx", "xlsx", in_ext="xlsx")
    with pytest.raises(
        InputError, match=r"Statmt-news-1-fra-eng has an unsupported format: .*xlsx"
    ):
        get(tmp_path)
    with pytest.raises(InputError, match=rf"mtdata has no 'Statmt-news-2-fra-eng' .*{ID}"):
        get(tmp_path, dataset="Statmt-news-2-fra-eng")
    with pytest.raises(InputError, match=r"mtdata has no 'Stamt-news-1-fra-eng' .*Statmt"):
        get(tmp_path, dataset="Stamt-news-1-fra-eng")


def test_languages_that_a_data_set_lacks(index: dict[Id, Any], tmp_path: Path) -> None:
    found = IndexEntry("http://x/a.tsv", "tsv", (), "tsv", (), ("fra", "eng"))
    (tmp_path / "a.tsv").write_text("un\tone\n")
    with pytest.raises(InputError, match=r"a.tsv has no language 'de' \(it has fra, eng\)"):
        list(table_rows(found, tmp_path / "a.tsv", ["en", "de"], Counter()))


def test_without_mtdata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mtdata.index", None)
    with pytest.raises(InputError, match=r"need the package mtdata \(make mtdata"):
        get(tmp_path)
