"""Classes of other programs, and for them."""

import gzip

import numpy as np
import pytest

from nlmt.classes import brown_cluster, brown_tree, count_bigrams, write_paths
from nlmt.classes.class_files import FORMATS, convert_classes, read_classes
from nlmt.classes.clustering import split_row
from nlmt.cli import main
from nlmt.errors import InputError

TEXT = ["the cat sees a dog .", "a dog sees the cat .", "<unk> dogs see cats ."]


def as_sets(clustering):
    sets = {}
    for word, c in clustering.class_of.items():
        sets.setdefault(c, set()).add(word)
    return sorted(map(sorted, sets.values()))


@pytest.mark.parametrize("name", FORMATS.names())
@pytest.mark.parametrize("classes", [1, 2, 3, 5])
def test_write_and_read(tmp_path, name, classes):
    clustering = brown_cluster(count_bigrams(TEXT), classes)
    FORMATS.get(name).write(clustering, tmp_path / "classes")
    again = read_classes(tmp_path / "classes", name)
    assert as_sets(again) == as_sets(clustering)
    if name != "mkcls":
        assert dict(zip(again.words, again.counts.tolist(), strict=True)) == dict(
            zip(clustering.words, clustering.counts.tolist(), strict=True)
        )
    FORMATS.get(name).write(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "classes").read_bytes()
    assert as_sets(read_classes(tmp_path / "classes")) == as_sets(clustering)


def test_as_mkcls_and_clustercat_write(tmp_path):
    # mkcls: words by their bytes, classes from 2 on; ClusterCat: frequent words first, from 0 on.
    (tmp_path / "paths").write_text("0\tb\t3\n0\ta\t1\n10\tZ\t7\n11\té\t2\n")
    clustering = read_classes(tmp_path / "paths")
    FORMATS.get("mkcls").write(clustering, tmp_path / "mkcls")
    assert (tmp_path / "mkcls").read_text() == "Z\t3\na\t2\nb\t2\né\t4\n"
    FORMATS.get("clustercat").write(clustering, tmp_path / "clustercat")
    assert (tmp_path / "clustercat").read_text() == "Z\t1\t7\nb\t0\t3\né\t2\t2\na\t0\t1\n"


def test_flat_classes_have_bit_strings_of_equal_length(tmp_path):
    (tmp_path / "file.gz").write_bytes(gzip.compress(b"b\t7\nc\t40\na\t7\nd\t9\n"))
    found = read_classes(tmp_path / "file.gz")
    assert found.bits == ("00", "01", "10")
    assert found.words == ("a", "b", "d", "c")
    assert found.class_ids.tolist() == [0, 0, 1, 2]


def test_a_number_may_be_a_word_of_the_first_lines(tmp_path):
    # ClusterCat's first words are bit strings, too; wcluster's are numbers, as classes are.
    (tmp_path / "clustercat").write_text("1\t0\t9\n10\t0\t8\nthe\t1\t70\n")
    assert as_sets(read_classes(tmp_path / "clustercat")) == [["1", "10"], ["the"]]
    (tmp_path / "paths").write_text("0\t1990\t9\n0\t12\t8\n1\tthe\t70\n")
    assert as_sets(read_classes(tmp_path / "paths")) == [["12", "1990"], ["the"]]
    (tmp_path / "paths").write_text("0\ta\t9\nb\t1\t8\n")
    with pytest.raises(InputError, match=r"paths:2: the bit string 'b' has other characters"):
        read_classes(tmp_path / "paths")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0 the 9\n10 a\u00a0b 8\n11\tdog\t3\n", [["a\u00a0b"], ["dog"], ["the"]]),  # wcluster's
        ("cat 2\ndog  2\n the\t3 \n", [["cat", "dog"], ["the"]]),  # GIZA++, MGIZA
        ("the 0 70\ncat 1 9\ndog 1 7\n", [["cat", "dog"], ["the"]]),  # ClusterCat's columns
        ("1 0 9\n10 0 8\nthe 1 70\n", [["1", "10"], ["the"]]),
    ],
)
def test_blanks_in_place_of_tabs(tmp_path, content, expected):
    """As the programs that read by white space take them; a no-break space is part of a word."""
    (tmp_path / "file").write_text(content)
    assert as_sets(read_classes(tmp_path / "file")) == expected
    (tmp_path / "tabs").write_text("\n".join("\t".join(split_row(x)) for x in content.splitlines()))
    again = read_classes(tmp_path / "tabs")
    assert (again.words, again.bits) == (
        read_classes(tmp_path / "file").words,
        read_classes(tmp_path / "file").bits,
    )


@pytest.mark.parametrize("content", ["1 0 9\n0 1 8\n", "1\t0\t9\n"])
def test_lines_that_may_be_bit_strings_or_words_need_the_name_of_a_format(tmp_path, content):
    (tmp_path / "file").write_text(content)
    with pytest.raises(
        InputError, match=r"file: each line may be .* paths and clustercat .*--from"
    ):
        read_classes(tmp_path / "file")
    assert read_classes(tmp_path / "file", "paths").words[-1] == "0"
    assert read_classes(tmp_path / "file", "clustercat").words[0] in "01"


