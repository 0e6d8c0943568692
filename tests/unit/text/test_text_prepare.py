import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.text import prepare_bitext


@pytest.fixture
def prepare(tmp_path):
    def run(source, target, max_length=80, languages=("fr", "en"), threads=1):
        for name, lines in (("raw.fr.gz", source), ("raw.en.gz", target)):
            write_lines(tmp_path / name, lines)
        paths = (tmp_path / "raw.fr.gz", tmp_path / "raw.en.gz")
        return prepare_bitext(*paths, languages, max_length=max_length, threads=threads)

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


def test_dev_and_test_keep_every_line(prepare):
    result = prepare(["mot " * 300, "un"], ["word " * 300, "one"], max_length=None)
    assert [len(line.split()) for line in result.source] == [300, 1]
    with pytest.raises(InputError, match=r"raw\.en\.gz:2: a line without a word"):
        prepare(["un", "deux"], ["one", "\x00"], max_length=None)


def test_faulty_text(prepare, tmp_path):
    with pytest.raises(InputError, match=r"raw\.fr\.gz: ends after 1 lines"):
        prepare(["un"], ["one", "two"])
    with pytest.raises(InputError, match="no sentence is left"):
        prepare([], [])
    with pytest.raises(InputError, match="unknown language code 'xx'"):
        prepare(["un"], ["one"], languages=("xx", "en"))
    latin = tmp_path / "latin"
    latin.write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match=r"latin:1: not UTF-8"):
        prepare_bitext(latin, latin, ("fr", "en"), max_length=80)


def test_threads_do_not_change_the_result(prepare):
    source = [f"Phrase {n}." for n in range(1200)]
    target = [f"Sentence {n}." for n in range(1200)]
    assert prepare(source, target, threads=2) == prepare(source, target)
