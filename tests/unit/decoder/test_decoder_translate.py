"""The library's face and the command `nlmt decode`."""

import gzip
import io
import random
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from decoder_models import write_with_lm

from nlmt.cli import run_command
from nlmt.decoder import Decoder, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.steps import open_steps

run = partial(run_command, "decode")

pytestmark = pytest.mark.threads

CUBE = SearchOptions(cube_pruning=True, pop_limit=200, stack=100, distortion_limit=6)


def test_translating_is_a_step_that_counts(
    golden_decoder: Decoder, golden_source: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlmt.decoder.decoder._BATCH", 3)
    lines = golden_source[:5]
    shown = []
    for _ in golden_decoder.translate(lines):
        (one,) = open_steps()
        shown.append((one.name, one.done, one.total))
    assert shown == [("translate", 3, 5)] * 3 + [("translate", 5, 5)] * 2
    assert open_steps() == ()


def test_any_text_is_translated(golden_decoder: Decoder) -> None:
    golden_decoder.search = CUBE
    rng = random.Random(1)  # noqa: S311
    known = ["le", "chien", "ne", "cherche", "pas", "cette", "lettre", "."]
    lines = ["", "  ", "unbekannt", "unbekannt\n", "\u2028 \u00e9t\u00e9 \U0001f600", "le\tchien\r"]
    lines += [" ".join(rng.choices([*known, "neu", "7"], k=rng.randint(1, 40))) for _ in range(50)]
    lines.append(" ".join(rng.choices(known, k=300)))
    translations = golden_decoder.decode(lines)
    assert len(translations) == len(lines)
    assert translations[0].text == translations[1].text == ""
    assert translations[2].text == translations[3].text == "unbekannt"
    assert len(translations[-1].text.split()) > 200
    assert golden_decoder.decode(["unbekannt \f neu\r7 \r"])[0].text == "unbekannt \f neu\r7"
    golden_decoder.search = SearchOptions(stack=20, distortion_limit=6, drop_unknown=True)
    assert golden_decoder.decode(["unbekannt 7"])[0].text == "7"


def test_a_wider_search_is_no_worse(golden_decoder: Decoder, golden_source: list[str]) -> None:
    totals = []
    for pops in (10, 100, 1000):
        golden_decoder.search = SearchOptions(
            cube_pruning=True, pop_limit=pops, stack=pops, distortion_limit=6
        )
        totals.append(sum(best.score for best in golden_decoder.decode(golden_source)))
    assert totals == sorted(totals)


def test_binary_models_score_alike(golden: Path, golden_source: list[str], tmp_path: Path) -> None:
    build_binary = Path(sys.executable).with_name("build_binary")
    if not build_binary.exists():
        pytest.skip("KenLM's tools are not set up")
    arpa = tmp_path / "lm.arpa"
    arpa.write_bytes(gzip.decompress((golden / "model" / "lm.arpa.gz").read_bytes()))
    scores = []
    for kind in ("arpa", "trie", "probing"):
        model = tmp_path / f"lm.{kind}"
        if kind != "arpa":
            subprocess.run([build_binary, kind, arpa, model], check=True, capture_output=True)
        decoder = Decoder(write_with_lm(tmp_path, golden, model), search=CUBE)
        scores.append([best.score for best in decoder.decode(golden_source)])
    assert scores[1] == pytest.approx(scores[0])
    assert scores[2] == pytest.approx(scores[0])


def test_the_command_prints_what_moses_prints(
    in_golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["-f", "moses.ini", "-i", "test.fr", "-threads", "2", "-s", "100", "-n-best-list"]
    columns = ["-include-segmentation-in-n-best", "--print-alignment-info-in-n-best"]
    side = ["-alignment-output-file", str(tmp_path / "aligned")]
    nbest = tmp_path / "list.gz"
    assert run([*flags, str(nbest), "100", "distinct", *columns, *side]) == 0
    assert capsys.readouterr().out == (in_golden / "output" / "stack100.out").read_text()
    first, *_ = read_lines(nbest)
    moses, *_ = read_lines(in_golden / "output" / "stack100.nbest.gz")
    assert first == moses
    aligned, *_ = read_lines(tmp_path / "aligned")
    assert aligned == first.split(" ||| ")[-1]


def test_flags_replace_the_configuration(
    in_golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = io.BytesIO((in_golden / "moses.ini").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
    run(["-f", "-", "-show-weights", "-weight-overwrite", "LM0= 0.25 Distortion0= 1"])
    shown = capsys.readouterr().out.splitlines()
    assert shown[1:3] == ["Distortion0= 1.000000 ", "LM0= 0.250000 "]
    assert shown[-1] == "UnknownWordPenalty0 UNTUNEABLE"
    run(["-f", "moses.ini", "-i", "test5.fr", "-t", "-dl", "0"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "my door |0-1| translates a model |2-4| in |5-5| a machine . |6-8| "


def test_features_that_are_not_tuneable(
    in_golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Moses leaves them out of lists, whose totals count them, but not out of search graphs."""
    whole = (in_golden / "moses.ini").read_text()
    inis = {"whole": whole, "some": whole.replace("name=LM0", "name=LM0 tuneable=false")}
    for name, text in inis.items():
        (tmp_path / name).write_text(text)
        flags = [
            "-f",
            str(tmp_path / name),
            "-i",
            "test5.fr",
            "-n-best-list",
            str(tmp_path / "list"),
        ]
        run([*flags, "20", "-output-search-graph-extended", str(tmp_path / f"{name}.graph")])
        (tmp_path / "list").rename(tmp_path / f"{name}.list")
    score = re.compile(r" LM0= \S+")
    lists = [(tmp_path / f"{name}.list").read_text() for name in inis]
    assert score.search(lists[0])
    assert score.sub("", lists[0]) == lists[1]
    assert (tmp_path / "whole.graph").read_bytes() == (tmp_path / "some.graph").read_bytes()
    capsys.readouterr()
    run(["-f", str(tmp_path / "some"), "-show-weights"])
    shown = capsys.readouterr().out.splitlines()
    assert "LM0 UNTUNEABLE" in shown
    assert not any(line.startswith("LM0=") for line in shown)


def test_values_that_are_not_tuneable(
    in_golden: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Lists lack them, as Moses', and have the penalty of unknown words with `tuneable=true`.

    `x` keeps a weight, as mert-moses.pl writes it for those that are not tuned.
    """
    whole = (in_golden / "moses.ini").read_text()
    some = whole.replace("num-features=4", "num-features=4 tuneable-components=1,0,no,true")
    some = some.replace("UnknownWordPenalty\n", "UnknownWordPenalty tuneable=true\n")
    (tmp_path / "text").write_text("le xyzzy machine\nma porte\n")
    lists = {}
    for name, text in {"whole": whole, "some": some}.items():
        (tmp_path / name).write_text(text)
        flags = ["-f", str(tmp_path / name), "-i", str(tmp_path / "text")]
        caplog.clear()
        lattices = ["-output-lattice", str(tmp_path / "lattices")]
        assert run([*flags, *lattices, "-n-best-list", str(tmp_path / "list"), "20"]) == 0
        warned = "TranslationModel0: not all of its values are tuneable" in caplog.text
        assert warned == (name == "some")
        lists[name] = (tmp_path / "list").read_text()
    scores = re.compile(r"(TranslationModel0= \S+) \S+ \S+( \S+)")
    assert scores.search(lists["whole"])
    unknown = re.compile(r" UnknownWordPenalty0= (\S+)")
    assert set(unknown.findall(lists["some"])) == {"-100", "0"}
    assert unknown.sub("", lists["some"]) == scores.sub(r"\1\2", lists["whole"])
    capsys.readouterr()
    overwritten = ["-weight-overwrite", "TranslationModel0= 0.5 x x 0.25"]
    run(["-f", str(tmp_path / "some"), "-show-weights", *overwritten])
    shown = capsys.readouterr().out.splitlines()
    untuned = "UNTUNEABLECOMPONENT UNTUNEABLECOMPONENT"
    assert f"TranslationModel0= 0.500000 {untuned} 0.250000 " in shown
    assert "UnknownWordPenalty0= 1.000000 " in shown
    run(["-f", str(tmp_path / "whole"), "-show-weights", *overwritten])
    assert "TranslationModel0= 0.500000 0.200000 0.200000 0.250000 " in capsys.readouterr().out
    with pytest.raises(InputError, match="LM0 has no weight 2 that x could keep"):
        run(["-f", str(tmp_path / "some"), "-show-weights", "-weight-overwrite", "LM0= 1 x"])


def test_a_link_is_written_to_and_not_replaced(
    in_golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "target").touch()
    link = tmp_path / "link"
    link.symlink_to("target")
    run(["-f", "moses.ini", "-i", "test5.fr", "-n-best-list", str(link), "1"])
    assert link.is_symlink()
    assert len((tmp_path / "target").read_text().splitlines()) == 5