def test_a_word_may_occur_twice_in_one_class(tmp_path, caplog):
    (tmp_path / "file").write_text("b\t7\na\t7\nb\t7\n")
    assert read_classes(tmp_path / "file").words == ("a", "b")
    assert "file:3: the word 'b' is already in line 1" in caplog.text


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a\t1\nb c\n", 2, "'c' is not a number"),
        ("a 1\nb\n", 2, "1 fields between blanks"),
        ("a 1\n\n", 2, "0 fields between blanks"),
        ("a\t1\nb\t2 3\n", 2, "'2 3', between tabs, has a blank"),
        ("a\t1\nb\t2\t3\t4\n", 2, "4 fields"),
        ("a\t1\nb\tx\n", 2, "'x' is not a number"),
        ("a\t1\nb\t-1\n", 2, "'-1' is not a number"),
        ("a\t1\nb\t12345678901\n", 2, "'12345678901' is not a number"),
        ("a\t1\n\t1\n", 2, "the word is empty"),
        ("a\t1\nb\t1\na\t2\n", 3, "the word 'a' is in class 1 in line 1, here in 2"),
        ("a b c\n", 1, "no classes: 3 fields between blanks"),
        ("a b\t1\n", 1, "'a b', between tabs, has a blank"),
    ],
)
def test_malformed_line(tmp_path, content, line, what):
    (tmp_path / "file").write_text(content)
    with pytest.raises(InputError) as error:
        read_classes(tmp_path / "file")
    assert str(error.value).startswith(f"{tmp_path / 'file'}:{line}: {what}")


@pytest.mark.parametrize("name", [None, *FORMATS.names()])
def test_empty_file(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="the file is empty"):
        read_classes(tmp_path / "file", name)


def test_a_tree_from_a_text(tmp_path):
    clustering = brown_cluster(count_bigrams(TEXT), 4)
    FORMATS.get("mkcls").write(clustering, tmp_path / "mkcls")
    again = convert_classes(tmp_path / "mkcls", "mkcls", count_bigrams(TEXT))
    assert (again.words, again.bits) == (clustering.words, clustering.bits)
    assert again.counts.tolist() == clustering.counts.tolist()
    assert again.average_mutual_information == pytest.approx(clustering.average_mutual_information)


def test_words_that_only_the_text_or_the_file_has(tmp_path):
    (tmp_path / "mkcls").write_text("cat\t2\ndog\t2\nthe\t3\na\t3\nnever\t4\nsees\t5\n")
    found = convert_classes(tmp_path / "mkcls", "mkcls", count_bigrams(TEXT))
    assert as_sets(found) == [["a", "the"], ["cat", "dog"], ["sees"]]
    assert len(set(found.bits)) == 3
    assert set(np.unique(found.class_ids)) == {0, 1, 2}
    with pytest.raises(InputError, match="no word of the text has a class"):
        convert_classes(tmp_path / "mkcls", "mkcls", count_bigrams(["x y"]))


def test_brown_tree_has_a_leaf_for_each_word(tmp_path):
    tree = brown_tree(count_bigrams(TEXT), 3)
    assert len(tree.bits) == len(set(tree.bits)) == len(tree.words) == 10
    assert sum(2.0 ** -len(bits) for bits in tree.bits) == 1
    write_paths(tree, tmp_path / "paths")
    assert read_classes(tmp_path / "paths").bits == tree.bits
    # The classes are sub-trees.
    for words in as_sets(brown_cluster(count_bigrams(TEXT), 3)):
        paths = [tree.bits[tree.class_of[word]] for word in words]
        stem = paths[0]
        while not all(path.startswith(stem) for path in paths):
            stem = stem[:-1]
        below = [bits for bits in tree.bits if bits.startswith(stem)]
        assert len(below) == len(words)


def test_convert_command(tmp_path, capsys):
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in TEXT))
    (tmp_path / "in").write_text("cat\t2\ndog\t2\nthe\t3\na\t3\n")
    files = [str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    assert main(["classes", "convert", *files, "--from", "mkcls"]) == 0
    assert (tmp_path / "out").read_text() == "0\tcat\t0\n0\tdog\t0\n1\ta\t0\n1\tthe\t0\n"
    with_text = ["--text", str(tmp_path / "text"), "--to", "clustercat"]
    assert main(["classes", "convert", *files, *with_text]) == 0
    assert "average mutual information" in capsys.readouterr().out
    assert sorted((tmp_path / "out").read_text().split()[::3]) == ["a", "cat", "dog", "the"]
    assert main(["classes", "convert", files[0], "--out", files[0]]) == 1
    assert "the same file" in capsys.readouterr().err
