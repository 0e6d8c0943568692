import gzip
import random
from pathlib import Path

import pytest
from splitting import split_by_document

from nlmt.corpora import (
    Bitext,
    Extraction,
    SentencePair,
    SplitSettings,
    drawn_together,
    read_corpora,
    text_of,
)
from nlmt.corpora.duplicates import Duplicates
from nlmt.corpora.lines import parallel_lines
from nlmt.corpora.readers.plain import numbered
from nlmt.corpora.text_files import TextFile
from nlmt.errors import InputError
from nlmt.io.files import read_lines

SPLIT = SplitSettings(dev=5, test=5, min_tokens=2, max_tokens=10)


def count(text: str) -> int:
    return len(text.split())


def write(path: Path, lines: list[str]) -> Path:
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


LANGUAGES = {"fr": "French", "en": "English"}
HELD_OUT = ("train", "dev", "test")


def read(fr, en, split=SPLIT, parts=("train",), wanted=HELD_OUT, **keys) -> Bitext:
    """Text of files of a part each, several references in a list."""

    def paths(files):
        return [*map(str, files)] if isinstance(files, list) else str(files)

    files = {
        part: {"fr": paths(one), "en": paths(other)}
        for part, one, other in zip(parts, fr, en, strict=True)
    }
    entry = {"kind": "file", "languages": LANGUAGES, "files": files, **keys}
    corpus = read_corpora({"mine": entry})["mine"]
    return Extraction("mine", corpus, ("fr", "en"), split, (count, count)).bitext(wanted)


def sizes(bitext: Bitext) -> tuple[int, ...]:
    return tuple(len(bitext.parts[part]) for part in HELD_OUT)


FR = [f"phrase numéro {n} ici" for n in range(40)]
EN = [f"sentence number {n} here" for n in range(40)]


@pytest.mark.parametrize("threads", [1, 2])
def test_two_packages_to_a_bitext(make_help, threads, tmp_path, monkeypatch):
    def pages(words: str) -> dict[str, str]:
        return {
            f"shared/{page}": "".join(
                f'<p id="par_{n}">{words} {page} {n} <b>x</b></p>' for n in range(4)
            )
            + f'<p id="par_b">{words} everywhere here</p><p id="par_u">LibreOffice</p>'
            for page in "abcdefgh"
        }

    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data/raw/help"
    folder.mkdir(parents=True)
    make_help("fr", pages("le mot"), name="data/raw/help/help-fr.deb")
    make_help("en-US", pages("the word"), name="data/raw/help/help-en.deb")
    entry = {
        "kind": "apt",
        "format": "libreoffice-help",
        "languages": LANGUAGES,
        "packages": {"fr": "help-fr", "en": "help-en"},
    }
    corpus = read_corpora({"help": entry})["help"]
    assert len(list(text_of("help", corpus, "fr"))) == 48
    bitext = Extraction(
        "help", corpus, ("fr", "en"), SPLIT, (count, count), threads=threads
    ).bitext(HELD_OUT)
    assert sizes(bitext) == (
        17,
        8,
        8,
    )
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
    bitext = read([fr], [en])
    assert sizes(bitext) == (
        30,
        5,
        5,
    )
    assert sorted(bitext.parts["train"] + bitext.parts["dev"] + bitext.parts["test"]) == sorted(
        zip(FR, EN, strict=True)
    )
    order = [FR.index(source) for source, _ in bitext.parts["train"]]
    assert order == sorted(order)
    assert read([fr], [en]) == bitext


def test_given_parts_stay_and_their_overlap_is_counted(tmp_path):
    fr = [
        write(tmp_path / "t.fr", [*FR, "", "x"]),
        write(tmp_path / "d.fr", [FR[3], "neuf", "", "un"]),
    ]
    en = [
        write(tmp_path / "t.en", [*EN, "y", "  "]),
        write(tmp_path / "d.en", ["a", "new", "b", "\u200b"]),
    ]
    bitext = read(fr, en, parts=("train", "dev"))
    assert bitext.parts["dev"] == [(FR[3], "a"), ("neuf", "new")]
    assert len(bitext.parts["test"]) == 5
    assert bitext.counts["train_empty"] == 2
    assert bitext.counts["dev_empty"] == 2  # one line has a character that nobody sees
    assert bitext.counts["dev_in_train"] in (0, 1)
    assert bitext.counts["dev_in_train"] == (
        FR[3] in {source for source, _ in bitext.parts["train"]}
    )
    assert bitext.counts["train"] == len(bitext.parts["train"]) == 35


