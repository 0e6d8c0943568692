"""Moses n-best lists: against a plain Python parser, Moses' own lists, and broken files."""

import gzip
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbest_lists import blocks_of

from nlmt.errors import InputError
from nlmt.io import _nbest
from nlmt.io.nbest import (
    NbestList,
    add_features,
    flatten_weights,
    iter_nbest,
    read_feature_names,
    read_nbest,
    weighted_totals,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "output"
LISTS = sorted(GOLDEN.glob("*.nbest.gz"))
GOLDEN_NAMES = [
    ("LexicalReordering0", 6),
    ("Distortion0", 1),
    ("LM0", 1),
    ("WordPenalty0", 1),
    ("PhrasePenalty0", 1),
    ("TranslationModel0", 4),
]
LINE = "0 ||| a b  ||| LM0= -1.5 TM0= -2 -3 ||| -0.5"


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_moses_lists_read_as_the_plain_parser_reads_them(path: Path) -> None:
    nbest = read_nbest(path, keep_alignments=True)
    assert nbest.feature_names == read_feature_names(path) == GOLDEN_NAMES
    assert_equals_oracle(nbest, gzip.decompress(path.read_bytes()).decode())


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_feature_is_added_and_the_rest_stays(path: Path, tmp_path: Path) -> None:
    original = gzip.decompress(path.read_bytes())
    values = np.linspace(-90, 3, original.count(b"\n"))
    more = tmp_path / "more.gz"
    assert add_features(path, more, {"NLM0": values}) == len(values)
    added = read_nbest(more)
    assert added.feature_names == [*GOLDEN_NAMES, ("NLM0", 1)]
    np.testing.assert_allclose(added.features[:, -1], values, rtol=1e-5)
    content = gzip.decompress(more.read_bytes())
    for line in content.splitlines()[:20]:
        assert re.search(rb"[.\w]  \|\|\| Lex.* -?[.\d]+ NLM0= -?[.\d]+ \|\|\| ", line)
    assert re.sub(rb" NLM0= [^ ]+", b"", content) == original


def test_moses_totals_come_out_of_its_weights(tmp_path: Path) -> None:
    weights = {
        "LexicalReordering0": [0.3] * 6,
        "Distortion0": [0.3],
        "LM0": [0.5],
        "WordPenalty0": [-1.0],
        "PhrasePenalty0": [0.2],
        "TranslationModel0": [0.2] * 4,
        "UnknownWordPenalty0": [1.0],
    }
    path = GOLDEN / "stack2000.nbest.gz"
    nbest = read_nbest(path)
    computed = weighted_totals(nbest, weights)
    flat = flatten_weights(nbest.feature_names, weights)
    np.testing.assert_allclose(nbest.features @ flat, computed, rtol=1e-12)
    np.testing.assert_allclose(computed, nbest.totals, atol=2e-4)
    new = tmp_path / "new"
    add_features(path, new, {}, weights=weights)
    np.testing.assert_allclose(read_nbest(new).totals, computed, rtol=1e-5)


def test_columns_are_stated_by_hand(tmp_path: Path) -> None:
    path = write(
        tmp_path / "list", LINE, "2 ||| b b c  ||| LM0= -4 TM0= 0 +1e-3 ||| 7 ||| 0-0 ||| "
    )
    nbest = read_nbest(path, keep_alignments=True)
    assert nbest.words == ["a", "b", "c"]
    assert nbest.ids.tolist() == [0, 1, 1, 1, 2]
    assert nbest.offsets.tolist() == [0, 2, 5]
    assert nbest.features.tolist() == [[-1.5, -2, -3], [-4, 0, 0.001]]
    assert nbest.feature_names == [("LM0", 1), ("TM0", 2)]
    assert nbest.sentence_starts().tolist() == [0, 1, 2]
    assert nbest.alignment(1) == "0-0 |||"
    assert nbest.ids.dtype == nbest.sentence.dtype == np.int32
    assert nbest.offsets.dtype == np.int64
    assert read_nbest(path).alignments is None


def test_lines_keep_their_order(tmp_path: Path) -> None:
    path = write(tmp_path / "list", LINE, LINE.replace("-0.5", "7"))
    add_features(path, tmp_path / "new", {})
    assert (tmp_path / "new").read_bytes() == path.read_bytes()


def test_old_labels_are_read_and_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "list", "0 ||| a ||| d: 0 lm: -1.5 tm: -2 -3 w: -1 ||| -0.5")
    new = tmp_path / "new"
    add_features(path, new, {"NLM0": [-2.25]})
    assert new.read_text() == "0 ||| a ||| d: 0 lm: -1.5 tm: -2 -3 w: -1 NLM0: -2.25 ||| -0.5\n"
    assert read_nbest(new).feature_names[-2:] == [("w", 1), ("NLM0", 1)]
    add_features(path, new, {}, weights={"d": [1], "lm": [2], "tm": [1, 0], "w": [0]})
    assert new.read_text() == "0 ||| a ||| d: 0 lm: -1.5 tm: -2 -3 w: -1 ||| -5\n"


