"""Command lines as scripts around Moses have them, and what is printed on the side."""

import logging
import os
import threading
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from nlmt.cli import main, run_command
from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.steps import Step, step

run = partial(run_command, "decode")


def test_a_run_of_mert(in_golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The flags that Moses' tuning script passes, first to see the weights, then to decode."""
    flags = [
        *("-use-persistent-cache", "0", "-persistent-cache-size", "100"),
        *("-v", "0", "-threads", "all"),
    ]
    run([*flags, "-config", "moses.ini", "-inputtype", "0", "-show-weights"])
    shown = capsys.readouterr().out
    assert "TranslationModel0= 0.200000 0.200000 0.200000 0.200000 \n" in shown
    weights = "LM0= 0.25 WordPenalty0= -0.5 TranslationModel0= 0.1 0.1 0.1 0.1"
    list_path = tmp_path / "run1.best100.out"
    run(
        [
            *(*flags, "-config", "moses.ini", "-inputtype", "0", "-weight-overwrite", weights),
            *("-n-best-list", str(list_path), "100", "distinct", "-input-file", "test5.fr"),
            *("-labeled-n-best-list", "true", "-n-best-factor", "20"),
        ]
    )
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert len(list_path.read_text().splitlines()) == 500


def test_the_text_is_read_once_and_its_length_shown(
    in_golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read, totals = [], []

    def reading(path: Path) -> Iterator[str]:
        read.append(path)
        return read_lines(path)

    def noting(name: str, total: int = 0) -> AbstractContextManager[Step]:
        totals.append((name, total))
        return step(name, total)

    monkeypatch.setattr("nlmt.cli.files.read_lines", reading)
    monkeypatch.setattr("nlmt.decoder.decoder.step", noting)
    run(["-f", "moses.ini", "-i", "test5.fr"])
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert read == [Path("test5.fr")]
    assert totals[-1] == ("translate", 5)


def test_lists_without_labels(in_golden: Path, tmp_path: Path) -> None:
    lines = []
    for value in ("true", "false"):
        flags = ["-f", "moses.ini", "-i", "test5.fr", "-n-best-list", str(tmp_path / value), "1"]
        run([*flags, "-labeled-n-best-list", value])
        lines.append((tmp_path / value).read_text().splitlines()[0].split("|||")[2].split())
    assert lines[1] == [token for token in lines[0] if not token.endswith("=")]


def test_switches_say_true_or_false(in_golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["-f", "moses.ini", "-i", "test5.fr"]
    printed = []
    for more in ([], ["-t", "n"], ["-t"], ["-report-segmentation", "true"]):
        run([*flags, *more])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2] == printed[3]
    with pytest.raises(InputError, match="'maybe' is neither true nor false"):
        run([*flags, "-t", "maybe"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-stak", "5"], "unknown flag -stak, perhaps -stack"),
        (["--n-best-lst", "x"], "unknown flag --n-best-lst, perhaps -n-best-list"),
        (["-inputtype", "1"], "invalid choice: '?1"),
        (["-lattice-samples", "x"], "unknown flag -lattice-samples"),
        (["-start-translation-id", "1" + 20 * "0"], "-start-translation-id 1.* .from 0 to"),
        (["-n-best-list", "x", "0"], "-n-best-list x 0 .FILE N"),
        (["-i", "nothing"], "nothing: no such file"),
        (["--n-best", "x"], "unknown flag --n-best"),
        (["-s", "many"], "invalid int value: 'many'"),
        (["-search-algorithm", "4"], "invalid choice"),
        (["-n-best-list", "x"], "FILE N .distinct."),
        (["-n-best-list", "x", "10", "unique"], "FILE N .distinct."),
        (["-weight-overwrite", "0.5"], "-weight-overwrite: '0.5' has no label before it"),
        (["-weight-overwrite", "LM0= y"], "-weight-overwrite: 'y' is no weight of LM0"),
        (["-threads", "0"], "-threads 0"),
    ],
)
def test_wrong_flags_are_told_before_anything_is_loaded(flags: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(["-f", __file__, *flags])


def test_messages_name_the_line_of_the_file(in_golden: Path, tmp_path: Path) -> None:
    (tmp_path / "part").write_text("ma porte\nle ||| la\n")
    with pytest.raises(InputError, match=r"part:2: '\|\|\|' inside a sentence"):
        run(["-f", "moses.ini", "-i", f"{tmp_path}/part", "-start-translation-id", "100"])


def test_the_input_may_be_a_pipe(in_golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"ma porte\n")
    os.close(writer)
    run(["-f", "moses.ini", "-i", f"/dev/fd/{reader}"])
    os.close(reader)
    assert capsys.readouterr().out == "my door \n"


def test_verbose_says_what_there_was_to_search(
    in_golden: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    run(["-f", "moses.ini", "-i", "test5.fr", "-v", "2"])
    assert len(caplog.messages) == 7
    assert caplog.messages[0].startswith("model loaded in ")
    assert caplog.messages[1].startswith("sentence 1: 9 words, ")
    assert caplog.messages[6].startswith("5 sentences in ")


def test_monotone_at_punctuation(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("a ||| A ||| 1\nb ||| B ||| 1\nc ||| C ||| 1\n, ||| , ||| 1\n")
    (tmp_path / "moses.ini").write_text(
        f"[monotone-at-punctuation]\ntrue\n[feature]\nPhraseDictionaryMemory name=TM0 "
        f"path={tmp_path}/table\n[weight]\nTM0= 1\n"
    )
    decoder = Decoder(tmp_path / "moses.ini")
    assert decoder.search.monotone_at_punctuation
    for line, orders in (("a b , c", {"A B , C", "B A , C"}), ("a , b", {"A , B", ", A B"})):
        decoder.decode([line], nbest=NbestRequest(tmp_path / "list", 100))
        found = {row.split(" ||| ")[1].strip() for row in (tmp_path / "list").open()}
        assert found == orders


def test_an_interruption_ends_loading_and_long_lists(golden: Path, tmp_path: Path) -> None:
    search = SearchOptions(stack=300, distortion_limit=6)
    timer = threading.Timer(0.3, interrupt_main)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        timer.start()
        while True:
            decoder = Decoder(golden / "moses.ini", search=search)
            request = NbestRequest(tmp_path / "list", 10**8)
            decoder.decode(["ma porte traduit un modèle dans une machine ."] * 3, nbest=request)
    timer.join()
    assert list(tmp_path.iterdir()) == []


def test_wrong_flags_end_with_the_status_of_wrong_usage(
    in_golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for flags, status in (
        (["-foo"], 2),
        (["-threads", "0"], 2),
        (["-beam-threshold", "2"], 2),
        (["-ttable-limit", "1000000001"], 2),
        (["-start-translation-id", "-1"], 2),
        (["-i", "nothing"], 1),
    ):
        assert main(["decode", "-f", "moses.ini", *flags]) == status
        assert capsys.readouterr().err.startswith("nlmt decode: ")


def test_limits_that_moses_takes_for_none(
    in_golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ["-s", "-1", "-cbp", "-1", "-ttl", "-1", "-max-trans-opt-per-coverage", "0"]
    run(["-f", "moses.ini", "-show-weights", *limits])
    assert "LM0= " in capsys.readouterr().out
