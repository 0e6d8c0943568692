"""Reading and writing moses.ini."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.moses_ini import Feature, MosesIni, make_features, movable, read_ini, write_ini

GOLDEN = Path(__file__).parents[2] / "golden" / "moses.ini"


def test_reads_the_golden_file() -> None:
    ini = read_ini(GOLDEN)
    assert ini.sections == {"input-factors": ["0"], "mapping": ["0 T 0"], "distortion-limit": ["6"]}
    assert [feature.label for feature in ini.features] == list(ini.weights)
    assert ini.feature("LM0").kind == "KENLM"
    assert ini.feature("LM0").arguments["path"] == "model/lm.arpa.gz"
    assert ini.feature("Distortion0").arguments == {}
    assert ini.weights["LexicalReordering0"] == [0.3] * 6
    with pytest.raises(KeyError):
        ini.feature("LM1")


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    weights = {"LM0": [1 / 3], "TranslationModel0": [1e-7, -2.5, 3.0, 0.1]}
    ini = read_ini(GOLDEN).with_weights(weights)
    write_ini(tmp_path / "moses.ini", ini)
    assert read_ini(tmp_path / "moses.ini") == ini
    assert ini.weights["LM0"] == [1 / 3]
    assert "UnknownWordPenalty0= 1\n" in (tmp_path / "moses.ini").read_text()


def test_weights_must_fit() -> None:
    ini = read_ini(GOLDEN)
    with pytest.raises(InputError, match=r"weights for LM1, but no such feature .*LM0"):
        ini.with_weights({"LM1": [1.0]})
    with pytest.raises(InputError, match="TranslationModel0 has 4 weights, not 1"):
        ini.with_weights({"TranslationModel0": [1.0]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("6\n", "ini:1: '6' comes before any"),
        ("[feature]\n\nKENLM path\n", "ini:3: 'path' in the feature KENLM is not key=value"),
        ("# a comment\n[weight]\nLM0 0.5\n", "ini:3: 'LM0 0.5' is not a weight"),
        ("[weight]\nLM0= much\n", "ini:2: 'LM0= much' is not a weight"),
        *(
            (f"[weight]\nLM0= {value}\n", f"ini:2: 'LM0= {value}' is not a weight")
            for value in ("0_5", "٣", "nan")
        ),
        ("[weight-l]\nabc\n[lmodel-file]\n8 0 3 x\n", r"\[weight-l\]: 'abc' is no number"),
        ("[mapping]\n0 T 0\n[weight\n", r"ini:3: '\[weight' has no \]"),
        ("[weight-w]\n-1\n[weight]\nLM0= 1\n", r"\[weight-w\] is of the form of before 2013"),
        ("[weight-w]\n-1\n[ttable-file]\n0 0 0 4 t\n", r"\[weight-t\] has too few weights"),
        ("[weight-w]\n-1\n[ttable-file]\n0 0 4 t\n", r"'0 0 4 t' is not KIND FACTORS"),
        ("[weight-w]\n-1\n[ttable-file]\n7 0 0 4 t\n", r"\[ttable-file\]: no kind 7"),
        ("[weight-w]\n-1\n0.5\n", r"\[weight-w\] has 2 weights, not 1"),
        (
            "[ttable-file]\n" + 3 * "0 0 0 1 t\n" + "[ttable-limit]\n20\n10\n[weight-t]\n1\n2\n3\n",
            r"\[ttable-limit\] has 2 limits, for 3 tables",
        ),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ini"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_ini(path)


def test_only_blanks_and_tabs_part_settings(tmp_path: Path) -> None:
    path = tmp_path / "moses.ini"
    path.write_text("[feature]\nKENLM\tname=LM0  path=a\u00a0b\u3000\n", encoding="utf-8")
    assert read_ini(path).feature("LM0").arguments["path"] == "a\u00a0b\u3000"


def test_an_old_file_without_a_word_penalty(tmp_path: Path) -> None:
    path = tmp_path / "moses.ini"
    path.write_text("[ttable-file]\n0 0 0 1 t\n[weight-t]\n0.3\n")
    weights = read_ini(path).weights
    assert (weights["WordPenalty0"], weights["PhraseDictionaryMemory0"]) == ([1], [0.3])


def test_comments_and_names_as_in_moses(tmp_path: Path) -> None:
    path = tmp_path / "moses.ini"
    path.write_text(
        "# moses\n[mapping] of one table\n  0 T 0 # the table\n\t[feature] # all\n"
        "KENLM name=LM7 path=a\t# the first\nKENLM path=b\nKENLM path=c#d\n"
        "[weight]# tuned\nLM7= 0.5 # much\nKENLM0= 1\n#KENLM0= 7\nKENLM1= 2\n",
        encoding="utf-8",
    )
    ini = read_ini(path)
    assert ini.sections == {"mapping": ["0 T 0"]}
    # Features without a name are numbered among themselves.
    assert [(f.label, f.arguments["path"]) for f in ini.features] == [
        ("LM7", "a"),
        ("KENLM0", "b"),
        ("KENLM1", "c"),
    ]
    assert ini.weights == {"LM7": [0.5], "KENLM0": [1], "KENLM1": [2]}


def test_what_would_read_back_as_a_comment_is_not_written(tmp_path: Path) -> None:
    ini = MosesIni({}, make_features(["KENLM name=LM0 path=/home/c#/lm"]), {"LM0": [1]})
    with pytest.raises(
        InputError, match=r"# in the feature LM0 .*c#/lm .rename the file or folder"
    ):
        write_ini(tmp_path / "moses.ini", ini)


def test_what_would_read_back_as_two_settings_is_not_written(tmp_path: Path) -> None:
    features = [Feature("KENLM", "LM0", {"path": "/home/my model/lm"})]
    with pytest.raises(InputError, match=r"a blank in the feature LM0 .*my model/lm .rename the"):
        write_ini(tmp_path / "moses.ini", MosesIni({}, features, {"LM0": [1]}))


def test_only_paths_that_are_beside_the_file_alone_are_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, beside = tmp_path / "here", tmp_path / "beside"
    for path in (beside / "lm", beside / "table.gz", beside / "both", beside / "packed"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    here.mkdir()
    for name in ("both", "packed.gz"):
        (here / name).touch()
    monkeypatch.chdir(here)
    names = ("lm", "table", "both", "packed", "none")
    features = make_features([f"KENLM path={name} cache={name} order={name}" for name in names])
    moved = movable(MosesIni({}, features, {}), "../beside/moses.ini").features
    expected = [str(beside / "lm"), str(beside / "table"), "both", "packed", "none"]
    for key in ("path", "cache"):
        assert [feature.arguments[key] for feature in moved] == expected
    assert [feature.arguments["order"] for feature in moved] == list(names)


def test_the_form_of_before_2013(tmp_path: Path) -> None:
    path = tmp_path / "moses.ini"
    path.write_text(
        "[input-factors]\n0\n[mapping]\n0 T 0\n1 T 1\n[ttable-limit]\n20\n10\n"
        "[ttable-file]\n0 0 0 2 one\n6 0 0 1 two\n[lmodel-file]\n8 0 3 lm.bin\n0 0 2 lm.arpa\n"
        "[distortion-file]\n0-0 wbe-msd-backward-fe-allff 3 order\n[weight-d]\n0.1\n0.2\n0.3\n0.4\n"
        "[weight-l]\n0.5\n0.6\n[weight-t]\n1\n2\n3\n[weight-w]\n-1\n[weight-p]\n0.7\n"
    )
    ini = read_ini(path)
    assert ini.sections == {"input-factors": ["0"], "mapping": ["0 T 0", "1 T 1"]}
    factors = "input-factor=0 output-factor=0"
    table = "PhraseDictionaryMemory num-features"
    found = [(feature.line(), ini.weights[feature.label]) for feature in ini.features]
    expected = {  # in Moses' order
        "KENLM factor=0 order=3 path=lm.bin": [0.5],
        "SRILM factor=0 order=2 path=lm.arpa": [0.6],
        "Distortion": [0.1],
        f"LexicalReordering type=wbe-msd-backward-fe-allff num-features=3 path=order {factors}": [
            0.2,
            0.3,
            0.4,
        ],
        "PhrasePenalty": [0.7],
        "WordPenalty": [-1],
        "UnknownWordPenalty": [1],
        f"{table}=2 path=one table-limit=20 {factors}": [1, 2],
        f"{table}=1 path=two table-limit=10 {factors}": [3],
    }
    assert found == list(expected.items())
    write_ini(tmp_path / "new.ini", ini)
    assert read_ini(tmp_path / "new.ini") == ini
