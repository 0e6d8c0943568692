"""Texts as numbers: counted, looked up, written, mapped, damaged."""

import gzip
import lzma
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural import (
    NeuralConfig,
    NeuralLM,
    Task,
    Trainer,
    _text,
    encode,
    encode_texts,
    train_folder,
)
from nlmt.neural.tensors import read_tensors, write_tensors
from nlmt.neural.text import encoded as words
from nlmt.neural.text.encoded import is_encoded, open_encoded
from nlmt.neural.text.files import read_text
from nlmt.neural.text.numbered import NumberedText, Source
from nlmt.ngram import train_arpa
from nlmt.vocabulary import Vocabulary, count_words

LINES = ["b a b", "", "é a\u00a0b \t c\x0bd \x0c", "</s> <s> <unk> a", "日本 b", " ", "zzz é"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_counting_spills_to_disk_and_finds_the_same(text, tmp_path, monkeypatch, most):
    monkeypatch.setattr(words, "MOST_WORDS", most)
    with gzip.open(tmp_path / "more.gz", "wb") as stream:
        stream.write(b"b c\r\nnew a")
    counts, sizes = words.count_texts([text, tmp_path / "more.gz"])
    assert counts == count_words([*LINES, "b c", "new a"])
    assert sizes == (words.Size(7, 15), words.Size(2, 4))
    assert words.count_texts([text], 2)[0] == {"b": 3, "a": 2, "é": 2}


@pytest.mark.parametrize("block", [1, 5, 1000])
def test_numbers_are_those_of_the_vocabulary(text, monkeypatch, block):
    vocabulary = Vocabulary.from_counts(count_words(LINES), 2)
    wanted = encode(LINES, vocabulary)
    monkeypatch.setattr(words, "BLOCK", block)
    found = read_text(text, vocabulary, at_least=5)
    assert found.stream.tolist() == wanted.stream.tolist()
    assert found.begins.tolist() == wanted.begins.tolist()
    assert found.stream.dtype == np.uint16
    with pytest.raises(InputError, match="5 sentences with words, at least 6"):
        read_text(text, vocabulary, at_least=6)


def test_texts_that_cannot_be_read(tmp_path):
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>"))
    for name, content, says in (
        ("latin", "bon\ndéjà\n".encode("latin-1"), "latin:2: not UTF-8"),
        ("cut.gz", gzip.compress(b"a b c\n" * 1000)[:-20], "gzip"),
        ("none", None, "no such"),
        ("packed", lzma.compress(b"a b c\n"), "packed: not UTF-8 text, but compressed with xz"),
        ("wide", "a b c\n".encode("utf-16"), "wide: not UTF-8 text, but UTF-16"),
        ("nul", b"a b\na\0b c\n", "nul:2: not text: a NUL byte"),
        ("mac", b"a b\r\na\rb c\r\n", "mac:2: a carriage return within a line"),
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=says):
            words.count_texts([tmp_path / name])
        with pytest.raises(InputError, match=says):
            read_text(tmp_path / name, vocabulary, at_least=0)


def test_utf8_is_as_strict_as_in_python(tmp_path):
    """The ends of the ranges of RFC 3629, what lies beyond them, and letters that are cut off."""
    firsts = 0x41, 0x7F, 0x80, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5
    seconds = 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0
    rests = b"", b"\x80", b"\xbf\x80", b"\xbfa", b"\x80\x80 eight letters"
    texts = [bytes([first]) for first in firsts]
    texts += [bytes([one, two]) + rest for one in firsts for two in seconds for rest in rests]
    for text in texts:
        (tmp_path / "a").write_bytes(text)
        try:
            wanted = count_words([text.decode()])
        except UnicodeDecodeError:
            with pytest.raises(InputError, match="a:1: not UTF-8"):
                words.count_texts([tmp_path / "a"])
        else:
            assert words.count_texts([tmp_path / "a"])[0] == wanted


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_longer_than_what_is_read_at_once(tmp_path, pack):
    long = [b"a " * 900_000, b"b" * 3_000_000, b"", b"a"]
    (tmp_path / "a").write_bytes(pack(b"\n".join(long)))
    counts, sizes = words.count_texts([tmp_path / "a"])
    assert counts == {"a": 900_001, "b" * 3_000_000: 1}
    assert sizes == (words.Size(4, 900_002),)


def test_a_text_that_the_system_does_not_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):  # removed after it was looked for
        _text.TextReader(str(tmp_path / "none"), [])
    memory = Path("/proc/self/mem")  # whose first page nothing is mapped to
    if not memory.exists():
        pytest.skip("no /proc here")
    with pytest.raises(OSError, match="Input/output error: '/proc/self/mem'"):
        words.count_texts([memory])