def test_a_second_tuning_set_is_given_or_drawn(tmp_path):
    fr = [write(tmp_path / "t.fr", FR), write(tmp_path / "d.fr", ["huit", "neuf"])]
    en = [write(tmp_path / "t.en", EN), write(tmp_path / "d.en", ["eight", "nine"])]
    split = SplitSettings(dev=5, test=5, min_tokens=2, max_tokens=10, dev2=4)
    given = read(fr, en, split, ("train", "dev2"), (*HELD_OUT, "dev2"))
    assert given.parts["dev2"] == [("huit", "eight"), ("neuf", "nine")]
    assert (given.counts["dev2"], given.counts["dev2_in_train"]) == (2, 0)
    drawn = read(fr[:1], en[:1], split, wanted=(*HELD_OUT, "dev2"))
    assert (len(drawn.parts["train"]), len(drawn.parts["dev2"])) == (26, 4)


def test_faulty_files(tmp_path):
    fr, en = write(tmp_path / "t.fr", FR), write(tmp_path / "t.en", EN[:-1])
    with pytest.raises(InputError, match=r"t\.en: ends after 39 lines"):
        read([fr], [en])
    latin = tmp_path / "latin.en"
    latin.write_bytes(b"one\n" + "caf\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.en:2: not UTF-8"):
        read([fr], [latin])
    empty = write(tmp_path / "empty", [])
    with pytest.raises(InputError, match=r"empty: no sentence pair \(both sides"):
        read([empty], [write(tmp_path / "empty.en", [])])
    with pytest.raises(InputError, match="no such file"):
        read([fr], [tmp_path / "none"])
    with pytest.raises(InputError, match=r"t\.fr: one file for both languages .write {language}"):
        read([fr], [fr])
    with pytest.raises(InputError, match="not enough text"):
        read([fr], [write(tmp_path / "t2.en", EN)], SplitSettings(dev=100))
    with pytest.raises(InputError, match="no sentence is left for training"):
        read([fr], [tmp_path / "t2.en"], SplitSettings(dev=20, test=20, min_tokens=2))
    for copy in (write(tmp_path / "copy", FR), [tmp_path / "t2.en", tmp_path / "copy"]):
        with pytest.raises(InputError, match=r"t\.fr: has the same sentences as \S*copy \(give"):
            read([fr], [copy], parts=("test",), wanted=("test",))


def test_a_test_set_alone_with_several_references(tmp_path):
    fr = write(tmp_path / "d.fr", ["un", "", "deux"])
    en = [
        write(tmp_path / "d1.en", ["one", "x", "two"]),
        write(tmp_path / "d2.en", ["a", "y", "b"]),
    ]
    bitext = read([fr], [en], parts=("test",), wanted=("test",))
    assert bitext.parts == {"test": [("un", "one", "a"), ("deux", "two", "b")]}
    assert bitext.counts == {"test_empty": 1, "test": 2}
    with pytest.raises(InputError, match="corpus mine has no part train"):
        read([fr], [en], parts=("test",))


def test_what_other_corpora_train_on_is_not_drawn(tmp_path):
    fr, en = write(tmp_path / "t.fr", FR), write(tmp_path / "t.en", EN)
    other = [write(tmp_path / "o.fr", ["X", FR[1].upper()]), write(tmp_path / "o.en", [EN[2], "y"])]
    entry = {
        "kind": "file",
        "languages": LANGUAGES,
        "files": {"whole": {"fr": str(fr), "en": str(en)}},
        "split": {"test": 38},
    }
    corpus = read_corpora({"mine": entry})["mine"]
    bitext = Extraction(
        "mine", corpus, ("fr", "en"), SPLIT, (count, count), training=[(*other,)]
    ).bitext(["test"])
    assert len(bitext.parts["test"]) == 38
    assert not {FR[1], FR[2]} & {source for source, _ in bitext.parts["test"]}


def test_text_of_one_language(tmp_path):
    path = write(tmp_path / "t.fr", ["un", "", "deux"])
    entry = {"kind": "file", "languages": {"fr": "F"}, "files": {"train": {"fr": str(path)}}}
    corpus = read_corpora({"mine": entry})["mine"]
    assert list(text_of("mine", corpus, "fr")) == ["un", "deux"]


def write_all(tmp_path, entry, wanted):
    """The files of `write_bitext`, and of `extract_bitext`, which splits them."""
    corpus = read_corpora({"mine": entry})["mine"]
    outputs = {part: (tmp_path / f"{part}.s.gz", tmp_path / f"{part}.t.gz") for part in wanted}
    arguments = ("mine", corpus, ("fr", "en"))
    counts = Extraction(*arguments, SPLIT, (count, count)).write(outputs)
    parts = {
        part: list(zip(*(read_lines(path) for path in paths), strict=True))
        for part, paths in outputs.items()
    }
    return (parts, counts), Extraction(*arguments, SPLIT, (count, count)).bitext(wanted)


