import gzip
from pathlib import Path

import pytest

from nlmt.corpora import AptCorpus, FileCorpus, SplitConfig, extract_bitext
from nlmt.errors import InputError

SPLIT = SplitConfig(seed=1, dev=5, test=5, min_tokens=2, max_tokens=10)


def count(text: str) -> int:
    return len(text.split())


def write(path: Path, lines: list[str]) -> Path:
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read(tmp_path, fr, en, split=SPLIT, parts=("train",)):
    corpus = FileCorpus("mine", ("fr", "en"), {part: {} for part in parts})
    return extract_bitext(corpus, fr, en, split, count, count)


FR = [f"phrase numéro {n} ici" for n in range(40)]
EN = [f"sentence number {n} here" for n in range(40)]


@pytest.mark.parametrize("threads", [1, 2])
def test_two_packages_to_a_bitext(make_help, threads):
    def pages(words: str) -> dict[str, str]:
        return {
            f"shared/{page}": "".join(
                f'<p id="par_{n}">{words} {page} {n} <b>x</b></p>' for n in range(4)
            )
            + f'<p id="par_b">{words} everywhere here</p><p id="par_u">LibreOffice</p>'
            for page in "abcdefgh"
        }

    fr = make_help("fr", pages("le mot"), name="fr.deb")
    en = make_help("en-US", pages("the word"), name="en.deb")
    corpus = AptCorpus("help", ("fr", "en"), {"fr": "f", "en": "e"})
    bitext = extract_bitext(corpus, [fr], [en], SPLIT, count, count, threads)
    assert (len(bitext.train), len(bitext.dev), len(bitext.test)) == (17, 8, 8)
    assert bitext.counts == {
        "source_paragraphs": 48,
        "target_paragraphs": 48,
        "without_source": 0,
        "without_target": 0,
        "untranslated": 8,
        "joined": 40,
        "held_out_length": 0,
        "held_out_seen": 4,
        "repeated": 3,
        "train": 17,
        "dev": 8,
        "test": 8,
    }


def test_missing_parts_are_drawn_from_train(tmp_path):
    fr, en = write(tmp_path / "t.fr.gz", FR), write(tmp_path / "t.en", EN)
    bitext = read(tmp_path, [fr], [en])
    assert (len(bitext.train), len(bitext.dev), len(bitext.test)) == (30, 5, 5)
    assert sorted(bitext.train + bitext.dev + bitext.test) == sorted(zip(FR, EN, strict=True))
    order = [FR.index(source) for source, _ in bitext.train]
    assert order == sorted(order)
    assert read(tmp_path, [fr], [en]) == bitext


def test_given_parts_stay_and_their_overlap_is_counted(tmp_path):
    fr = [write(tmp_path / "t.fr", [*FR, "", "x"]), write(tmp_path / "d.fr", [FR[3], "neuf", ""])]
    en = [write(tmp_path / "t.en", [*EN, "y", "  "]), write(tmp_path / "d.en", ["a", "new", "b"])]
    bitext = read(tmp_path, fr, en, parts=("train", "dev"))
    assert bitext.dev == [(FR[3], "a"), ("neuf", "new")]
    assert len(bitext.test) == 5
    assert bitext.counts["train_empty"] == 2
    assert bitext.counts["dev_empty"] == 1
    assert bitext.counts["dev_in_train"] in (0, 1)
    assert bitext.counts["dev_in_train"] == (FR[3] in {source for source, _ in bitext.train})
    assert bitext.counts["train"] == len(bitext.train) == 35


def test_a_second_tuning_set_is_given_or_drawn(tmp_path):
    fr = [write(tmp_path / "t.fr", FR), write(tmp_path / "d.fr", ["huit", "neuf"])]
    en = [write(tmp_path / "t.en", EN), write(tmp_path / "d.en", ["eight", "nine"])]
    wanted = SplitConfig(seed=1, dev=5, test=5, min_tokens=2, max_tokens=10, dev2=4)
    given = read(tmp_path, fr, en, wanted, parts=("train", "dev2"))
    assert given.dev2 == [("huit", "eight"), ("neuf", "nine")]
    assert (given.counts["dev2"], given.counts["dev2_in_train"]) == (2, 0)
    drawn = read(tmp_path, fr[:1], en[:1], wanted)
    assert (len(drawn.train), len(drawn.dev2)) == (26, 4)


def test_faulty_files(tmp_path):
    fr, en = write(tmp_path / "t.fr", FR), write(tmp_path / "t.en", EN[:-1])
    with pytest.raises(InputError, match=r"t\.en: ends after 39 lines"):
        read(tmp_path, [fr], [en])
    latin = tmp_path / "latin.en"
    latin.write_bytes(b"one\n" + "caf\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.en:2: not UTF-8"):
        read(tmp_path, [fr], [latin])
    empty = write(tmp_path / "empty", [])
    with pytest.raises(InputError, match=r"empty: no sentence pair in the train files"):
        read(tmp_path, [empty], [empty])
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path, [fr], [tmp_path / "none"])
    with pytest.raises(InputError, match="not enough text"):
        read(tmp_path, [fr], [fr], SplitConfig(dev=100))