def test_a_byte_order_mark_is_no_text(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa b\n\xef\xbb\xbfa\n")
    counts, _ = words.count_texts([tmp_path / "a"])
    assert counts == {"a": 1, "b": 1, "\ufeffa": 1}


@pytest.mark.parametrize("words", [10, 70_000])
def test_round_trip(text, tmp_path, words):
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *(f"w{i}" for i in range(words)), "a", "é"))
    encode_texts([text], [tmp_path / "ids"], vocabulary=vocabulary)
    found, wanted = open_encoded(tmp_path / "ids"), encode(LINES, vocabulary)
    assert found.vocabulary == vocabulary
    assert found.min_count == 0
    assert found.text.stream.dtype == (np.uint16 if words == 10 else np.int32)
    assert found.text.stream.tolist() == wanted.stream.tolist()
    assert found.text.begins.tolist() == wanted.begins.tolist()
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_every_damaged_byte_is_found(text, tmp_path):
    path = tmp_path / "ids"
    encode_texts([text], [path], min_count=1)
    good = path.read_bytes()
    words = len("".join(f"{word}\n" for word in open_encoded(path).vocabulary.words).encode())
    padding = range(72 + words, -(-(72 + words) // 8) * 8)
    for place in set(range(len(good))) - set(padding):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x41]) + good[place + 1 :])
        with pytest.raises(InputError, match="nlmt lm encode"):
            open_encoded(path)
    for size in (0, 7, 50, 71, 72, 100, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(InputError, match="truncated"):
            open_encoded(path)


@pytest.mark.parametrize(
    ("event", "number", "says"),
    [
        (0, 9999, "an id beyond the vocabulary"),
        (0, 1, "sentences do not end where they should"),
        (0, 2, "sentences do not end"),
        (3, 5, "sentences do not end"),
    ],
)
def test_what_a_checksum_does_not_find(text, tmp_path, event, number, says):
    path = tmp_path / "ids"
    encode_texts([text], [path], min_count=1)
    corpus = open_encoded(path).text
    stream = corpus.stream.copy()
    stream[event] = number
    begin = len(path.read_bytes()) - stream.nbytes
    header = bytearray(path.read_bytes()[:68])
    struct.pack_into("=I", header, 64, zlib.crc32(stream.tobytes()))
    rest = path.read_bytes()[72:begin] + stream.tobytes()
    path.write_bytes(bytes(header) + struct.pack("=I", zlib.crc32(header)) + rest)
    with pytest.raises(InputError, match=says):
        open_encoded(path)


def test_an_encoded_text_is_the_text(tmp_path, texts, run):
    train, dev, classes = texts
    config = NeuralConfig.from_dict({"dim": 8})
    plain = Task.read(config, TrainingData([train], dev, classes))
    # Both texts together have other words: the vocabulary of the training text is given.
    plain.vocabulary.save(tmp_path / "words")
    ids = [tmp_path / "train.ids", tmp_path / "dev.ids"]
    run("encode", train, dev, "--out", *ids, "--vocabulary", tmp_path / "words")
    assert is_encoded(ids[0])
    encoded = Task.read(config, TrainingData(ids[:1], ids[1], classes))
    assert encoded.vocabulary == plain.vocabulary
    assert encoded.fingerprint == plain.fingerprint


@pytest.mark.parametrize("network", ["feed-forward", "gru"])
def test_short_lists_of_encoded_texts(tmp_path, texts, network):
    """With all their words they are the plain texts."""
    train, dev, _ = texts
    ids = tmp_path / "ids"
    encode_texts([train], [ids], min_count=1)
    settings = {"network": network, "output": "short-list", "short_list": 30, "order": 3, "dim": 8}
    config = NeuralConfig.from_dict(settings | {"objective": "likelihood", "epochs": 1})
    data = TrainingData([train], dev)
    plain, encoded = Task.read(config, data), Task.read(config, replace(data, texts=[ids]))
    assert encoded.vocabulary == plain.vocabulary
    assert encoded.fingerprint == plain.fingerprint
    # A back-off model knows more words than a text without its rare ones.
    arpa = tmp_path / "arpa"
    train_arpa(train, arpa, order=3)
    encode_texts([train], [tmp_path / "less"], min_count=5)
    data = replace(data, backoff=arpa)
    less = Task.read(config, replace(data, texts=[tmp_path / "less"]))
    assert set(less.vocabulary.words) == set(plain.vocabulary.words)
    assert less.texts.parts[0].target_counts(less.vocabulary)[0] > 0
    assert np.isfinite(Trainer(less).run().dev.perplexity)
    (tmp_path / "more").write_text(train.read_text() + "zyxw zyxw\n")
    encode_texts([tmp_path / "more"], [tmp_path / "more.ids"])
    with pytest.raises(InputError, match=r"does not know 'zyxw', a word of the encoded texts"):
        Task.read(config, replace(data, texts=[tmp_path / "more.ids"]))


def test_encoded_texts_that_do_not_fit(tmp_path, texts, text):
    train, dev, classes = texts
    one, other, few = (tmp_path / name for name in ("one", "other", "few"))
    encode_texts([train], [one])
    encode_texts([text], [other])
    encode_texts([train], [few], min_count=5)
    keys = {"dim": 8, "order": 3, "epochs": 1}
    listed = {"output": "short-list"}
    for files, dev_text, settings, says in (
        ([one, other], dev, keys, r"other: encoded with other words than .*one"),
        ([one], other, keys, r"other: encoded with other words than the model's"),
        ([one], dev, {"min_count": 5}, r"min_count: 5, but the text was encoded with 2"),
        ([few], dev, listed, r"few: encoded without its rare words"),
        ([one, train], dev, listed, r"not encoded, as other texts are"),
    ):
        config = NeuralConfig.from_dict(settings)
        data = TrainingData(files, dev_text, classes if config.needs_classes else None)
        with pytest.raises(InputError, match=says):
            Task.read(config, data)
    config = NeuralConfig.from_dict(keys)
    start = Trainer(Task.read(config, TrainingData([one], dev, classes))).run().model
    with pytest.raises(InputError, match=r"--vocabulary MODEL/vocabulary.txt"):
        Task.read(config, TrainingData([other], dev), start=start)
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match=r"empty: no sentences"):
        encode_texts([tmp_path / "empty"], [tmp_path / "out"])
    assert not (tmp_path / "out").exists()