def test_marians_columns_before_the_features(tmp_path: Path) -> None:
    """A word alignment, as links or as probabilities, and scores of words."""
    for columns, rest in (
        ("0-0 1-1 |||", "0-0 1-1"),
        ("0.5,0.25 1,0 |||", "0.5,0.25 1,0"),
        ("WordScores= -1 -2 |||", ""),
        ("0-0 ||| WordScores= -1 -2 |||", "0-0"),
        ("|||", ""),
    ):
        path = write(tmp_path / "list", f"0 ||| a b ||| {columns} F0= -1 ||| -0.5\r")
        nbest = read_nbest(path, keep_alignments=True)
        assert (nbest.feature_names, nbest.totals.tolist()) == ([("F0", 1)], [-0.5])
        assert nbest.alignment(0) == rest
    for columns, message in (
        ("0-0 x ||| F0= -1 |||", "features without a label: '0-0 x'"),
        ("0-0 ||| F0= -1", "features without a label: '0-0'"),
        ("0-0 |||", "features without a label: '0-0'"),
        ("WordScores= -1 ||| F0= -1", "'F0= -1 -0.5' is no number"),
        ("WordScores= -1 ||| x |||", "'x' is no number"),
    ):
        with pytest.raises(InputError, match=f"list:1: {message}"):
            read_nbest(write(path, f"0 ||| a b ||| {columns} -0.5"))


def test_labels_of_features(tmp_path: Path) -> None:
    path = write(tmp_path / "list", "0 ||| a ||| Zz_09= 1 aA= 2 LM-a.b= 3 ||| 4")
    assert read_nbest(path).feature_names == [("Zz_09", 1), ("aA", 1), ("LM-a.b", 1)]
    add_features(path, tmp_path / "new", {"LM-a.b": [5], "NLM.0": [6]})
    assert "LM-a.b= 5 NLM.0= 6 |||" in (tmp_path / "new").read_text()
    for label in ("-a=", "0a=", "a,b=", "=", "é="):
        with pytest.raises(InputError, match=f"list:1: '{label}' is no feature label"):
            read_nbest(write(path, f"0 ||| a ||| {label} 1 ||| 2"))


def test_a_total_that_is_too_large(tmp_path: Path) -> None:
    path = write(tmp_path / "list", "0 ||| a ||| F= 1e300 ||| 3")
    with pytest.raises(InputError, match="list:1: the new total is not a finite number"):
        add_features(path, tmp_path / "new", {}, weights={"F": [1e9]})


def test_a_label_of_the_list_is_replaced_in_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "list", LINE)
    new = tmp_path / "new"
    add_features(path, new, {"LM0": [-9], "NEW": [[1, 2]]})
    assert new.read_text() == "0 ||| a b  ||| LM0= -9 TM0= -2 -3 NEW= 1 2 ||| -0.5\n"
    add_features(path, new, {"LM0": [-9]}, weights={"LM0": [2], "TM0": [0, 0]})
    assert new.read_text() == "0 ||| a b  ||| LM0= -9 TM0= -2 -3 ||| -18\n"
    with pytest.raises(InputError, match="list:1: the list's TM0 has 2 values, the new one 1"):
        add_features(path, new, {"TM0": [1]})