@pytest.mark.parametrize("held_out", [("dev", "test"), ("test",), ()])
def test_given_parts_are_streamed_with_the_same_result(tmp_path, held_out):
    fr = [*FR, FR[3], FR[5], "", FR[3]]
    en = [*EN, EN[3], "another", "x", EN[3]]
    files = {"train": {"fr": write(tmp_path / "t.fr", fr), "en": write(tmp_path / "t.en", en)}}
    for part in held_out:
        files[part] = {
            "fr": write(tmp_path / f"{part}.fr", [FR[1].upper(), "neuf", ""]),
            "en": write(tmp_path / f"{part}.en", ["x", "new", "y"]),
        }
    plain = {part: {code: str(path) for code, path in files[part].items()} for part in files}
    entry = {"kind": "file", "languages": LANGUAGES, "files": plain}
    (parts, counts), expected = write_all(tmp_path, entry, ["train", *held_out])
    assert parts == expected.parts
    assert list(counts.items()) == list(expected.counts.items())
    pairs = [(one, other) for one, other in zip(fr, en, strict=True) if one and other]
    assert parts["train"] == list(dict.fromkeys(pairs))
    assert counts["repeated"] == 2
    if held_out:
        assert counts["test_in_train"] == 1
    assert not list(tmp_path.glob(".*"))


def test_drawn_parts_are_written_too(tmp_path):
    paths = {"fr": str(write(tmp_path / "t.fr", FR)), "en": str(write(tmp_path / "t.en", EN))}
    entry = {"kind": "file", "languages": LANGUAGES, "files": {"train": paths}}
    (parts, counts), found = write_all(tmp_path, entry, HELD_OUT)
    pairs = [SentencePair(numbered(n), *pair) for n, pair in enumerate(zip(FR, EN, strict=True))]
    expected = split_by_document(pairs, HELD_OUT, SPLIT, (count, count))
    assert parts == found.parts == expected.parts
    assert list(counts.items()) == list(found.counts.items())
    assert counts.items() >= expected.counts.items()


def test_repetitions_are_found_in_shares(tmp_path, monkeypatch):
    monkeypatch.setattr("nlmt.corpora.duplicates._AT_ONCE", 7)
    draw = random.Random(1)  # noqa: S311
    items = [(f"s{draw.randint(0, 30)}", f"t{draw.randint(0, 2)}") for _ in range(200)]
    duplicates = Duplicates(tmp_path)
    for item in items:
        duplicates.add(item)
    seen = set()
    expected = [item in seen or bool(seen.add(item)) for item in items]
    assert duplicates.repeated().tolist() == expected
    assert Duplicates(tmp_path).repeated().tolist() == []


@pytest.mark.parametrize("filters", [False, True])
def test_own_sets_leave_train_only_by_filters(tmp_path, filters):
    files = {
        part: {
            language: str(write(tmp_path / f"{part}.{language}", lines))
            for language, lines in (("fr", fr), ("en", en))
        }
        for part, fr, en in (("train", FR, EN), ("dev", FR[:2], EN[:2]), ("test", FR[3:4], EN[3:4]))
    }
    entry = {"kind": "file", "languages": LANGUAGES, "files": files}
    corpus = read_corpora({"mine": entry | ({"filters": {}} if filters else {})})["mine"]
    other = (write(tmp_path / "o.fr", FR[5:6]), write(tmp_path / "o.en", ["nothing"]))
    bitext = Extraction(
        "mine", corpus, ("fr", "en"), SPLIT, (count, count), held_out=[other]
    ).bitext(("train", "dev", "test"))
    counts = bitext.counts
    assert counts["in_held_out"] == (4 if filters else 1)
    assert (counts["dev_in_train"], counts["test_in_train"]) == ((0, 0) if filters else (2, 1))


