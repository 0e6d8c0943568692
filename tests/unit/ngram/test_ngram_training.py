"""lmplz and build_binary: what comes out, and what is said where they fail."""

import gzip
import logging
import math
import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.lm import TrainingResources
from nlmt.lm.perplexity import measure
from nlmt.ngram import NgramModel, tools, train_arpa, train_binary
from nlmt.ngram.files import read_vocabulary
from nlmt.ngram.kind import NGRAM
from nlmt.ngram.mixing import words_of
from nlmt.ngram.training import LEAST_MEMORY, Storage, memory_bytes, sorting_memory
from nlmt.ngram.unknown import STAND_IN
from nlmt.settings_check import read_settings
from nlmt.vocabulary import SPECIAL

GOLDEN = Path(__file__).parents[2] / "golden"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ngrams(path: Path) -> dict[str, list[float]]:
    """An ARPA file's n-grams with their log10 probability and back-off."""
    entries = (line.split("\t") for line in read_lines(path))
    return {e[1]: [float(x) for x in (e[0], *e[2:])] for e in entries if len(e) > 1}


def test_arpa_equals_the_golden_model(tmp_path):
    # The golden model is lmplz -o 3 --discount_fallback of the golden text.
    train_arpa(GOLDEN / "train.en", tmp_path / "lm.arpa", order=3)
    expected = ngrams(GOLDEN / "model" / "lm.arpa.gz")
    # The logarithms of other C libraries differ in the last bit of single precision.
    close = {ngram: pytest.approx(values, rel=5e-7) for ngram, values in expected.items()}
    assert ngrams(tmp_path / "lm.arpa") == close
    assert names(tmp_path) == ["lm.arpa"]


def test_unigrams_by_hand(tmp_path, caplog):
    # A text too small for discounts: 0.5, 1 and 1.5.
    write_lines(tmp_path / "text", ["a b", "a"])
    train_arpa(tmp_path / "text", tmp_path / "lm.arpa", order=2)
    assert "too small for Kneser-Ney discounts" in caplog.text
    found = ngrams(tmp_path / "lm.arpa")
    # Different left neighbours: a after <s>; b after a; </s> after b and a: 1, 1, 2 of 4.
    # Discounts 0.5, 0.5, 1 leave 0.5, 0.5, 1, and 2 of 4 for a uniform over a, b, </s>, <unk>.
    assert found["<unk>"][0] == pytest.approx(math.log10(0.5 / 4), abs=1e-5)
    assert found["a"][0] == pytest.approx(math.log10(0.5 / 4 + 0.5 / 4), abs=1e-5)
    assert found["</s>"][0] == pytest.approx(math.log10(1 / 4 + 0.5 / 4), abs=1e-5)


def test_binary_scores_as_arpa(tmp_path):
    write_lines(tmp_path / "text.gz", read_lines(GOLDEN / "train.en"))
    train_binary(tmp_path / "text.gz", tmp_path / "lm" / "model.binary", order=3)
    assert names(tmp_path / "lm") == ["model.binary"]
    lines = list(read_lines(GOLDEN / "test.en"))
    binary = measure(NgramModel(tmp_path / "lm" / "model.binary"), lines)
    arpa = measure(NgramModel(GOLDEN / "model" / "lm.arpa.gz"), lines)
    assert binary.perplexity == pytest.approx(arpa.perplexity, rel=1e-5)


def test_same_text_gives_same_bytes(tmp_path):
    for name in ("one", "two"):
        train_binary(GOLDEN / "train.en", tmp_path / name, order=3)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_sentence_marks_in_the_text_are_skipped(tmp_path):
    lines = list(read_lines(GOLDEN / "train.en"))
    write_lines(tmp_path / "plain", lines)
    write_lines(tmp_path / "marked", [f"<s> {line} </s>" for line in lines])
    for name in ("plain", "marked"):
        train_arpa(tmp_path / name, tmp_path / f"{name}.arpa", order=2)
    assert (tmp_path / "plain.arpa").read_text() == (tmp_path / "marked.arpa").read_text()