def test_totals_are_those_of_the_scores_as_written(tmp_path: Path) -> None:
    path, new = write(tmp_path / "list", LINE), tmp_path / "new"
    weights = {"LM0": [0.0], "TM0": [0.0, 0.0], "NLM0": [1000.0]}
    add_features(path, new, {"NLM0": [-1.23456789]}, weights=weights)
    assert new.read_text().endswith("NLM0= -1.23457 ||| -1234.57\n")


def test_sorting_is_stable_and_within_a_sentence(tmp_path: Path) -> None:
    lines = [
        f"{s} ||| {word} ||| F= {f} ||| 0"
        for s, word, f in [
            (0, "a", 1),
            (0, "b", 3),
            (0, "c", 1),
            (0, "d", 3),
            (1, "e", 0),
            (1, "f", 9),
        ]
    ]
    path = tmp_path / "list"
    path.write_text("\n".join(lines))  # the last line lacks its newline
    new = tmp_path / "new"
    add_features(path, new, {}, weights={"F": [2.0]}, sort=True)
    assert [line.split()[2] for line in new.read_text().splitlines()] == list("bdacfe")
    assert read_nbest(new).totals.tolist() == [6, 6, 2, 2, 18, 0]
    for size, kept in ((1, "bf"), (3, "bdafe"), (4, "bdacfe"), (9, "bdacfe")):
        assert add_features(path, new, {}, weights={"F": [2.0]}, sort=True, size=size) == 6
        assert [line.split()[2] for line in new.read_text().splitlines()] == list(kept)
    for sort, size in ((True, 0), (False, 1)):
        with pytest.raises(ValueError, match="size"):
            add_features(path, new, {}, sort=sort, size=size)


def test_the_first_lines_of_each_sentence(tmp_path: Path) -> None:
    lines = [f"{s} ||| {word} ||| F= 1 ||| {t}" for s, word, t in ((0, "a", 1), (0, "b", 3))]
    path = write(tmp_path / "list", *lines, "2 ||| c ||| F= 1 ||| 0", "2 ||| d ||| F= 1 ||| 5")
    new = tmp_path / "new"
    for first, sort, kept in ((1, False, "ac"), (1, True, "ac"), (2, True, "badc")):
        scores = np.arange(len(kept), dtype=float)
        assert add_features(path, new, {"N": scores}, first=first, sort=sort) == len(kept)
        assert [line.split()[2] for line in new.read_text().splitlines()] == list(kept)
    with pytest.raises(InputError, match="more hypotheses than new scores"):
        add_features(path, new, {"N": [1.0]}, first=1)
    path.write_text(path.read_text() + "1 ||| e ||| F= 1 ||| 0\n")
    with pytest.raises(InputError, match="list:5: sentence 1 after sentence 2"):
        add_features(path, new, {}, first=1)


def test_a_line_without_words_and_an_empty_file(tmp_path: Path) -> None:
    path = write(tmp_path / "list", "0 |||  ||| LM0= -1 ||| -1", "3 ||| ||| LM0= -1 ||| -1 |||")
    nbest = read_nbest(path, keep_alignments=True)
    assert nbest.offsets.tolist() == [0, 0, 0]
    assert nbest.alignment(1) == ""
    empty = write(tmp_path / "empty")
    assert len(read_nbest(empty)) == 0
    assert read_nbest(empty, keep_alignments=True).sentence_starts().tolist() == [0]
    assert list(iter_nbest(empty)) == []
    assert add_features(empty, tmp_path / "new", {"NLM0": []}) == 0
    assert (tmp_path / "new").read_bytes() == b""


