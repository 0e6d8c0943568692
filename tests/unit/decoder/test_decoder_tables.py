"""Several phrase tables and every kind of reordering model, against values computed by hand."""

import re
from dataclasses import replace
from math import exp, log, nan
from pathlib import Path

import pytest
from decoder_models import EVERYTHING, translations

from nlmt.decoder import Decoder, NbestRequest, SearchOptions, binarise_tables
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest


def make(
    folder: Path,
    tables: list[str],
    *,
    sections: str = "",
    reordering: tuple[str, str] | None = None,
) -> Path:
    """A model without language model; each table has one score of weight 1."""
    features, weights = "", ""
    for number, lines in enumerate(tables):
        (folder / f"table{number}").write_text(lines)
        features += f"PhraseDictionaryMemory name=TM{number} path={folder}/table{number}\n"
        weights += f"TM{number}= 1\n"
    if reordering is not None:
        kind, lines = reordering
        (folder / "order").write_text(lines)
        width = len(lines.splitlines()[0].split(" ||| ")[-1].split())
        features += f"LexicalReordering name=LR0 type={kind} path={folder}/order\n"
        weights += f"LR0= {'0.1 ' * width}\n"
    (folder / "moses.ini").write_text(
        f"{sections}\n[feature]\n{features}Distortion\nUnknownWordPenalty\n"
        f"[weight]\n{weights}Distortion0= 0\nUnknownWordPenalty0= 1\n"
    )
    return folder / "moses.ini"


FIRST = "a ||| x ||| 0.5\na b ||| xy ||| 0.25\n"
SECOND = "a ||| X ||| 0.5\nb ||| Y ||| 0.5\na b c ||| XYZ ||| 0.5\nc ||| Z ||| 0.5\n"
MONOTONE = replace(EVERYTHING, distortion_limit=0)


def test_tables_are_alternatives(tmp_path: Path) -> None:
    mapping = "[mapping]\n0 T 0\n1 T 1\n"
    for sections in ("", mapping, mapping + "[decoding-graph-backoff]\n0\n0\n"):
        ini = make(tmp_path, [FIRST, SECOND], sections=sections)
        assert translations(ini, "a b c", MONOTONE) == pytest.approx(
            {"XYZ": log(0.5), "xy Z": log(0.125), "x Y Z": log(0.125), "X Y Z": log(0.125)},
            abs=1e-4,
        )