def test_unknown_words_in_the_text_are_a_word(tmp_path):
    # As a text with another word in their place, but for what is left for an unseen word.
    lines = [line.replace("the", "<unk>") for line in read_lines(GOLDEN / "train.en")]
    words = [[{"<unk>": "WORD"}.get(w, w) for w in line.split()] for line in lines]
    write_lines(tmp_path / "unknown", lines)
    write_lines(tmp_path / "word", map(" ".join, words))
    for name in ("unknown", "word"):
        train_arpa(tmp_path / name, tmp_path / f"{name}.arpa", order=3)
    found, expected = ngrams(tmp_path / "unknown.arpa"), ngrams(tmp_path / "word.arpa")
    unseen = expected.pop("<unk>")[0]
    assert {k.replace("WORD", "<unk>") for k in expected} == set(found)
    for name, values in expected.items():
        if name != "WORD":
            assert found[name.replace("WORD", "<unk>")] == values
    log10, backoff = found["<unk>"]
    assert 10**log10 == pytest.approx(10 ** expected["WORD"][0] + 10**unseen, rel=1e-5)
    assert backoff == expected["WORD"][1]
    alone = [10 ** v[0] for k, v in found.items() if " " not in k and k != "<s>"]
    assert sum(alone) == pytest.approx(1, abs=1e-4)
    counts = [line for line in read_lines(tmp_path / "unknown.arpa") if line.startswith("ngram 1")]
    assert counts == [f"ngram 1={len(alone) + 1}"]


def test_kenlm_scores_unknown_words_in_their_contexts(tmp_path):
    write_lines(tmp_path / "text", ["a <unk> b", "a <unk> b", "b a", "<unk> a"])
    train_binary(tmp_path / "text", tmp_path / "model", order=2)
    train_arpa(tmp_path / "text", tmp_path / "arpa", order=2)
    model, entries = NgramModel(tmp_path / "model"), ngrams(tmp_path / "arpa")
    scores = model.score_words(model.lookup(["a", "never"]), np.array([0, 2]))
    expected = entries["<s> a"][0], entries["a <unk>"][0], entries["<unk>"][1] + entries["</s>"][0]
    assert scores == pytest.approx(math.log(10) * np.array(expected), abs=1e-5)


def test_pruning(tmp_path):
    train_binary(GOLDEN / "train.en", tmp_path / "model", order=3, prune=[0, 0, 1])
    train_arpa(GOLDEN / "train.en", tmp_path / "arpa", order=3, prune=[0, 0, 1])
    lines = [["<s>", *line.split(), "</s>"] for line in read_lines(GOLDEN / "train.en")]
    counts = Counter(tuple(line[i : i + 3]) for line in lines for i in range(len(line) - 2))
    kept = {name for name in ngrams(tmp_path / "arpa") if name.count(" ") == 2}
    assert kept == {" ".join(trigram) for trigram, count in counts.items() if count > 1}


def test_storage(tmp_path):
    kinds = {
        "trie": Storage(),
        "probing": Storage("probing"),
        "quantised": Storage(quantise=8),
        "pointers": Storage(pointers=22),
    }
    lines = list(read_lines(GOLDEN / "test.en"))
    perplexity, size = {}, {}
    for name, storage in kinds.items():
        train_binary(GOLDEN / "train.en", tmp_path / name, order=3, storage=storage)
        perplexity[name] = measure(NgramModel(tmp_path / name), lines).perplexity
        size[name] = (tmp_path / name).stat().st_size
    assert perplexity["probing"] == perplexity["pointers"] == pytest.approx(perplexity["trie"])
    assert perplexity["quantised"] == pytest.approx(perplexity["trie"], rel=0.05)
    assert size["quantised"] < size["trie"] < size["probing"]


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"prune": [1]}, r"prune: \[1\] does not begin with 0"),
        ({"prune": [0, 2, 1]}, "or falls"),
        ({"prune": [0, 0, 0, 1]}, "4 numbers for order 3"),
        ({"structure": "probing", "quantise": 8}, "quantise has no effect with structure: probing"),
        ({"structure": "probing", "pointers": 8}, "pointers has no effect"),
    ],
)
def test_settings_that_make_no_sense(keys, what):
    settings = read_settings(NGRAM.settings, {"kind": "ngram", "order": 3, **keys})
    with pytest.raises(InputError, match=what):
        NGRAM.plan(settings)