@pytest.mark.parametrize("filters", [False, True])
def test_training_text_alone_lacks_the_sets_that_its_corpus_has(tmp_path, filters):
    texts = {"train": (FR, EN), "dev": (FR[:2], EN[:2]), "test": (FR[3:4], EN[3:4])}
    files = {
        part: {
            language: str(write(tmp_path / f"{part}.{language}", lines))
            for language, lines in zip(LANGUAGES, sides, strict=True)
        }
        for part, sides in texts.items()
    }
    entry = {"kind": "file", "languages": LANGUAGES, "files": files}
    corpus = read_corpora({"mine": entry | ({"filters": {}} if filters else {})})["mine"]
    outputs = {"train": (tmp_path / "out.fr.gz", tmp_path / "out.en.gz")}
    counts = Extraction("mine", corpus, ("fr", "en"), SPLIT, (count, count)).write(
        outputs, drawn_together(corpus, "train", ())
    )
    assert list(read_lines(outputs["train"][0])) == [FR[2], *FR[4:]]
    assert (counts["in_held_out"], counts["dev_in_train"], counts["test_in_train"]) == (3, 0, 0)


def test_training_text_lacks_what_is_held_out_elsewhere_and_nearly_so(tmp_path):
    # The first one is too long to be drawn.
    fr = ["une écharpe de laine douce et chaude pour tout un hiver", *FR]
    en = ["a scarf of soft and warm wool for all of the winter", *EN]
    paths = {"fr": str(write(tmp_path / "w.fr", fr)), "en": str(write(tmp_path / "w.en", en))}
    entry = {"kind": "file", "languages": LANGUAGES, "files": {"whole": paths}, "filters": {}}
    corpus = read_corpora({"mine": entry})["mine"]
    other = (
        write(tmp_path / "o.fr", ["Phrase numéro 3 ici !", "rien"]),
        write(tmp_path / "o.en", ["nothing", "A scarf of soft and warm wool, for all this winter"]),
    )
    bitext = Extraction(
        "mine", corpus, ("fr", "en"), SPLIT, (count, count), held_out=[other]
    ).bitext(HELD_OUT)
    counts = bitext.counts
    assert (counts["in_held_out"], counts["near_held_out"]) == (1, 1)
    assert sizes(bitext) == (41 - 2 - 10, 5, 5)
    kept = {pair[0] for part in bitext.parts.values() for pair in part}
    assert not {FR[3], fr[0]} & kept
    plain = read([write(tmp_path / "a.fr", FR)], [write(tmp_path / "a.en", EN)])
    assert "in_held_out" not in plain.counts


def test_plain_files_of_another_format_are_named(tmp_path):
    """Each line of which would be taken for a sentence; a table that mtdata names has columns."""
    po = ["# French", *(f'msgid "a{n}"\nmsgstr "b{n}"\n' for n in range(60))]
    given = {"fr": write(tmp_path / "a.po.gz", po), "en": write(tmp_path / "a.en", EN)}
    with pytest.raises(InputError, match=r"a\.po\.gz: not a sentence a line, but gettext PO"):
        read([given["fr"]], [given["en"]], wanted=("train",))
    files = {"train": {code: str(path) for code, path in given.items()}}
    entry = {"kind": "file", "languages": LANGUAGES, "files": files}
    with pytest.raises(InputError, match=r"a\.po\.gz: not a sentence a line, but gettext PO"):
        list(text_of("mine", read_corpora({"mine": entry})["mine"], "fr"))
    table = write(
        tmp_path / "table", [f"{one}\t{other}" for one, other in zip(FR, EN, strict=True)]
    )
    columns = parallel_lines(TextFile(table, "", 1), TextFile(table, "", 0))
    assert list(columns) == list(zip(EN, FR, strict=True))
    with pytest.raises(InputError, match="table: not a sentence a line, but a table with tabs"):
        list(parallel_lines(TextFile(table), TextFile(table)))


def test_a_part_that_repeats_another_is_told(tmp_path, caplog):
    """Sets of which a side is in train, or in another set, would give scores that are too high."""

    def given(**texts):
        caplog.clear()
        sides = [
            [
                write(tmp_path / f"{part}.{side}", lines)
                for part, lines in zip(texts, of_all, strict=True)
            ]
            for side, of_all in enumerate(zip(*texts.values(), strict=True))
        ]
        read(*sides, parts=tuple(texts), wanted=tuple(texts))
        return [record.message for record in caplog.records if record.levelname == "WARNING"]

    train, half = (FR[4:], EN[4:]), (FR[2:6], EN[2:6])
    assert given(train=train, dev=half) == []
    said = "3 of its 4 sentence pairs have a side that is in"
    assert given(train=train, dev=(FR[3:7], ["w", "x", "y", "z"])) == [f"dev: {said} train, too"]
    test = (["v", *FR[3:6]], EN[3:7])
    assert given(train=(FR[9:], EN[9:]), dev=(FR[2:6], EN[2:6]), test=test) == [
        f"dev: {said} test, too"
    ]