def test_no_text_is_overwritten(text, tmp_path):
    before = text.read_bytes()
    for outputs in ([text, tmp_path / "b"], [tmp_path / "b", tmp_path / "b"]):
        with pytest.raises(InputError, match="a text and an output, or two outputs, at once"):
            encode_texts([text, text], outputs)
    assert text.read_bytes() == before


def test_a_file_for_each_text(text, run, capsys):
    with pytest.raises(SystemExit):
        run("encode", text, text, "--out", text.with_name("ids"))
    assert "--out needs a file for each text" in capsys.readouterr().err


def test_a_model_that_holds_no_numbers(tmp_path, make_task):
    train_folder(make_task(dim=8, epochs=1), tmp_path)
    good, metadata = read_tensors(tmp_path / "model.safetensors")
    good["context"][1, 2] = np.nan
    write_tensors(tmp_path / "model.safetensors", good, metadata)
    with pytest.raises(InputError, match="context holds numbers that are not finite"):
        NeuralLM.load(tmp_path)


def test_pieces_of_a_text_with_its_source_are_smaller():
    text = NumberedText.from_words(np.zeros(500_000, np.int32), np.arange(0, 500_001, 500))
    given = replace(text, source=Source(text, np.zeros(text.events, np.uint16)))
    for one, count in ((text, 1), (given, 4)):
        pieces = list(one.pieces())
        assert len(pieces) == count
        assert sum(piece.sentences for piece in pieces) == 1000