@pytest.mark.parametrize("content", ["", "\n \n", "<unk> <unk>\n<s> </s>\n"])
def test_empty_text(tmp_path, content):
    (tmp_path / "text").write_text(content)
    with pytest.raises(InputError, match="text: no words to train on"):
        train_binary(tmp_path / "text", tmp_path / "model.binary")
    assert names(tmp_path) == ["text"]


def test_bad_text(tmp_path):
    (tmp_path / "text").write_bytes(b"a b\nc \xe9\n")
    with pytest.raises(InputError, match="text:2: not UTF-8"):
        train_arpa(tmp_path / "text", tmp_path / "lm.arpa")
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"a b\n" * 1000)[:-20])
    with pytest.raises(InputError, match="damaged or truncated gzip"):
        train_arpa(tmp_path / "text.gz", tmp_path / "lm.arpa")
    (tmp_path / "text").write_bytes(b"a b\r\na\rc\r\n")
    with pytest.raises(InputError, match="text:2: a carriage return within a line"):
        train_arpa(tmp_path / "text", tmp_path / "lm.arpa")
    assert names(tmp_path) == ["text", "text.gz"]


def test_words_are_those_of_lmplz(tmp_path):
    (tmp_path / "text").write_text("a\fb c\vd\t\u00a0e\n<unk>\f <unk>\n")
    train_arpa(tmp_path / "text", tmp_path / "lm.arpa")
    found = words_of([tmp_path / "text"])
    assert found == {"a\fb", "c\vd", "\u00a0e", "<unk>\f", STAND_IN}
    vocabulary = read_vocabulary(tmp_path / "lm.arpa")
    assert vocabulary is not None
    assert set(vocabulary.words).difference(SPECIAL) == found - {STAND_IN}


@pytest.mark.parametrize("order", [1, 7])
def test_order_out_of_range(tmp_path, order):
    with pytest.raises(InputError, match=r"out of range \(choose 2 to 6\)"):
        train_arpa(GOLDEN / "train.en", tmp_path / "lm.arpa", order=order)


def test_lmplz_gives_up_early(tmp_path):
    # It reads nothing, for lack of memory: the text goes into a broken pipe.
    write_lines(tmp_path / "text", ["a b c"] * 100_000)
    with pytest.raises(InputError, match=r"lmplz failed \(signal 6\): .*exceeds total memory"):
        train_binary(tmp_path / "text", tmp_path / "model.binary", memory="1M")
    assert names(tmp_path) == ["text"]


