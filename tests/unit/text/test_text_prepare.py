from pathlib import Path
from types import SimpleNamespace

import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.io.shards import Shard
from nlmt.text import gather_shards, prepare_bitext


@pytest.fixture
def prepare(tmp_path):
    def run(source, target, max_length=80, languages=("fr", "en"), threads=1):
        for name, lines in (("raw.fr.gz", source), ("raw.en.gz", target)):
            write_lines(tmp_path / name, lines)
        paths = (tmp_path / "raw.fr.gz", tmp_path / "raw.en.gz")
        outputs = (tmp_path / "text.fr.gz", tmp_path / "text.en.gz")
        counts = prepare_bitext(*paths, languages, outputs, max_length=max_length, threads=threads)
        texts = [list(read_lines(path)) for path in outputs]
        return SimpleNamespace(source=texts[0], target=texts[1], counts=counts)

    return run


def test_long_and_empty_training_sentences_go_with_their_pair(prepare):
    long = " ".join(["mot"] * 81)
    result = prepare(
        ["Un.", long, "Deux", "", "Trois", " ".join(["mot"] * 80)],
        ["One.", "words", "word " * 300, "nothing", "\u2028", "Four | five"],
    )
    assert result.source == ["un .", " ".join(["mot"] * 80)]
    assert result.target == ["one .", "four &#124; five"]
    assert result.counts == {
        "read": 6,
        "empty": 2,
        "too_long": 2,
        "source_tokens": 82,
        "source_words": 3,
        "source_escaped_pipes": 0,
        "target_tokens": 5,
        "target_words": 5,
        "target_escaped_pipes": 1,
        "kept": 2,
    }


def test_a_share_of_the_pairs_is_the_same_in_shards(tmp_path):
    raw = [tmp_path / f"raw.{language}.gz" for language in ("fr", "en")]
    for path, word in zip(raw, ("mot", "word"), strict=True):
        write_lines(path, [f"{word} {number}" for number in range(200)])

    def prepared(shard):
        outputs = [tmp_path / f"text.{language}.gz" for language in ("fr", "en")]
        counts = prepare_bitext(
            *raw, ("fr", "en"), outputs, max_length=80, shard=shard, share=0.3, seed=2
        )
        sides = [[line.split()[1] for line in read_lines(path)] for path in outputs]
        assert sides[0] == sides[1]
        assert counts["kept"] == counts["read"] == len(sides[0])
        return sides[0]

    whole = prepared(Shard(1, 1))
    assert 30 < len(whole) < 90
    assert [number for k in (1, 2, 3) for number in prepared(Shard(k, 3))] == whole


def test_dev_and_test_keep_every_line(prepare):
    result = prepare(["mot " * 300, "un"], ["word " * 300, "one"], max_length=None)
    assert [len(line.split()) for line in result.source] == [300, 1]
    with pytest.raises(InputError, match=r"raw\.en\.gz:2: a line without a word"):
        prepare(["un", "deux"], ["one", "\x01"], max_length=None)


def test_faulty_text(prepare, tmp_path):
    with pytest.raises(InputError, match=r"raw\.fr\.gz: ends after 1 lines"):
        prepare(["un"], ["one", "two"])
    with pytest.raises(InputError, match="no sentence is left"):
        prepare([], [])
    with pytest.raises(InputError, match="unknown language code 'x'"):
        prepare(["un"], ["one"], languages=("x", "en"))
    latin = tmp_path / "latin"
    latin.write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match=r"latin:1: not UTF-8"):
        prepare_bitext(latin, latin, ("fr", "en"), (tmp_path / "a", tmp_path / "b"), max_length=80)
    assert not {"a", "b"} & {path.name for path in tmp_path.iterdir()}


def test_a_line_without_a_word_is_counted_from_the_first_line(prepare):
    lines = ["un"] * 1500 + [" "] + ["deux"] * 1500 + [""]
    with pytest.raises(InputError, match=r"raw\.fr\.gz:1501: a line without a word"):
        prepare(lines, ["one"] * len(lines), max_length=None, threads=2)


def text(number: int) -> tuple[list[str], list[str]]:
    source = [f"Phrase {n % 700} |." if n % 9 else "" for n in range(number)]
    return source, [f"Sentence {n}." for n in range(number)]


def test_threads_do_not_change_the_result(prepare):
    assert prepare(*text(3200), threads=2) == prepare(*text(3200))


@pytest.mark.parametrize("count", [2, 5])
def test_shards_join_to_the_bytes_of_the_whole(tmp_path, prepare, count):
    whole = prepare(*text(2300))
    raw = (tmp_path / "raw.fr.gz", tmp_path / "raw.en.gz")
    shards, counts = [], []
    for number in range(1, count + 1):
        shards.append((tmp_path / f"{number}.fr.gz", tmp_path / f"{number}.en.gz"))
        counts.append(
            prepare_bitext(
                *raw, ("fr", "en"), shards[-1], max_length=80, shard=Shard(number, count)
            )
        )
    outputs = (tmp_path / "joined.fr.gz", tmp_path / "joined.en.gz")
    assert gather_shards(shards, counts, outputs) == whole.counts
    for output, text_path in zip(outputs, ("text.fr.gz", "text.en.gz"), strict=True):
        assert Path(output).read_bytes() == (tmp_path / text_path).read_bytes()


def test_empty_shards_are_no_fault_but_an_empty_text_is(tmp_path, prepare):
    prepare(["un", ""], ["one", "x"])
    raw = (tmp_path / "raw.fr.gz", tmp_path / "raw.en.gz")
    second = (tmp_path / "2.fr", tmp_path / "2.en")
    counts = prepare_bitext(*raw, ("fr", "en"), second, max_length=80, shard=Shard(2, 2))
    assert (counts["read"], counts["kept"]) == (1, 0)
    with pytest.raises(InputError, match="no sentence is left"):
        gather_shards([second], [counts], (tmp_path / "a", tmp_path / "b"))
