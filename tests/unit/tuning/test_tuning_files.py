"""Moses' feature and score files, initial weights, weights.json: what is read, what is refused."""

import gzip

import pytest

from nlmt.errors import InputError
from nlmt.tuning import read_initial, read_pool

FEATURES = """\
FEATURES_TXT_BEGIN_0 0 2 3 LM0_0 TM0_0 TM0_1
-1.5 0 2e-3
-2.5 1 -0
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 2 0 3 LM0_0 TM0_0 TM0_1
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 1 1 3 LM0_0 TM0_0 TM0_1
7 8 9
FEATURES_TXT_END_0
"""
SCORES = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
9 12 5 11 2 10 0 9 12
8 12 3 11 1 10 0 9 12
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 2 0 9 BLEU
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 1 1 9 BLEU
1 1 0 0 0 0 0 0 1
SCORES_TXT_END_0
"""


@pytest.fixture
def files(tmp_path):
    def write(features=FEATURES, scores=SCORES):
        paths = tmp_path / "f.dat", tmp_path / "s.dat"
        for path, text in zip(paths, (features, scores), strict=True):
            path.write_text(text)
        return [paths[0]], [paths[1]]

    return write


def test_blocks_become_a_pool(files):
    pool = read_pool(*files())
    assert pool.sentence.tolist() == [0, 0, 1]
    assert pool.features.tolist() == [[-1.5, 0, 0.002], [-2.5, 1, 0], [7, 8, 9]]
    assert pool.statistics[0].tolist() == [9, 12, 5, 11, 2, 10, 0, 9, 12]
    assert pool.names == [("LM0", 1), ("TM0", 2)]


def test_blank_lines_between_blocks_are_no_fault(files):
    pool = read_pool(*files(features=FEATURES.replace("END_0\n", "END_0\r\n \n\n")))
    assert pool.features[-1].tolist() == [7, 8, 9]


def test_runs_merge_and_the_first_of_equals_stays(files, tmp_path):
    (first,), (scores,) = files()
    second = tmp_path / "f2.dat.gz"
    with gzip.open(second, "wt") as stream:
        stream.write(FEATURES.replace("7 8 9", "7 8 10"))
    pool = read_pool([first, second], [scores, scores])
    assert pool.sentence.tolist() == [0, 0, 1, 1]
    assert pool.features[:, 2].tolist() == [0.002, 0, 9, 10]


@pytest.mark.parametrize(
    ("before", "after", "line", "what"),
    [
        ("-2.5 1 -0", "-2.5 nan -0", 3, "'nan' is not a finite number"),
        ("-2.5 1 -0", "-2.5 1e999 -0", 3, "'1e999'"),
        ("-2.5 1 -0", "-2.5 -1e30 -0", 3, "'-1e30' is not a finite number below 1e30"),
        ("-2.5 1 -0", "-2.5 1", 3, "expected 3 numbers, found 2"),
        ("-2.5 1 -0", "-2.5 1 x", 3, "expected 3 numbers, found 'x'"),
        ("-2.5 1 -0", "-2.5 1 0 4", 3, "and no more, found '4'"),
        ("-2.5 1 -0\n", "", 3, "found 'FEATURES_TXT_END_0'"),
        ("7 8 9\nFEATURES_TXT_END_0\n", "", 8, "ends within a block"),
        ("0 2 3 LM0_0", "0 two 3 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "zero 2 3 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "0 2 x LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "-1 2 3 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "2147483648 2 3 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "0 -2 3 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "0 2 0 LM0_0", 1, "sentence's number, rows and columns"),
        ("0 2 3 LM0_0", "0 2 2147483648 LM0_0", 1, "sentence's number, rows and columns"),
        ("1 1 3 LM0_0 TM0_0", "1 1 3 LM0_0 TM1_0", 7, "other columns"),
        ("1 1 3 LM0_0 TM0_0", "1 1 2 LM0_0 TM0_0", 7, "other columns"),
        ("7 8 9\nFEATURES_TXT_END_0", "7 8 9\nFEATURES_END", 9, "FEATURES_TXT_END_0 after 1 rows"),
        ("7 8 9\nFEATURES_TXT_END_0\n", "7 8 9\n", 8, "FEATURES_TXT_END_0 after 1 rows"),
        ("FEATURES_TXT_BEGIN_0 0", "0 ||| a", 1, "expected FEATURES_TXT_BEGIN_0, found '0'"),
        ("FEATURES_TXT_BEGIN_0 0", "FEATURES_BIN_BEGIN_0 0", 1, "binary"),
        ("LM0_0 TM0_0 TM0_1", "LM0_0 TM0_0", 1, "2 names for 3 features"),
        ("LM0_0 TM0_0 TM0_1", "TM0_0 LM0_0 TM0_1", 1, "names of one feature with others"),
    ],
)
def test_a_bad_feature_file_names_the_line(files, before, after, line, what):
    count = -1 if "names" in what else 1
    with pytest.raises(InputError, match=r"f\.dat") as caught:
        read_pool(*files(features=FEATURES.replace(before, after, count)))
    assert f"f.dat:{line}: " in str(caught.value)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "where", "what"),
    [
        ("BEGIN_0 1 1 9", "BEGIN_0 3 1 9", ":7", "block 2 has another sentence"),
        ("SCORES_TXT_BEGIN_0 2 0 9 BLEU\nSCORES_TXT_END_0\n", "", ":5", "block 1"),
        ("1 1 0 0 0 0 0 0 1", "1 1 0 0 0 0 0 0 0.5", ":8", "not nine counts"),
        ("8 12 3", "8 -12 3", ":3", "not nine counts"),
        ("BLEU", "TER", "", "only BLEU"),
    ],
)
def test_a_bad_score_file_names_the_line(files, before, after, where, what):
    with pytest.raises(InputError) as caught:
        read_pool(*files(scores=SCORES.replace(before, after)))
    assert f"s.dat{where}: " in str(caught.value)
    assert what in str(caught.value)


def test_missing_and_truncated_files(files, tmp_path):
    (features,), scores = files()
    with pytest.raises(InputError, match="no such file"):
        read_pool([tmp_path / "none"], scores)
    with pytest.raises(InputError, match="2 feature files and 1 score files"):
        read_pool([features, features], scores)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(features.read_bytes())[:-12])
    with pytest.raises(InputError, match="truncated gzip"):
        read_pool([cut], scores)


def test_a_binary_file_is_named(files, tmp_path):
    _, scores = files()
    path = tmp_path / "f.bin"
    path.write_bytes(b"FEATURES_BIN_BEGIN_0 0 1 1 LM0_0\n\x9a\x99\x99\xbe\n")
    with pytest.raises(InputError, match=r"f.bin:1: a binary file; write it as text"):
        read_pool([path], scores)


def test_initial_weights(tmp_path):
    path = tmp_path / "init.opt"
    path.write_text("0.1 -0.2\n0 -1\n1 1\n\n")
    assert [row.tolist() for row in read_initial(path)] == [[0.1, -0.2], [0, -1], [1, 1]]
    path.write_text("0.1 -0.2\n")
    assert [row.tolist() for row in read_initial(path)] == [[0.1, -0.2], [0, 0], [1, 1]]
    for text, what in (
        ("0.1 x\n", ":1: 'x' is no number"),
        ("0.1 0_5\n", ":1: '0_5' is no number"),
        ("0.1 1\n0\n1 1\n", ":2: 1 values, but 2 weights"),
        ("0.1 nan\n", ":1: 'nan' is no number"),
        ("1\n1\n", "2 lines of numbers"),
        ("", "0 lines of numbers"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=what):
            read_initial(path)
