"""Every file of every command: missing, a folder, empty, of another kind, cut off, `-`.

Whatever is wrong is one line that names the file, before anything is written.
"""

import gzip
import importlib
import io
import os
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.cli.commands import COMMANDS
from nlmt.cli.files import IN, OUT, STANDARD, FileKind, input_lines
from nlmt.cli.parser import Parser, parsed
from nlmt.errors import InputError, UsageError

GOLDEN = Path(__file__).parents[2] / "golden"
ARPA = GOLDEN / "model/lm.arpa.gz"
LIST = """\
0 ||| this  ||| LM0= -1 TM0= -2 ||| -1 ||| 0-0
0 ||| that  ||| LM0= -2 TM0= -1 ||| -2 ||| 0-0
1 ||| is it  ||| LM0= -1 TM0= -1 ||| -2 ||| 0-0 1-1
"""
# Each command with all its files: <read>, >written<.
CALLS = {
    "align": "align --source <fr> --target <en> --out >out<",
    "align --like": "align --source <fr> --target <en> --out >out<"
    " --like <fr> <en> <align> <align>",
    "binarise": "binarise --phrase-table <table> --reordering-table <reordering> --out >out<",
    "binarise --check": "binarise --check <tables.bin>",
    "classes": "classes brown --text <en> --out >out<",
    "config": "config check <overlay.yaml>",
    "decode": "decode -f <moses.ini> -weights <moses.json> -i <fr> -n-best-list >nbest< 5"
    " -output-lattice >lattices< -alignment-output-file >links< -osg >graph<",
    "evaluate": "evaluate --reference <en> --hypotheses <en> --baseline <fr> --against other <fr>"
    " --resamples 10 --json >json<",
    "lattice info": "lattice info <lattices>",
    "lattice best": "lattice best <lattices> --weights <moses.json>",
    "lattice prune": "lattice prune <lattices> >out< --beam 1",
    "lattice convert": "lattice convert <lattices> >out< --to osgx",
    "lm encode": "lm encode <en> --out >out<",
    "lm info": "lm info <lm.arpa>",
    "lm perplexity": "lm perplexity <lm.arpa> <en>",
    "lm score": "lm score <lm.arpa> <en> --threads 1",
    "lm train": "lm train --config <full.yaml> --train <en> --dev <en> --out model",
    "text tokenise": "text tokenise --language fr <fr>",
    "text detokenise": "text detokenise --language fr <fr>",
    "mert": "mert --features <features> --scores <scores> --init <init>",
    "nbest info": "nbest info <list> --reference <en>",
    "nbest totals": "nbest totals <list> >out< --weights <w.json>",
    "nbest sort": "nbest sort <list> >out< --weights <w.json>",
    "nbest merge": "nbest merge <list> <list> --out >out<",
    "nbest best": "nbest best <list> >out< --weights <w.json>",
    "nbest mbr": "nbest mbr <list> >out<",
    "nbest oracle": "nbest oracle <list> >out< --reference <en>",
    "rescore": "rescore --nbest <list> --model <lm.arpa> --out >out<",
    "rescore --one-best": "rescore --nbest <list> --weights <w.json> --one-best >out<",
    "rescore --lattice": "rescore --lattice <lattices> --model <lm.arpa> --weights <lm.json>"
    " --out >out< --nbest 2 >nbest< --one-best >best<",
    "tune": "tune --nbest <list> --reference <en> --weights <w.json> --out >out< --restarts 1",
    "tune --lattice": "tune --lattice <lattices> --reference <en> --out >out< --restarts 1",
    "tune --decode": "tune --decode <moses.ini> --source <fr> --reference <en> --folder tuned"
    " --iterations 1 --size 5 --restarts 1",
    "tuples": "tuples --source <fr> --target <en> --alignment <align> --out >out<",
    "weights": "weights <moses.json> --ini <moses.ini> --out >out<",
}
FOLDERS = {"lm train", "tune --decode"}  # whose output is a folder


def files_of(call: str, marks: str) -> list[int]:
    return [
        i for i, word in enumerate(shlex.split(call, posix=False))
        if (word[0], word[-1]) == tuple(marks)
    ]  # fmt: skip


def command(call: str, at: int = -1, instead: str = "") -> list[str]:
    words = shlex.split(call, posix=False)
    plain = [w[1:-1] if w[0] in "<>" and w[-1] in "<>" else w for w in words]
    if at >= 0:
        plain[at] = instead
    return plain


