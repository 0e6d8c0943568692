"""Files from outside, damaged in any way: each reader reads, or names the file in an InputError.

NLMT_FUZZ_EXAMPLES sets how many damages are tried of each kind of file (`make fuzz`).
"""

import gzip
import hashlib
import io
import os
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.classes.class_files import FORMATS, read_classes
from nlmt.corpora.archives import members, open_file
from nlmt.corpora.page_blocks import Markup, page_blocks
from nlmt.corpora.readers.libreoffice_help import parse_page
from nlmt.corpora.readers.sgm import read_sgm
from nlmt.corpora.readers.tmx import TMX, TmxFormat
from nlmt.corpora.readers.wmt_xml import WMT_XML, WmtXmlFormat
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.decoder import binarise_tables
from nlmt.decoder.binary_tables import check_binary_table
from nlmt.decoder.ini_search import read_search
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.json_files import read_json
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_moses import read_search_graphs
from nlmt.io.lattice_openfst import read_openfst
from nlmt.io.lattice_slf import read_slf
from nlmt.io.moses_ini import read_ini
from nlmt.io.nbest import read_nbest
from nlmt.io.nbest_scores import read_scored
from nlmt.io.weights import read_weights
from nlmt.kinds import load_language_model
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, train_folder
from nlmt.neural.parameters import TrainingState
from nlmt.neural.tensors import read_tensors, write_tensors
from nlmt.neural.text.encoded import encode_texts, open_encoded
from nlmt.neural.train.checkpoints import LogRow, Progress, TrainingCheckpoint
from nlmt.ngram.backoff import BackoffModel
from nlmt.ngram.files import read_facts, read_vocabulary
from nlmt.ngram.training import train_binary
from nlmt.tuning.moses_files import read_initial, read_pool
from nlmt.workflow.configuration import read_files
from tests.fuzz.seeds import ARPA, FEATURES, NBEST
from tests.lattices import SLF

FINDINGS = Path(__file__).parents[1] / "fuzz/findings"
EXAMPLES = int(os.environ.get("NLMT_FUZZ_EXAMPLES", "25"))
GOLDEN = Path(__file__).parents[1] / "golden"
LONGEST = 30_000  # characters of a message

# What readers stumble over: numbers at limits, marks of formats, broken and unusual characters.
TOKENS = [
    *(b"0", b"-1", b"1e999", b"nan", b"inf", b"65536", b"4294967296", b"9" * 5000, b"1_0", b"\xb2"),
    *(b"|||", b"=", b":", b"[", b"]", b"{", b"}", b'"', b"\\", b"\\1-grams:", b"ngram 9=1", b"-"),
    *(b"<", b">", b"</seg>", b"<seg id='1'>", b"<!DOCTYPE x>", b"&x;", b"&#0;", b"&#1114112;"),
    *(b"<!ENTITY x 'y'>", b"<![CDATA[", b"<!--", b"<p>", b"</p>", b"<doc>", b"&", b"xml:lang"),
    *(b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8"),
    *("²", "٣", "\ufeff", "\x85"),
    *(b"2020-99-99", b"[" * 2000, b"{a: " * 500, b"*a", b"&a", b"!!python/object:os.system x"),
    *(b"PK\x03\x04", b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"BZh9", b"../", b"/etc/passwd", b"null"),
]  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """A damage: what is done at which part of a file, and with what."""

    kind: Literal["insert", "replace", "delete", "repeat", "cut"]
    place: float
    length: int
    token: bytes

    def of(self, content: bytes) -> bytes:
        at = round(self.place * len(content))
        end = at + self.length
        match self.kind:
            case "insert":
                return content[:at] + self.token + content[at:]
            case "replace":
                return content[:at] + self.token + content[at + len(self.token) :]
            case "delete":
                return content[:at] + content[end:]
            case "repeat":
                return content[:end] + content[at:end] * 3 + content[end:]
            case "cut":
                return content[:at]


EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["insert", "replace", "replace", "delete", "repeat", "cut"]),
        st.floats(0, 1),
        st.integers(1, 40),
        st.sampled_from([t.encode() if isinstance(t, str) else t for t in TOKENS])
        | st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=4,
)
Read = Callable[[Path], object]


@dataclass(frozen=True)
class Kind:
    """A kind of file: a good one, and who reads it.

    Attributes:
        name: of the file, where its suffix matters.
        content: a good file, or what makes one in a folder.
        read: reads it, all of it.
    """

    name: str
    content: bytes | Callable[[Path], Path]
    read: Read