def test_bars_inside_a_word_are_no_separator(tmp_path: Path) -> None:
    path = write(tmp_path / "list", "0 ||| a|||b |||| |  ||| F= 1 ||| 2")
    assert read_nbest(path).text(0) == "a|||b |||| |"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "malformed n-best line: 1 of at least 4 columns"),
        ("0 ||| a b", "2 of at least 4 columns"),
        ("0 ||| a ||| b ||| LM0= 1 TM0= 1 2 ||| 3", "features without a label: 'b'"),
        ("x ||| a ||| LM0= 1 TM0= 1 2 ||| 3", "'x' is no sentence number"),
        ("-1 ||| a ||| LM0= 1 TM0= 1 2 ||| 3", "'-1' is no sentence number"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2 ||| ", "'' is no number"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2 ||| 3 4", "'3 4' is no number"),
        ("0 ||| a ||| LM0= nan TM0= 1 2 ||| 3", "'nan' is not a finite score"),
        ("0 ||| a ||| LM0= 1 TM0= 1 -inf ||| 3", "'-inf' is not a finite score"),
        ("0 ||| a ||| LM0= 1 TM0= 1 1e999 ||| 3", "'1e999' is not a finite score"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2x ||| 3", "'2x' is no number"),
        ("0 ||| a ||| LM0= 1 TM0= 1 +-2 ||| 3", r"'\+-2' is no number"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2 ||| NaN", "'NaN' is not a finite score"),
        ("0 ||| a ||| LM0= 1 TM0= 1 ||| 3", "differ .*: LM0=1 TM0=1 against LM0=1 TM0=2"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2 3 ||| 3", "differ"),
        ("0 ||| a ||| LM0= 1 TM0= 1 2 X= 1 ||| 3", "differ"),
        ("0 ||| a ||| TM0= 1 2 LM0= 1 ||| 3", "differ"),
        ("0 ||| a ||| LM0= 1 TM1= 1 2 ||| 3", "differ"),
        ("0 ||| a ||| LM0= TM0= 1 2 ||| 3", "'LM0' has no value"),
        ("0 ||| a ||| LM0= 1 WT_a~b= 1 ||| 3", "sparse features are not supported: 'WT_a~b='"),
        ("0 ||| a ||| ||| 3", "no features"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "list", LINE, line)
    with pytest.raises(InputError, match=rf"list:2: .*{message}"):
        read_nbest(path)
    with pytest.raises(InputError, match="list:2: "):
        add_features(path, tmp_path / "new", {"NLM0": [1, 2]})
    assert not (tmp_path / "new").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["list"]


@pytest.mark.parametrize(
    "features",
    ["-1 -2", "LM0= 1 LM0= 2", "9= 1", "<s>= 1", "a{= 1", "[a= 1", "a/= 1", "LM0= x", "="],
)
def test_a_broken_first_line_is_named(tmp_path: Path, features: str) -> None:
    with pytest.raises(InputError, match="list:1: "):
        read_nbest(write(tmp_path / "list", f"0 ||| a ||| {features} ||| 3"))


def test_sentences_out_of_order_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "list", LINE, LINE.replace("0", "2", 1), LINE.replace("0", "1", 1))
    for use in (read_nbest, lambda p: list(iter_nbest(p))):
        with blocks_of(1), pytest.raises(InputError, match="list:3: sentence 1 after sentence 2"):
            use(path)
    with pytest.raises(InputError, match="list:3: sentence 1 after sentence 2"):
        add_features(path, tmp_path / "new", {}, sort=True)


def test_truncated_and_damaged_gzip(tmp_path: Path) -> None:
    packed = (GOLDEN / "cube.nbest.gz").read_bytes()
    path = tmp_path / "list.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"list.gz:\d+: damaged or truncated gzip file"):
        read_nbest(path)
    with pytest.raises(InputError, match="damaged or truncated"):
        add_features(path, tmp_path / "new", {"NLM0": np.zeros(1993)})
    path.write_bytes(packed[:-8] + b"\0" * 8)
    with pytest.raises(InputError, match="damaged or truncated"):
        read_nbest(path)
    assert not (tmp_path / "new").exists()


def test_broken_utf8_missing_file_and_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(LINE.encode() + b"\n0 ||| caf\xe9  ||| LM0= -1.5 TM0= -2 -3 ||| -0.5\n")
    with pytest.raises(InputError, match="list:2: not UTF-8"):
        read_nbest(path)
    path.write_text("\n".join([LINE, LINE.replace("a b", "a\0b"), ""]))
    with pytest.raises(InputError, match="list:2: not text: a NUL byte"):
        read_nbest(path)
    path.write_bytes(LINE.encode() + b" ||| caf\xe9\n")
    with pytest.raises(InputError, match="list:1: not UTF-8"):
        read_nbest(path, keep_alignments=True)
    with pytest.raises(InputError, match="nothing: no such file"):
        read_nbest(tmp_path / "nothing")
    write(path, *[LINE] * 2000)
    with pytest.raises(OSError, match="No space left"):
        _nbest.rewrite([str(path)], "/dev/full", [], np.zeros((0, 0)), [], 9999, False, 1, False)
    for read, written in ((path, tmp_path / "none/new"), (tmp_path / "none", tmp_path / "new")):
        with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*/none"):
            _nbest.rewrite(
                [str(read)], str(written), [], np.zeros((0, 0)), [], 9999, False, 1, False
            )


@pytest.mark.parametrize("rows", [1, 3])
def test_another_number_of_scores_is_refused(tmp_path: Path, rows: int) -> None:
    path = write(tmp_path / "list", LINE, LINE)
    with pytest.raises(InputError, match=r"list:2: (more|fewer) hypotheses than new scores"):
        add_features(path, tmp_path / "new", {"NLM0": np.zeros(rows)})


def test_bad_labels_scores_and_weights(tmp_path: Path) -> None:
    path, new = write(tmp_path / "list", LINE), tmp_path / "new"
    with pytest.raises(InputError, match="'N_0' is not a feature label"):
        add_features(path, new, {"N_0": [1]})
    with pytest.raises(ValueError, match="NLM0: the score of hypothesis 0 is not a finite number"):
        add_features(path, new, {"NLM0": [np.nan]})
    with pytest.raises(InputError, match=r"no weight for the feature NLM0 .there are LM0, TM0"):
        add_features(path, new, {"NLM0": [1]}, weights={"LM0": [1], "TM0": [1, 1]})
    with pytest.raises(InputError, match="TM0 has 2 values, but 1 weights"):
        add_features(path, new, {}, weights={"LM0": [1], "TM0": [1]})
    with pytest.raises(InputError, match="list:1: 3 values, but 1 weights"):
        _nbest.rewrite([str(path)], str(new), [], np.zeros((0, 0)), [1.0], 9999, False, 1, False)


@pytest.mark.parametrize("block_bytes", [1, 5000, 10**9])
@pytest.mark.parametrize("whole", [True, False])
def test_streaming_equals_the_whole(block_bytes: int, whole: bool) -> None:
    path = GOLDEN / "stack100.nbest.gz"
    all_at_once = read_nbest(path, keep_alignments=True)
    with blocks_of(block_bytes):
        blocks = list(iter_nbest(path, whole_sentences=whole, keep_alignments=True))
    assert len(blocks) == {1: 30 if whole else 1986, 10**9: 1}.get(block_bytes, len(blocks))
    assert np.concatenate([b.sentence for b in blocks]).tolist() == all_at_once.sentence.tolist()
    assert np.concatenate([b.features for b in blocks]).tolist() == all_at_once.features.tolist()
    assert np.concatenate([b.totals for b in blocks]).tolist() == all_at_once.totals.tolist()
    texts = [b.text(i) for b in blocks for i in range(len(b))]
    assert texts == [all_at_once.text(i) for i in range(len(all_at_once))]
    assert b"".join(b.alignments or b"" for b in blocks) == all_at_once.alignments
    if whole:
        sentences = [b.sentence for b in blocks]
        assert all(a[-1] < b[0] for a, b in pairwise(sentences))


def test_equal_content_is_equal_bytes_and_several_members_are_read(tmp_path: Path) -> None:
    path = GOLDEN / "cube.nbest.gz"
    values = np.arange(1993.0)
    for name in ("a.gz", "b.gz"):
        add_features(path, tmp_path / name, {"NLM0": values})
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    content = gzip.decompress(path.read_bytes())
    at = content.index(b"\n7 ||| ") + 1
    (tmp_path / "two.gz").write_bytes(gzip.compress(content[:at]) + gzip.compress(content[at:]))
    assert read_nbest(tmp_path / "two.gz").totals.tolist() == read_nbest(path).totals.tolist()


def test_no_gzip_member_is_left_out(tmp_path: Path) -> None:
    first, second = (gzip.compress(f"{number}{LINE[1:]}\n".encode()) for number in (0, 1))
    path = tmp_path / "list"
    path.write_bytes(first + bytes(10) + second + bytes(10))
    assert len(read_nbest(path)) == 2
    for rest, line in ((b"!" + second[1:], 2), (second[:1], 2), (second[:-1], 3)):
        path.write_bytes(first + rest)
        with pytest.raises(InputError, match=f"list:{line}: damaged or truncated gzip file"):
            read_nbest(path)


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1
).filter(lambda word: word != "|||")
numbers = st.floats(-1e6, 1e6).map(lambda x: f"{x:.6g}")


@st.composite
def lists(draw: st.DrawFn) -> str:
    names = draw(
        st.lists(
            st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,5}", fullmatch=True),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    names = [name for name in names if name != "NLM0"] or ["LM0"]
    widths = [draw(st.integers(1, 3)) for _ in names]
    mark = draw(st.sampled_from("=:"))
    tail = draw(st.sampled_from(["", " ||| 0=0 ||| 0-0 1-1 "]))
    lines, sentence = [], 0
    for _ in range(draw(st.integers(1, 6))):
        sentence += draw(st.integers(0, 2))
        hypothesis = "".join(f"{word} " for word in draw(st.lists(words, max_size=4)))
        features = " ".join(
            " ".join([name + mark, *(draw(numbers) for _ in range(width))])
            for name, width in zip(names, widths, strict=True)
        )
        lines.append(f"{sentence} ||| {hypothesis} ||| {features} ||| {draw(numbers)}{tail}\n")
    return "".join(lines)


@given(content=lists(), data=st.data())
def test_any_list_is_read_and_rewritten(
    tmp_path_factory: pytest.TempPathFactory, content: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    path, more = folder / "list", folder / "more.gz"
    path.write_text(content, encoding="utf-8", newline="\n")
    nbest = read_nbest(path, keep_alignments=True)
    assert_equals_oracle(nbest, content)
    size = len(nbest)
    values = data.draw(st.lists(st.floats(-1e5, 1e5), min_size=size, max_size=size))
    add_features(path, more, {"NLM0": values})
    added = read_nbest(more, keep_alignments=True)
    assert added.feature_names == [*nbest.feature_names, ("NLM0", 1)]
    assert added.features[:, :-1].tolist() == nbest.features.tolist()
    assert added.features[:, -1].tolist() == [float(f"{x:.6g}") for x in values]
    assert added.alignments == nbest.alignments
    written = gzip.decompress(more.read_bytes()).decode()
    assert re.sub(r" NLM0[=:] [^ ]+( \|\|\| )", r"\1", written) == content


def assert_equals_oracle(nbest: NbestList, content: str) -> None:
    """Compare with a plain parser that parts at spaces and newlines alone."""
    for i, line in enumerate(content.removesuffix("\n").split("\n")):
        sentence, hypothesis, features, total, *rest = line.split(" ||| ")
        assert nbest.sentence[i] == int(sentence)
        assert nbest.text(i) == hypothesis.rstrip(" ")
        numbers = [float(x) for x in features.split(" ") if x[-1] not in "=:"]
        assert nbest.features[i].tolist() == numbers
        assert nbest.totals[i] == float(total)
        assert nbest.alignment(i) == " ||| ".join(rest).strip()