READS = [(name, at) for name, call in CALLS.items() for at in files_of(call, "<>")]
TEXTS = [(name, at) for name, at in READS if command(CALLS[name])[at] in ("fr", "en")]
WRITES = [(name, at) for name, call in CALLS.items() for at in files_of(call, "><")]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    lines = {side: (GOLDEN / f"test.{side}").read_text().splitlines()[:2] for side in ("fr", "en")}
    for side, texts in lines.items():
        (folder / side).write_text("".join(f"{line}\n" for line in texts))
    (folder / "align").write_text("0-0\n0-0\n")
    (folder / "list").write_text(LIST)
    (folder / "lm.arpa").write_bytes(gzip.decompress(ARPA.read_bytes()))
    (folder / "w.json").write_text('{"weights": {"LM0": [0.5], "TM0": [0.5]}}')
    (folder / "lm.json").write_text('{"weights": {"LM0": [0.5], "NLM0": [0.5]}}')
    (folder / "moses.json").write_text('{"weights": {"LM0": [0.4]}}')
    (folder / "full.yaml").write_text("output: full\nobjective: likelihood\ndim: 4\nepochs: 1\n")
    (folder / "overlay.yaml").write_text("seed: 2\n")
    for name, pattern in (("table", "phrase-table.gz"), ("reordering", "reordering-table.*")):
        (found,) = (GOLDEN / "model").glob(pattern)
        (folder / name).write_bytes(gzip.decompress(found.read_bytes())[:2000].rpartition(b"\n")[0])
    ini = (GOLDEN / "moses.ini").read_text()
    (folder / "moses.ini").write_text(ini.replace("path=model/", f"path={GOLDEN}/model/"))
    (folder / "features").write_text(
        "FEATURES_TXT_BEGIN_0 0 2 1 LM0_0\n-1\n-2\nFEATURES_TXT_END_0\n"
    )
    (folder / "scores").write_text(
        "SCORES_TXT_BEGIN_0 0 2 9 BLEU\n1 2 0 1 0 0 0 0 2\n2 2 1 1 0 0 0 0 2\nSCORES_TXT_END_0\n"
    )
    (folder / "init").write_text("0.5\n")
    (folder / "folder").mkdir()
    (folder / "empty").write_bytes(b"")
    (folder / "objects").write_text('{"fr": "le chien", "en": "the dog"}\n' * 2)
    (folder / "other").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\n" * 3)
    (folder / "cut.gz").write_bytes(gzip.compress(b"a b c d e f\n" * 99)[:-20])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(command("decode -f moses.ini -i fr -output-lattice lattices")) == 0
        assert main(command("binarise --phrase-table table --out tables.bin")) == 0
    return folder


@pytest.fixture
def here(filled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files; what a command leaves there is removed, and must be nothing if it failed."""
    monkeypatch.chdir(filled)
    before = set(filled.iterdir())
    yield filled
    assert set(filled.iterdir()) == before


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit status, and what went to standard error."""
    try:
        status = main(arguments)
    except SystemExit as end:
        status = int(str(end.code))
    return status, capsys.readouterr().err


def assert_refused(arguments: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> str:
    status, message = run(arguments, capsys)
    assert status in (1, 2), message
    last = message.splitlines()[-1]
    assert name in last, last
    for bad in ("Errno", "Traceback", ".cc:", ".hh:", "remove the file"):
        assert bad not in message, last
    return last


@pytest.mark.parametrize(("name", "at"), READS, ids=lambda x: str(x))
def test_files_to_read(here: Path, name: str, at: int, capsys: pytest.CaptureFixture[str]) -> None:
    call = CALLS[name]
    last = assert_refused(command(call, at, "nothing"), "nothing: no such file", capsys)
    assert last.startswith(f"nlmt {name.split()[0]}: ")
    assert_refused(command(call, at, "folder"), "folder", capsys)


def test_links_that_lead_to_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("link").symlink_to("gone")
    says = "link: a link to gone, which is not there"
    assert_refused(command("lm info link"), says, capsys)
    assert_refused(command("lattice info link"), says, capsys)
    Path("link").unlink()


def test_advice_on_files_that_are_not_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, advice in (
        ("config check overlay.yml", "did you mean overlay.yaml?"),
        ("lm info foldr/lm.arpa", "did you mean folder?"),
        ("text tokenise --language fr 'La maison.'", "text itself goes to standard input"),
    ):
        assert_refused(shlex.split(arguments), advice, capsys)


@pytest.mark.parametrize(("name", "at"), READS, ids=lambda x: str(x))
@pytest.mark.parametrize("content", ["other", "cut.gz"])
def test_files_of_another_kind(
    here: Path, name: str, at: int, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(command(CALLS[name], at, content), content, capsys)


@pytest.mark.parametrize(("name", "at"), TEXTS, ids=lambda x: str(x))
def test_texts_in_another_format(
    here: Path,
    name: str,
    at: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says = "not a sentence a line, but JSON (write the text of one language to a file"
    assert_refused(command(CALLS[name], at, "objects"), f"objects: {says}", capsys)
    if name.split()[0] in ("decode", "text", "translate"):  # they answer each line as it comes
        return
    given = (here / "objects").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    assert_refused(command(CALLS[name], at, "-"), f"standard input: {says}", capsys)


def test_lines_of_a_pipe_are_answered_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as stdin, os.fdopen(write, "w") as other:
        monkeypatch.setattr(sys, "stdin", stdin)
        lines = input_lines(STANDARD)
        for line in ('{"text": "one"}', '{"text": "two"}'):
            print(line, file=other, flush=True)
            assert next(lines) == line


@pytest.mark.parametrize(("name", "at"), WRITES, ids=lambda x: str(x))
def test_files_to_write(here: Path, name: str, at: int, capsys: pytest.CaptureFixture[str]) -> None:
    call = CALLS[name]
    assert_refused(command(call, at, "folder"), "folder: a folder, not a file to write", capsys)
    assert_refused(command(call, at, "w.json/x"), "w.json is not a folder", capsys)
    same = command(call)[files_of(call, "<>")[0]]
    assert_refused(command(call, at, same), f"{same}: input and output are the same", capsys)


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_folders_to_write(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = command(CALLS[name])
    at = next(i for i, word in enumerate(words) if word in ("model", "tuned"))
    for instead, says in (("en", "en: not a folder"), ("-", "- is not a folder")):
        assert_refused([*words[:at], instead, *words[at + 1 :]], says, capsys)


def test_every_file_of_every_command_is_declared_as_one() -> None:
    def look(parser: Parser) -> None:
        for action in parser._actions:
            assert action.type is not Path, f"{parser.prog}: {action.option_strings}"
            for sub in (action.choices or {}).values() if isinstance(action.choices, dict) else ():
                look(sub)

    for module, _ in COMMANDS.values():
        look(importlib.import_module(module).parser())


def small(*kinds: FileKind) -> Parser:
    parser = Parser(prog="small")
    for number, kind in enumerate(kinds):
        parser.add_argument(f"file{number}", type=kind)
    parser.add_argument("--more")
    return parser


def test_standard_streams(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"given\n"))))
    with parsed(small(IN, OUT), ["-", "--more", "x", "-"]) as options:
        assert gzip.decompress(options.file0.read_bytes()) == b"given\n"
        assert options.file0.suffix == ".gz"
        options.file1.write_text("made\n")
        print("said")
    printed = capfdbinary.readouterr()
    assert printed.out == b"made\n"
    assert b"said" in printed.err


@pytest.mark.parametrize(
    ("kinds", "message"),
    [((IN, IN), "can be read only once"), ((OUT, OUT), "two outputs are the same file")],
)
def test_a_stream_is_for_one_file(here: Path, kinds: tuple[FileKind, ...], message: str) -> None:
    with pytest.raises(InputError, match=message), parsed(small(*kinds), ["-", "-"]):
        pass


def test_an_error_of_usage_stays_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"given\n")))
    with pytest.raises(UsageError, match="standard input has"), parsed(small(IN), ["-"]) as options:
        raise UsageError(f"{options.file0} has no second line")


