"""The file of classes, and the command that writes it."""

import numpy as np
import pytest

from nlmt.classes import (
    METHODS,
    brown_cluster,
    cluster_words,
    count_bigrams,
    read_paths,
    write_paths,
)
from nlmt.cli import main
from nlmt.errors import InputError

TEXT = ["the cat sees a dog .", "a dog sees the cat .", "<unk> dogs see cats ."]


def test_write_and_read(tmp_path):
    clustering = brown_cluster(count_bigrams(TEXT), 4)
    write_paths(clustering, tmp_path / "classes.tsv")
    again = read_paths(tmp_path / "classes.tsv")
    assert again.words == clustering.words
    assert again.bits == clustering.bits
    assert again.counts.tolist() == clustering.counts.tolist()
    assert again.class_ids.tolist() == clustering.class_ids.tolist()
    write_paths(again, tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == (tmp_path / "classes.tsv").read_bytes()


def test_write_and_read_one_class(tmp_path):
    write_paths(brown_cluster(count_bigrams(["b a a"]), 1), tmp_path / "classes.tsv")
    assert (tmp_path / "classes.tsv").read_text() == "\ta\t2\n\tb\t1\n"
    assert read_paths(tmp_path / "classes.tsv").bits == ("",)


@pytest.mark.parametrize("classes", [2, 3, 5, 9])
def test_bit_strings_are_the_leaves_of_a_binary_tree(classes):
    bits = brown_cluster(count_bigrams(TEXT), classes).bits
    assert len(bits) == classes
    assert sum(2.0 ** -len(path) for path in bits) == 1.0
    assert not any(a != b and b.startswith(a) for a in bits for b in bits)


def test_read_any_order(tmp_path):
    (tmp_path / "paths").write_text("11\tdog\t2\n0\tthe\t7\n10\tsees\t4\n11\tcat\t3\n")
    clustering = read_paths(tmp_path / "paths")
    assert clustering.bits == ("0", "10", "11")
    assert clustering.words == ("the", "sees", "cat", "dog")
    assert clustering.class_ids.tolist() == [0, 1, 2, 2]
    assert clustering.average_mutual_information is None


def test_lookup_of_a_word_that_never_occurred():
    clustering = brown_cluster(count_bigrams(["a b"]), 2)
    assert clustering.lookup(["b", "never", "a"]).tolist() == [
        clustering.class_of["b"],
        -1,
        clustering.class_of["a"],
    ]
    assert clustering.lookup([]).dtype == np.int32


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("0\ta\t1\n1 b\n", 2, "2 fields between blanks"),
        ("0 a 1\n1\tb 1\n", 2, "2 fields between tabs"),
        ("0\ta b\t1\n", 1, "'a b', between tabs, has a blank"),
        (" a 1\n", 1, "2 fields between blanks"),  # a single class needs tabs
        ("0\ta\t1\t\n", 1, "4 fields"),
        ("0\ta\t1\n\n", 2, "0 fields"),
        ("0\ta\t1\n2\tb\t1\n", 2, "the bit string '2'"),
        ("0\ta\tmany\n", 1, "the count 'many' is not a number"),
        (f"0\ta\t{'9' * 5000}\n", 1, "the count '999"),
        ("0\ta\t-1\n", 1, "the count '-1'"),
        ("0\t\t1\n", 1, "the word is empty"),
        ("0\ta\t1\n1\tb\t1\n1\ta\t1\n", 3, "the word 'a' is already in line 1"),
        ("0\ta\t1\n10\tb\t1\n1\tc\t1\n", 2, "the bit string '1' of another class"),
    ],
)
def test_malformed_line(tmp_path, content, line, what):
    (tmp_path / "paths").write_text(content)
    with pytest.raises(InputError) as error:
        read_paths(tmp_path / "paths")
    assert str(error.value).startswith(f"{tmp_path / 'paths'}:{line}: {what}")


def test_empty_file(tmp_path):
    (tmp_path / "paths").write_text("")
    with pytest.raises(InputError, match="the file is empty"):
        read_paths(tmp_path / "paths")


def test_command(tmp_path, capsys):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_text("".join(f"{line}\n" for line in TEXT))
    command = ["classes", "brown", "--text", str(text), "--out", str(out), "--classes", "3"]
    assert main(command) == 0
    printed = dict(line.split(": ") for line in capsys.readouterr().out.splitlines())
    assert (printed["words"], printed["classes"]) == ("10", "3")
    assert 0 < float(printed["average mutual information bits"]) < 3
    assert read_paths(out).words == brown_cluster(count_bigrams(TEXT), 3).words
    assert main([*command, "--option", "refine=false"]) == 0
    expected = brown_cluster(count_bigrams(TEXT), 3, refine=False)
    assert read_paths(out).class_ids.tolist() == expected.class_ids.tolist()


@pytest.mark.parametrize("method", METHODS.names())
def test_all_methods(tmp_path, capsys, method):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_text("".join(f"{line}\n" for line in TEXT))
    assert main(["classes", method, "--text", str(text), "--out", str(out), "--classes", "3"]) == 0
    expected = cluster_words(method, count_bigrams(TEXT), 3)
    assert read_paths(out).class_of == expected.class_of
    assert "average mutual information" in capsys.readouterr().out


def test_options_are_checked(tmp_path, capsys):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_text("a b\n")
    command = ["classes", "speed-regularised", "--text", str(text), "--out", str(out)]
    assert main([*command, "--option", "wieght=1"]) == 2
    assert "unknown key (did you mean 'weight'?" in capsys.readouterr().err
    assert main([*command, "--option", "weight=-1"]) == 2
    for wrong, what in (("weight", "'weight' is not KEY=VALUE"), ("weight=[", "not YAML")):
        with pytest.raises(SystemExit):
            main([*command, "--option", wrong])
        assert what in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [text]


@pytest.mark.parametrize(
    ("content", "what"), [(b"", "text: no words"), (b"a\xff\n", "text:1: not UTF-8")]
)
def test_command_with_bad_input(tmp_path, capsys, content, what):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_bytes(content)
    command = ["classes", "brown", "--text", str(text), "--out", str(out), "--classes", "3"]
    assert main(command) == 1
    assert what in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [text]