SGM = b"""<srcset setid="news" srclang="any">
<doc sysid="ref" docid="one" origlang="en"><p>
<seg id="1">Un &amp; deux &lt;3 &#233;t&#xe9;</seg>
<seg id="2"> Trois </seg></p></doc>
<DOC docid='two'><hl><seg id=1>Titre</seg></hl></DOC></srcset>
"""
TMX_FILE = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-GB"><seg>Click <bpt i="1">&lt;b></bpt>OK</seg></tuv>
<tuv xml:lang="FR"><seg>Cliquez&#160;!</seg></tuv></tu></body></tmx>
"""
WMT_FILE = b"""<?xml version='1.0' encoding='utf-8'?><dataset id="t"><doc origlang="fr" id="a">
<src lang="fr"><p><seg id="1">un</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">one</seg></p></ref></doc></dataset>
"""
HTML = b"""<!DOCTYPE html><html><head><title>4. Crop</title></head><body>
<h2>4. <a id="x"></a>Crop</h2>
<p class="paragraph">One<br>two &amp; three<p>Next<ul><li>Item <p>inner</p> more</li></ul>
<script>x = "<p>no</p>"</script><img alt="no"></body></html>"""
MALLARD = b"""<page xmlns="http://projectmallard.org/1.0/" id="x"><info><desc>It.</desc></info>
<title>It</title><p>Press <key>Ctrl</key>.</p><steps><item><p>First</p></item></steps></page>"""
GRAPH = b"""0 hyp=0 stack=0 forward=1 fscore=-1
0 hyp=1 stack=1 back=0 score=-1 transition=-1 forward=3 fscore=0 covered=0-0 \
scores="core=(1,2) " out="u|a"
0 hyp=2 stack=1 back=0 score=-2 transition=-2 recombined=1 forward=3 fscore=0 covered=0-0 \
scores="core=(1,3) " out="u|b"
0 hyp=3 stack=2 back=2 score=-2 transition=-1 forward=-1 fscore=0 covered=1-1 \
scores="core=(1,2) " out="v|c"
"""
OPENFST = b"0\t1\ta\t0.5\n1\t2\tb\n0\t2\tc\t1\n2\n"
SCORES = b"SCORES_TXT_BEGIN_0 0 2 9 BLEU\n1 2 0 1 0 0 0 0 2\n2 2 1 1 0 0 0 0 2\nSCORES_TXT_END_0\n"
LIST_SCORES = (
    f"# first 9 of each sentence of the list {hashlib.sha256(NBEST).hexdigest()}\nNLM0\n"
    + "-1.5\n" * NBEST.count(b"\n")
).encode()
TABLE = (
    b"le ||| the ||| 0.5 1 0.25 1 ||| 0-0 ||| 1 2 1 ||| |||\nchien ||| dog ||| 1 1 1 1 ||| 0-0\n"
)
YAML = (
    b"seed: 2\nbase: &x kn5\nsystems:\n  nlm: {label: 'NLM', models: [nce, *x]}\nday: '20-01-02'\n"
)
CLASSES = {
    "paths": b"00\tthe\t5\n010\tdog\t2\n011\tcat\t1\n",
    "mkcls": b"the\t2\ndog\t3\ncat\t3\n",
    "clustercat": b"the\t1\t5\ndog\t2\t2\n",
}


def archive(suffix: str) -> bytes:
    content = io.BytesIO()
    if suffix == "zip":
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("dev/a.txt", "un\ndeux\n" * 20)
    else:
        with tarfile.open(fileobj=content, mode=f"w:{suffix}") as tar:
            member = tarfile.TarInfo("dev/a.txt")
            member.size = 160
            tar.addfile(member, io.BytesIO(b"un\ndeux\n" * 20))
    return content.getvalue()


def read_archive(path: Path) -> None:
    list(members(path, lambda name: True))
    with open_file(TextFile(path, "dev/a.txt")) as stream:
        stream.read()


def read_markup(markup: Markup) -> Read:
    return lambda path: page_blocks(path.read_bytes(), markup, str(path))


def read_pairs(reader: object, options: object) -> Read:
    def read(path: Path) -> None:
        files = PartFiles(TextFile(path), (TextFile(path),))
        pairs: Iterable[object] = reader.pairs(options, files, ("fr", "en"), Counter())  # type: ignore[attr-defined]
        for _ in pairs:
            pass

    return read


def read_openfst_file(path: Path) -> None:
    for _ in read_openfst(path.parent):
        pass


def read_help(path: Path) -> None:
    parse_page("a", path.read_bytes().decode(errors="replace"))


def read_graphs(path: Path) -> None:
    for _ in read_search_graphs(path, {"A0": [1.0], "B0": [1.0]}):
        pass


def lattices(folder: Path) -> Path:
    (folder / "graph").write_bytes(GRAPH)
    graphs = read_search_graphs(folder / "graph", {"A0": [1.0], "B0": [1.0]})
    write_lattices(folder / "made", graphs)
    return folder / "made"


def binary_table(folder: Path) -> Path:
    (folder / "table").write_bytes(TABLE)
    binarise_tables(folder / "table", None, folder / "made")
    return folder / "made"


def read_scores_of_list(path: Path) -> None:
    beside = path.with_name("list")
    beside.write_bytes(NBEST)
    read_scored(beside, path)


def read_model_head(path: Path) -> None:
    read_facts(path)
    read_vocabulary(path)


def read_pool_with(other: bytes, *, features: bool) -> Read:
    def read(path: Path) -> None:
        beside = path.with_name("beside")
        beside.write_bytes(other)
        read_pool(*([[path], [beside]] if features else [[beside], [path]]))

    return read


def tensors(folder: Path) -> Path:
    path = folder / "model.safetensors"
    write_tensors(path, {"a": np.ones((2, 3), np.float32), "b": np.arange(4)}, {"epoch": "1"})
    return path


def checkpoint(folder: Path) -> Path:
    path = folder / "checkpoint.safetensors"
    ones = {"a": np.ones((2, 3), np.float32)}
    row = LogRow(1.0, 20, 0.5, 40.0, 3.2, 12.5, 0.1)
    progress = Progress(epochs=1, best_epoch=1, best_perplexity=12.5, log=[row])
    TrainingCheckpoint({"texts": "1f"}, progress, TrainingState(ones, ones, {}), ones).save(path)
    return path


def kenlm_binary(folder: Path) -> Path:
    (folder / "text").write_text("the dog sleeps\nthe cat sleeps\na dog barks\n" * 4)
    train_binary(folder / "text", folder / "model.binary", order=2)
    return folder / "model.binary"


def encoded(folder: Path) -> Path:
    (folder / "text").write_text("the dog\nthe cat\n")
    encode_texts([folder / "text"], [folder / "text.ids"], min_count=1)
    return folder / "text.ids"


def read_encoded(path: Path) -> None:
    for piece in open_encoded(path).text.pieces():
        piece.stream.sum()


KINDS = {
    "sgm": Kind("a.sgm", SGM, lambda path: read_sgm(TextFile(path))),
    "tmx": Kind("a.tmx", TMX_FILE, read_pairs(TMX, TmxFormat(kind="tmx"))),
    "wmt-xml": Kind("a.xml", WMT_FILE, read_pairs(WMT_XML, WmtXmlFormat(kind="wmt-xml"))),
    "html": Kind("a.html", HTML, read_markup("html")),
    "mallard": Kind("a.page", MALLARD, read_markup("mallard")),
    "help": Kind("a.html", HTML, read_help),
    "tar.gz": Kind("a.tar.gz", archive("gz"), read_archive),
    "tar.xz": Kind("a.tar.xz", archive("xz"), read_archive),
    "tar.bz2": Kind("a.tar.bz2", archive("bz2"), read_archive),
    "zip": Kind("a.zip", archive("zip"), read_archive),
    "text": Kind("a", b"un\nd\xc3\xa9j\xc3\xa0 vu\r\n", lambda path: list(read_lines(path))),
    "text.gz": Kind("a.gz", gzip.compress(b"un\ndeux\n" * 9), lambda path: list(read_lines(path))),
    "nbest": Kind("a.nbest", NBEST, read_nbest),
    "nbest.gz": Kind("a.gz", gzip.compress(NBEST), read_nbest),
    "scores of a list": Kind("a.tsv", LIST_SCORES, read_scores_of_list),
    "scores of a list, gz": Kind("a.gz", gzip.compress(LIST_SCORES), read_scores_of_list),
    "graph": Kind("a.graph", GRAPH, read_graphs),
    "slf": Kind("a.slf", SLF.encode(), read_slf),
    "openfst": Kind("0.fst.txt", OPENFST, read_openfst_file),
    "lattices": Kind("lattices", lattices, lambda path: list(LatticeFile(path))),
    "moses.ini": Kind(
        "moses.ini", (GOLDEN / "moses.ini").read_bytes(), lambda p: read_search(read_ini(p), p)
    ),
    "phrase table": Kind("table", TABLE, lambda p: binarise_tables(p, None, p.with_name("bin"))),
    "binary table": Kind("bin", binary_table, lambda path: check_binary_table(str(path))),
    "arpa": Kind("a.arpa", ARPA, lambda path: BackoffModel.read(path, {})),
    "arpa head": Kind("a.arpa", ARPA, read_model_head),
    "arpa of KenLM": Kind("a.arpa", ARPA, load_language_model),
    "features": Kind("a.dat", FEATURES, read_pool_with(SCORES, features=True)),
    "scores": Kind("a.dat", SCORES, read_pool_with(FEATURES, features=False)),
    "init.opt": Kind("init.opt", b"0.5 0.5\n0 0\n1 1\n", read_initial),
    "json": Kind("a.json", b'{"a": [1, 2.5e3, "x\\u00e9"], "b": null}\n', read_json),
    "weights": Kind("a.json", b'{"weights": {"LM0": [0.5], "TM0": [1, -0.2]}}\n', read_weights),
    "yaml": Kind("a.yaml", YAML, lambda path: read_files([path])),
    "safetensors": Kind("model.safetensors", tensors, read_tensors),
    "checkpoint": Kind("checkpoint.safetensors", checkpoint, TrainingCheckpoint.load),
    # Only what is read here: KenLM itself does not check what it maps (SECURITY.md).
    "head of a KenLM binary": Kind("model.binary", kenlm_binary, read_model_head),
    "encoded": Kind("text.ids", encoded, read_encoded),
}  # fmt: skip
KINDS |= {
    f"classes {name}": Kind("classes", content, lambda path: read_classes(path))
    for name, content in CLASSES.items()
}


def outcome(read: Callable[[], object], path: Path) -> str:
    """Read a file, which may be refused in one line that names it or one beside it."""
    try:
        read()
        return "read"
    except InputError as error:
        message = str(error)
        assert "\n" not in message or path.name == "config.json"  # a line for each fault
        assert len(message) < LONGEST
        assert str(path.parent) in message or message.startswith("a:"), message
        return "refused"


@pytest.mark.parametrize("name", KINDS)
def test_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    path = tmp_path / kind.name
    good = kind.content if isinstance(kind.content, bytes) else kind.content(tmp_path).read_bytes()
    path.write_bytes(good)
    kind.read(path)

    try_damages(good, path, lambda: kind.read(path))


# Kinds of the files that targets of libFuzzer read, and have findings of.
FUZZED = {"arpa": ("arpa", "arpa head", "arpa of KenLM"), "binary_table": ("binary table",)}


@pytest.mark.parametrize(
    "finding", sorted(FINDINGS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_finding_of_the_fuzzers_is_read_or_refused(finding: Path, tmp_path: Path) -> None:
    for kind in (KINDS[name] for name in FUZZED[finding.parent.name]):
        path = tmp_path / kind.name
        path.write_bytes(finding.read_bytes())
        outcome(partial(kind.read, path), path)


def try_damages(good: bytes, path: Path, read: Callable[[], object]) -> None:
    """Read a file with as many different damages as are asked for."""
    outcomes: Counter[str] = Counter()

    @hypothesis.settings(max_examples=EXAMPLES, database=None)
    @hypothesis.given(EDITS)
    def damage(edits: list[Edit]) -> None:
        content = good
        for edit in edits:
            content = edit.of(content)
        path.unlink()  # some are mapped
        path.write_bytes(content)
        outcomes[outcome(read, path)] += 1

    damage()
    print(
        f"{outcomes.total()} damaged files: {outcomes['read']} read, {outcomes['refused']} refused"
    )


def test_formats_of_classes_are_all_here() -> None:
    assert CLASSES.keys() == dict(FORMATS.items()).keys()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a neural model."""
    folder = tmp_path_factory.mktemp("model")
    lines = (GOLDEN / "train.en").read_text(encoding="utf-8").splitlines()
    (folder / "train").write_text("\n".join(lines[:60]) + "\n", encoding="utf-8")
    (folder / "dev").write_text("\n".join(lines[60:90]) + "\n", encoding="utf-8")
    write_paths(brown_cluster(count_bigrams(lines[:60]), 5), folder / "classes")
    config = NeuralConfig.from_dict({"dim": 4, "order": 3, "epochs": 1})
    task = Task.read(config, TrainingData([folder / "train"], folder / "dev", folder / "classes"))
    train_folder(task, folder / "lm")
    return folder / "lm"


@pytest.mark.parametrize(
    "name", ["config.json", "vocabulary.txt", "classes.tsv", "model.safetensors"]
)
def test_damaged_model_is_refused(name: str, model: Path) -> None:
    good = (model / name).read_bytes()
    try:
        try_damages(good, model / name, lambda: NeuralLM.load(model))
    finally:
        (model / name).write_bytes(good)