def test_a_table_of_last_resort(tmp_path: Path) -> None:
    """Back-off n: spans of up to n words for which the tables before have nothing."""
    mapping = "[mapping]\n0 TM0\n1 TM1\n[decoding-graph-backoff]\n0\n"
    expected = {"xy Z", "x Y Z"}
    ini = make(tmp_path, [FIRST, SECOND], sections=mapping + "1\n")
    assert translations(ini, "a b c", MONOTONE).keys() == expected
    ini = make(tmp_path, [FIRST, SECOND], sections=mapping + "3\n")
    assert translations(ini, "a b c", MONOTONE).keys() == expected | {"XYZ"}
    # The order of the paths counts, not that of the features.
    swapped = "[mapping]\n0 T 1\n1 T 0\n[decoding-graph-backoff]\n0\n7\n"
    ini = make(tmp_path, [FIRST, SECOND], sections=swapped)
    assert translations(ini, "a b c", MONOTONE).keys() == {"XYZ", "xy Z", "X Y Z"}


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ("[mapping]\n0 T 0\n", r"\[mapping\]: TM1 is in 0 paths"),
        ("[mapping]\n0 T 0\n0 T 1\n", "'0 T 1' is not the only step of path 1"),
        ("[mapping]\n0 T 0\n1 G 0\n", "'1 G 0' is not a step"),
        ("[mapping]\n0 T 0\n1 T 7\n", "'1 T 7' is not a step"),
        ("[mapping]\n0 T 0\n1 T 1\n[decoding-graph-backoff]\n0\n", "1 values, 2 paths"),
        ("[mapping]\n0 T 0\n1 T 1\n[decoding-graph-backoff]\n0\n-1\n", "backoff.: not negative"),
    ],
)
def test_wrong_paths(sections: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(make(tmp_path, [FIRST, SECOND], sections=sections))


def test_limits_by_table_and_for_all(tmp_path: Path) -> None:
    many = "".join(f"a ||| {word} ||| 0.{9 - i}\n" for i, word in enumerate("uvwxyz"))
    ini = make(tmp_path, [many, many.upper().replace("A |", "a |")])
    assert len(translations(ini, "a")) == 12
    text = ini.read_text()
    ini.write_text(text.replace("name=TM0", "name=TM0 table-limit=2"))
    assert "".join(sorted(translations(ini, "a"))) == "UVWXYZuv"
    ini.write_text(f"[ttable-limit]\n3\n{text}")
    assert "".join(sorted(translations(ini, "a"))) == "UVWuvw"
    narrow = SearchOptions(max_options_per_span=5)
    assert sorted(map(str.lower, translations(ini, "a", narrow))) == list("uuvvw")


def test_translations_of_a_span_are_as_many_as_in_moses(tmp_path: Path) -> None:
    ini = make(tmp_path, ["".join(f"a ||| x{number} ||| 0.5\n" for number in range(5003))])
    ini.write_text(ini.read_text().replace("name=TM0", "name=TM0 table-limit=0"))
    assert len(translations(ini, "a")) == 5000


@pytest.mark.parametrize("none", [0, -1])
def test_limits_that_moses_takes_for_none(none: int, tmp_path: Path) -> None:
    many = "".join(f"a ||| {letter}{number} ||| 0.5\n" for letter in "uvw" for number in range(20))
    ini = make(tmp_path, [many])
    text = ini.read_text()
    ini.write_text(text.replace("name=TM0", f"name=TM0 table-limit={none}"))
    everything = replace(EVERYTHING, max_options_per_span=none)
    for search in (
        everything,
        replace(everything, stack=none),
        replace(everything, cube_pruning=True, pop_limit=-1),
    ):
        assert len(translations(ini, "a", search)) == 60
    ini.write_text(f"[ttable-limit]\n{none}\n[max-phrase-length]\n-1\n{text}")
    assert len(translations(ini, "a", everything)) == 60


NOTATIONS = """
1 0 0.5 .5 5. 5.e-01 0.0196078 1.66e-05 1.66E-05 1e-3 1e-03 1e3 1.5e+00 1e+05 1e0 1e-99 1e-40 1e-46
0.123456789012345678 1234567890123456 100000001e-08 1.000000059604645 12345678e-22 1e-400 9e22 1e39
16777217 2e-1x 1e-0a 1e-/1 0x1 +1 +0.5 +-1 -0 infinity
"""


@pytest.mark.parametrize("number", NOTATIONS.split())
def test_notations_of_a_probability(number: str, tmp_path: Path) -> None:
    """As C++ reads floats, and a plus sign, as Moses does."""
    ini = make(tmp_path, [f"a ||| x ||| {number}\n"])
    try:
        value = float(number)
    except ValueError:
        value = nan
    if not value < 2**128:
        with pytest.raises(InputError, match=f"table0:1: '{re.escape(number)}' is no probability"):
            Decoder(ini)
        return
    expected = max(log(value), -100) if value else -100  # Moses' limit
    assert translations(ini, "a") == pytest.approx({"x": expected}, rel=1e-5, abs=1e-7)


def test_fields_and_scores_are_parted_at_blanks_and_tabs(tmp_path: Path) -> None:
    ini = make(tmp_path, ["a\tb\t|||\tx\ty ||| 0.5\t|||\t0-0\t1-1\na\tb ||| z ||| 0.25\n"])
    found = translations(ini, "a b")
    assert (found["x y"], found["z"]) == pytest.approx((log(0.5), log(0.25)), abs=1e-4)
    binarise_tables(tmp_path / "table0", None, tmp_path / "tables.bin")
    ini.write_text(ini.read_text().replace("/table0", "/tables.bin"))
    assert translations(ini, "a b") == found


def test_a_repeated_link_counts_once(tmp_path: Path) -> None:
    ini = make(tmp_path, ["a b ||| x y ||| 0.5 ||| 1-1 0-0 1-1 0-0\n"])
    assert Decoder(ini).decode(["a b"])[0].alignment == "0-0 1-1"


def test_what_is_left_out_of_a_table_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = (
        "a ||| x ||| 0.5 ||| 0-0 ||| 1 1 1 ||| |||\n"
        " ||| nothing ||| 0.5\n"
        "a ||| y ||| 0.5 ||| 0-0 ||| 1 1 1 ||| foo 1.5 ||| {{Tree [X]}}\n"
        "||| nothing ||| 0.5\n"
        "b ||| z ||| 0.5 ||| ||| ||| bar 1\n"
    )
    ini = make(tmp_path, [table, "a ||| v ||| 0.5 ||| 0-0 ||| 1 ||| ||| {{foo 1}}\n"])
    assert translations(ini, "a").keys() == {"x", "y", "v"}
    told = [
        f"{tmp_path}/table0: lines without a source phrase, skipped as by Moses: 2",
        f"{tmp_path}/table0:3: sparse features are not supported: those of the table are left out",
    ]
    assert caplog.messages == told
    caplog.clear()
    assert binarise_tables(tmp_path / "table0", None, tmp_path / "tables.bin").entries == 3
    assert caplog.messages[:2] == told


def test_further_columns_of_a_reordering_table_have_no_effect(tmp_path: Path) -> None:
    kind, lines = "wbe-monotonicity-backward-fe", "a ||| x ||| 0.25 0.75"
    scores = []
    for more in ("", " ||| 1 2 3", " ||| 1 2 3 ||| 5"):
        ini = make(tmp_path, ["a ||| x ||| 0.5\n"], reordering=(kind, f"{lines}\n"))
        (tmp_path / "order").write_text(f"{lines}{more}\n")
        scores.append(translations(ini, "a"))
        binarise_tables(tmp_path / "table0", tmp_path / "order", tmp_path / "tables.bin")
    assert scores[0] == scores[1] == scores[2]
    assert scores[0]["x"] != pytest.approx(log(0.5))


def probabilities(phrase: int, width: int) -> str:
    """Scores that tell where they come from: the logs are -phrase.number."""
    return " ".join(repr(exp(-phrase - number / 10)) for number in range(width))


# Type, number of scores, and what they must be for the phrases b, a, c in this order (1 stands for
# a, 2 for b, 3 for c; the tenth says which of its scores): b comes first but does not begin the
# sentence, a swaps with it, c leaves a gap of one word.
TYPES = [
    ("wbe-msd-bidirectional-fe", [0, 1.1, 2.2 + 3.2, 0, 2.4, 1.5]),
    ("phrase-msd-bidirectional-f-allff", [0, 1.1, 2.2 + 3.2, 0, 2.4, 1.5]),
    ("wbe-msd-backward-fe", [0, 1.1, 2.2 + 3.2]),
    ("wbe-msd-unidirectional-fe", [0, 1.1, 2.2 + 3.2]),
    ("phrase-msd-forward-fe", [0, 2.1, 1.2]),
    ("wbe-mslr-bidirectional-fe", [0, 1.1, 0, 2.3 + 3.3, 0, 2.5, 0, 1.7]),
    ("wbe-mslr-forward-f", [0, 2.1, 0, 1.3]),
    ("wbe-monotonicity-bidirectional-fe", [0, 2.1 + 1.1 + 3.1, 0, 2.3 + 1.3]),
    ("phrase-monotonicity-backward-f", [0, 2.1 + 1.1 + 3.1]),
    ("phrase-leftright-bidirectional-fe", [2.0 + 3.0, 1.1, 1.2, 2.3]),
    ("wbe-leftright-forward-fe", [1.0, 2.1]),
    ("wbe-msd-bidirectional-fe-collapseff", [1.1 + 2.2 + 3.2, 2.4 + 1.5]),
]


@pytest.mark.parametrize(("kind", "expected"), TYPES)
def test_every_type_of_reordering(kind: str, expected: list[float], tmp_path: Path) -> None:
    per_direction = {"msd": 3, "mslr": 4, "monotonicity": 2, "leftright": 2}[kind.split("-")[1]]
    width = per_direction * (2 if "bidirectional" in kind else 1)
    table = "a ||| x ||| 1\nb ||| y ||| 1\nc ||| z ||| 1\n"
    targets = ("x", "y", "z") if "-fe" in kind else ("", "", "")
    lines = ""
    for number, (source, target) in enumerate(zip("abc", targets, strict=True), start=1):
        key = f"{source} ||| {target} |||" if target else f"{source} |||"
        lines += f"{key} {probabilities(number, width)}\n"
    # The gap word has no translation in the tables and no reordering scores.
    ini = make(tmp_path, [table], reordering=(kind, lines))
    ini.write_text(
        ini.read_text().replace("LR0= " + "0.1 " * width, "LR0= " + "0.1 " * len(expected))
    )
    path = tmp_path / "list"
    request = NbestRequest(path, 1000, segmentation=True)
    Decoder(ini, search=EVERYTHING).decode(["a b o c"], nbest=request)
    (line,) = [line for line in path.read_text().splitlines() if " ||| y x z o  |||" in line]
    scores = line.split(" ||| ")[2].split("LR0= ")[1].split(" Distortion0=")[0]
    # o, the last, has no scores to look back with, but c looks forward to it: a swap.
    found = [-float(score) for score in scores.split()]
    if kind.split("-")[2] in ("bidirectional", "forward"):
        swap = (per_direction if "bidirectional" in kind else 0) + 1
        expected = list(expected)
        expected[-1 if "collapseff" in kind else swap] += 3 + swap / 10
    assert found == pytest.approx(expected, abs=1e-4)


def test_reordering_scores_of_a_second_table(tmp_path: Path) -> None:
    """A phrase pair has its scores whichever table offers it."""
    lines = "a ||| x ||| 0.5 0.3 0.2\nb ||| Y ||| 0.1 0.2 0.7\n"
    ini = make(
        tmp_path, ["a ||| x ||| 1\n", "b ||| Y ||| 1\n"], reordering=("wbe-msd-backward-fe", lines)
    )
    found = translations(ini, "a b")
    assert found["x Y"] == pytest.approx(0.1 * (log(0.5) + log(0.1)), abs=1e-5)
    assert found["Y x"] == pytest.approx(0.1 * (log(0.7) + log(0.3)), abs=1e-5)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_copies_of_a_phrase_pair_have_its_last_reordering_scores(
    binary: bool, tmp_path: Path
) -> None:
    """Moses finds them by the words of the pair; a later line for a pair replaces the first."""
    table = "a ||| x ||| 0.5\na ||| y ||| 1\nb ||| z ||| 1\na ||| x ||| 0.25\n"
    lines = "a ||| x ||| 0.9 0.1\nb ||| z ||| 0.5 0.5\na ||| x ||| 0.2 0.8\n"
    ini = make(tmp_path, [table], reordering=("wbe-monotonicity-backward-fe", lines))
    if binary:
        binarise_tables(tmp_path / "table0", tmp_path / "order", tmp_path / "bin")
        text = ini.read_text()
        ini.write_text(text.replace("/table0", "/bin").replace("/order", "/bin"))
    path = tmp_path / "list"
    Decoder(ini, search=EVERYTHING).decode(["a"], nbest=NbestRequest(path, 10))
    nbest = read_nbest(path)
    found = [(nbest.text(i), nbest.totals[i]) for i in range(len(nbest))]
    assert [text for text, _ in found] == ["y", "x", "x"]
    expected = [0, log(0.5) + 0.1 * log(0.2), log(0.25) + 0.1 * log(0.2)]
    assert [total for _, total in found] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("hier-msd-bidirectional-fe", "hierarchical reordering models .hier. are not supported"),
        ("wbe-msd-bidirectional-e", "unknown part 'e'"),
        ("wbe-msd-bidirectional", "not complete"),
        ("wbe-bidirectional-fe", "not complete"),
    ],
)
def test_types_that_are_not_there(kind: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(make(tmp_path, ["a ||| x ||| 1\n"], reordering=(kind, "a ||| x ||| 1\n")))