@pytest.fixture
def fake_tool(tmp_path, monkeypatch):
    """Puts a script in the place of lmplz."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))

    def make(script: str) -> None:
        (folder / "lmplz").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "lmplz").chmod(0o755)

    return make


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("cat >&2; echo 'disk is full' >&2; echo ERROR >&2; exit 1", r"\(status 1\): disk is full"),
        ("exit 3", r"\(status 3\): no message"),
        (
            "echo ----5---10 >&2; kill -9 $$",
            r"\(killed, possibly for lack of memory\): no message \(run fewer jobs at once",
        ),
        (
            "echo 'Writing trie' >&2; kill -BUS $$",
            r"\(bus error, possibly from a full disk\): Writing trie \(free some space",
        ),
        (
            "echo 'No space left on device while writing' >&2; exit 1",
            r"\(status 1\): No space left on device while writing \(free some space",
        ),
    ],
)
def test_tool_fails(fake_tool, script, what):
    fake_tool(script)
    with pytest.raises(InputError, match=f"^lmplz failed {what}"):
        tools.run_tool("lmplz", [], ["a b"])


def test_no_tool(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"KenLM's lmplz is not installed \(run make setup\)"):
        train_binary(GOLDEN / "train.en", tmp_path / "model.binary")
    assert names(tmp_path) == []


def test_error_while_feeding_ends_the_tool(fake_tool, tmp_path):
    fake_tool(f"echo $$ > {tmp_path}/pid; exec sleep 60")

    def lines():
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            yield ""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tools.run_tool("lmplz", [], lines())
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_amounts_of_memory_are_those_of_lmplz() -> None:
    assert memory_bytes("12b") == 12
    assert memory_bytes("3") == memory_bytes("3K") == 3 << 10
    assert memory_bytes("1.5M") == 3 << 19
    assert memory_bytes("2g") == 2 << 30
    assert 0 < memory_bytes("1%") < memory_bytes("50%") < 1 << 50
    for wrong in ("", "G", "1GB", "-1G"):
        with pytest.raises(InputError, match="not an amount of memory"):
            memory_bytes(wrong)


def test_memory_for_sorting_grows_with_the_text(tmp_path):
    most, of_word = 1 << 30, 12 + 2 * 16 + 3 * 20
    for size, expected in (
        (0, LEAST_MEMORY),
        (600_000, LEAST_MEMORY + 300_000 * of_word),
        (1 << 30, most),
    ):
        with (tmp_path / "text").open("wb") as text:
            text.truncate(size)
        assert sorting_memory(tmp_path / "text", 3, most) == expected
    assert sorting_memory(tmp_path / "text", 3, 1 << 20) == 1 << 20
    os.mkfifo(tmp_path / "pipe")
    assert sorting_memory(tmp_path / "pipe", 3, most) == most


def test_memory_for_sorting_changes_no_byte(tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="nlmt.processes")
    text = tmp_path / "text"
    words = np.random.default_rng(1).zipf(1.3, (5000, 10))
    write_lines(text, (" ".join(map(str, line)) for line in words.tolist()))
    # Of 25 MB, lmplz's table of words leaves 20,000 trigrams at a time.
    for name, memory in (("parts", "25M"), ("whole", "1G")):
        train_arpa(text, tmp_path / name, order=3, memory=memory)
        given = sorting_memory(text, 3, memory_bytes(memory))
        assert f" --memory {given}b " in caplog.text
    assert given < 100 << 20
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_memory_has_a_limit_where_training_works_in_pieces() -> None:
    def memory(mb: float, **values: object) -> int:
        entry = {"kind": "ngram", "order": 5, **values}
        return NGRAM.plan(read_settings(NGRAM.settings, entry)).resources.memory(mb)

    assert memory(10) == memory(10, texts=["a", "b"]) < 3000
    assert memory(10_000) == memory(100_000, texts=["a", "b"]) == 24_000
    assert memory(10_000, structure="probing") > 100_000


def test_time_and_temporary_files_of_two_billion_words() -> None:
    def resources(**values: object) -> TrainingResources:
        return NGRAM.plan(
            read_settings(NGRAM.settings, {"kind": "ngram", "order": 5, **values})
        ).resources

    one, several = resources(), resources(texts=["a", "b"])
    # In 4,000 MB; processor time of 0.45 and 8 s a megabyte in the help corpus, four times.
    assert 4 * 0.45 * 4000 / 60 < one.minutes(4000, 8) < 24 * 60
    assert 4 * 8 * 4000 / 60 < several.minutes(4000, 8) < 60 * 60
    assert one.scratch(4000) == 300_000
    assert 550_000 <= several.scratch(4000) < 600_000