def test_a_message_about_standard_input_names_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIST.encode()[:-20])))
    assert_refused(["nbest", "best", "-"], "standard input:3: ", capsys)


@pytest.mark.parametrize("typed", [False, True])
def test_lines_of_standard_input_are_those_of_a_file(
    tmp_path: Path, typed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte-order marks and carriage returns are left out; a prompt says how to end typed input."""
    content = b"\xef\xbb\xbfone\r\n\r\ntwo\rthree"
    (tmp_path / "text").write_bytes(content)
    stdin = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(stdin, "isatty", lambda: typed)
    monkeypatch.setattr(sys, "stdin", stdin)
    found = list(input_lines(STANDARD))
    assert found == list(input_lines(tmp_path / "text")) == ["one", "", "two\rthree"]
    assert ("Ctrl-D" in capsys.readouterr().err) == typed


def test_a_nul_byte_in_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\nt\0w\0o\n")))
    with pytest.raises(InputError, match="standard input:2: not text: a NUL byte"):
        list(input_lines(STANDARD))


STREAMED = {
    "lattice info": "<lattices>",
    "binarise --check": "<tables.bin>",
    "lm perplexity": "<lm.arpa>",
    "nbest best": "<list>",
    "weights": "<moses.json>",
    "mert": "<features>",
}


@pytest.mark.parametrize(("name", "file"), STREAMED.items())
def test_standard_input_and_pipes_are_read_like_files(
    filled: Path,
    name: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also what is read twice, or from its end."""
    monkeypatch.chdir(filled)
    call = CALLS[name].replace(">out<", "-")
    at = shlex.split(call, posix=False).index(file)
    content = (filled / file[1:-1]).read_bytes()
    said = []
    for instead in (file[1:-1], "-", "pipe"):
        if instead == "-":
            stdin = io.TextIOWrapper(io.BytesIO(content))
            monkeypatch.setattr(sys, "stdin", stdin)
        if instead == "pipe":
            os.mkfifo("pipe")
            writer = threading.Thread(target=Path("pipe").write_bytes, args=(content,))
            writer.start()
        assert main(command(call, at, instead)) == 0
        lines = capsys.readouterr().out.splitlines()
        said.append([line for line in lines if "seconds" not in line and "checksum" not in line])
    writer.join()
    Path("pipe").unlink()
    assert said[0] == said[1] == said[2]
