"""Every mistake of a user ends in one line that says what, where and how to fix it."""

import bz2
import gzip
import lzma
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from compressed_models import reading_compressed
from decoder_models import write_with_lm

from nlmt.decoder import Decoder, NbestRequest, SearchOptions
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.ngram import NgramModel

TABLE = "le ||| the ||| 0.5 0.5 ||| 0-0 ||| 1 1 1 ||| |||\nchien ||| dog ||| 1 1 ||| 0-0\n"
REORDERING = "le ||| the ||| 0.5 0.3 0.2 0.5 0.3 0.2\n"
INI = """[distortion-limit]
6
[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TM0 num-features=2 path={folder}/table
LexicalReordering name=LR0 num-features=6 type=wbe-msd-bidirectional-fe-allff path={folder}/order
Distortion
KENLM name=LM0 factor=0 path={lm} order=3
[weight]
WordPenalty0= -1
TM0= 0.2 0.2
LR0= 0.3 0.3 0.3 0.3 0.3 0.3
Distortion0= 0.3
LM0= 0.5
"""


def make(
    folder: Path, golden: Path, *, ini: tuple[str, str] = ("", ""), table: str | bytes = TABLE
) -> Path:
    """A model with one thing changed; returns its moses.ini."""
    content = table if isinstance(table, bytes) else table.encode()
    (folder / "table").write_bytes(content)
    (folder / "order").write_text(REORDERING)
    text = INI.format(folder=folder, lm=golden / "model" / "lm.arpa.gz")
    assert ini[0] in text
    (folder / "moses.ini").write_text(text.replace(*ini) if ini[0] else text)
    return folder / "moses.ini"


def test_the_model_itself_is_right(tmp_path: Path, golden: Path) -> None:
    decoder = Decoder(make(tmp_path, golden))
    texts = [best.text for best in decoder.decode(["le chien", "", "le chat"])]
    assert texts == ["the dog", "", "the chat"]
    assert decoder.decode(["le chat"])[0].unknown == ["chat"]
    assert decoder.weights()["UnknownWordPenalty0"] == [1.0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("le ||| the ||| 0.5 0.5\nchien ||| dog ||| 1\n", "table:2: 1 scores, but TM0 has"),
        ("le ||| the\n", "table:1: .*too few fields"),
        ("le the\n", "table:1: .*too few fields"),
        ("le|||the|||0.5 0.5\n", "table:1: .*too few fields .*needs blanks around it"),
        ("le ||| the|||0.5 0.5\n", "table:1: .*too few fields .*needs blanks around it"),
        ("\n", "table:1: .*too few fields$"),
        ("||| the ||| 1 1\n", "the phrase table is empty"),
        ("[X][X] le [X] ||| [X][X] the [X] ||| 1 1\n", "table:1: .*rule table of a hierarchical"),
        ("le\0 ||| the ||| 1 1\n", "table:1: not text: a NUL byte .*iconv -f utf-16"),
        (TABLE.encode("utf-16-le"), "table:1: not text: a NUL byte"),
        (b"PK\3\4\x14\0" + TABLE.encode(), "table: not UTF-8 text, but a zip archive"),
        ("le ||| the ||| 1 x\n", "table:1: 'x' is no probability"),
        ("le ||| the ||| 1 -0.5\n", "table:1: '-0.5' is no probability"),
        ("le ||| the ||| 1 nan\n", "table:1: 'nan' is no probability"),
        ("le ||| the ||| 1 1e39\n", "table:1: '1e39' is no probability"),
        ("le ||| the ||| 1e999 1\n", "table:1: '1e999' is no probability"),
        ("le ||| the ||| -1e999 1\n", "table:1: '-1e999' is no probability"),
        ("le ||| the ||| 1 1 ||| 0-1\n", "table:1: the alignment point 0-1 lies outside"),
        ("le ||| the ||| 1 1 ||| 0:0\n", "table:1: '0:0' is no alignment point"),
        (f"le ||| {'a ' * 300}||| 1 1\n", "table:1: a target phrase of over 255 words"),
        (f"{'le ' * 300}||| a ||| 1 1\n", "table:1: a source phrase of over 255 words"),
        ("le ||| the ||| 1 1 ||| 1-0\n", "table:1: the alignment point 1-0 lies outside"),
        ("", "the phrase table is empty"),
        (TABLE.encode() + "été ||| x ||| 1 1\n".encode("latin-1"), "table:3: not UTF-8"),
        (gzip.compress(TABLE.encode() * 500, mtime=0)[:-20], "damaged or truncated gzip"),
        (
            bz2.compress(TABLE.encode()),
            r"table: not UTF-8 text, but compressed with bzip2 .*bunzip2",
        ),
        (lzma.compress(TABLE.encode()), r"table: not UTF-8 text, but compressed with xz .*unxz"),
        (TABLE.encode("utf-16"), r"table: not UTF-8 text, but UTF-16 .*iconv -f utf-16"),
    ],
)
def test_malformed_tables(table: str | bytes, message: str, tmp_path: Path, golden: Path) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(make(tmp_path, golden, table=table))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nWordPenalty\n", "\nWordPenalti\n", "feature WordPenalti, perhaps WordPenalty .there"),
        *(
            (old, new, f"{new} is not supported .*{instead}")
            for old, new, instead in (
                ("PhraseDictionaryMemory", "PhraseDictionaryCompact", "text table"),
                ("PhraseDictionaryMemory", "PhraseDictionaryBinary", "text table"),
                ("PhraseDictionaryMemory", "PhraseDictionaryOnDisk", "text table"),
                ("PhraseDictionaryMemory", "ProbingPT", "PhraseDictionaryMemory"),
                ("KENLM", "SRILM", "ARPA file as KENLM"),
            )
        ),
        ("order=3", "ordre=3", r"moses\.ini:9: LM0: unknown setting ordre=3"),
        ("order=3", "tuneable=maybe", "LM0: tuneable=maybe .true or false"),
        ("order=3", "tuneable-components=1,0", "LM0: tuneable-components=1,0 .1 of 1 and 0,"),
        ("order=3", "tuneable-components=2", "LM0: tuneable-components=2 .1 of 1 and 0,"),
        ("order=3", "oov-feature=1", "LM0: oov-feature=1 is not supported"),
        ("order=3", "num-features=2", "LM0 has 1 value, not num-features=2"),
        ("[distortion-limit]", "[n-best-list]", r"\[n-best-list\]: remove it, .* -n-best-list"),
        ("[distortion-limit]", "[stack-diversity]", r"\[stack-diversity\]: only 0 or false"),
        ("distortion-limit", "max-phrase-length", r"ini:1: \[max-phrase-length\]: only 20 or more"),
        ("[distortion-limit]\n6", "[distortion-limit]\n6\n2", "one value expected, not 2"),
        ("factor=0", "factor=1", "only factor 0"),
        ("/table\n", "/tablet\n", "TM0: no such file .*tablet"),
        ("lm.arpa.gz", "phrase-table.gz", "KenLM cannot read it"),
        ("num-features=2", "num-features=two", "TM0: num-features"),
        ("num-features=2", "num-features=4097", "TM0: num-features=4097 .at most 4,096"),
        ("LR0 num-features=6", "LR0 num-features=8", "LR0 has .*=8, but its type .* has 6"),
        ("msd-bidirectional", "msdx-bidirectional", "'msdx' of the reordering type"),
        ("LM0= 0.5", "LM0= 0.5 1", "LM0 has 1 value, but 2 weights"),
        ("LM0= 0.5", "LM0= nan", "'LM0= nan' is not a weight"),
        ("LM0= 0.5", "LM0= 1e38", "a weight of LM0 is .* too large .at most 1,000,000,000"),
        ("LM0= 0.5", "LM0= 0.5\nLM7= 1", "weights for LM7, but no such feature"),
        ("limit]\n6", "limit]\n6.5", r"\[distortion-limit\]: '6.5' is no whole number"),
        ("[distortion-limit]\n6", "[beam-threshold]\n0_5", "'0_5' is no number"),
        ("name=LR0", "name=LR0 default-scores=1,1", "LR0: default-scores=1,1 is not supported"),
        ("[distort", "[distors", r"\[distorsion-limit\]: .*not know.*perhaps distortion-limit"),
        ("LR0 num-features=6", "LR0 num-features=6 num-features=6", "num-features= twice"),
        ("LM0= 0.5", "LM0= 0.5\nLM0= 0.2", "LM0 has weights twice"),
        ("name=TM0", "name=LM0", "two features have the label LM0"),
    ],
)
def test_wrong_configurations(
    old: str, new: str, message: str, tmp_path: Path, golden: Path
) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(make(tmp_path, golden, ini=(old, new)))


def test_settings_that_moses_takes_and_that_change_nothing(tmp_path: Path, golden: Path) -> None:
    ini = make(tmp_path, golden)
    decoder = Decoder(ini)
    before = [best.score for best in decoder.decode(["le chien le", "chien"])]
    text = ini.read_text()
    general = "filterable=true verbosity=2 require-sorting-after-source-context=false"
    text = text.replace("name=TM0", f"name=TM0 {general} cache-size=0 tuneable-components=1,1")
    text = text.replace("name=LM0", f"name=LM0 {general} num-features=1 oov-feature=false")
    text = text.replace("\nWordPenalty\n", f"\nWordPenalty {general} num-features=1 # all\n")
    text = text.replace("type=wbe-", "type=")
    text += "[output-factors]\n0\n[disable-discarding]\n[early-discarding-threshold]\n0\n"
    text += "[minimum-bayes-risk]\nFalse\n[drop-unknown]\nno\n[time-out]\n-1\n[n-best-factor]\n5\n"
    text += "[drop-unknown]\n[mapping]\n[generation-file]\n"  # as if they were not there
    text += "[stack]\n0\n[stack]\n0\n[max-phrase-length]\n20\n[server-port]\n8080\n"
    text += "[report-segmentation-enriched]\n0\n"
    text = text.replace("[distortion-limit]\n6\n", "[distortion-limit]\n6.0\n")
    ini.write_text(text)
    assert [best.score for best in Decoder(ini).decode(["le chien le", "chien"])] == before


def test_binary_tables_of_moses_are_named(tmp_path: Path, golden: Path) -> None:
    ini = make(tmp_path, golden)
    (tmp_path / "order").rename(tmp_path / "order.minlexr")
    with pytest.raises(InputError, match=r"LR0: .*order.minlexr alone .give the text table"):
        Decoder(ini)


@pytest.mark.parametrize("tuneable", [True, False])
def test_features_without_weights_have_ones_as_in_moses(
    tuneable: bool, tmp_path: Path, golden: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ini = make(tmp_path, golden, ini=("name=LR0", f"name=LR0 tuneable={str(tuneable).lower()}"))
    ini.write_text(ini.read_text().replace("LR0= 0.3 0.3 0.3 0.3 0.3 0.3\n", ""))
    assert Decoder(ini).weights()["LR0"] == [1.0] * 6
    assert ("LR0 has no weights: they are 1, as in Moses" in caplog.text) == tuneable


def test_the_form_of_before_2013(tmp_path: Path, golden: Path) -> None:
    ini = make(tmp_path, golden)
    new = Decoder(ini)
    lm, old = golden / "model" / "lm.arpa.gz", tmp_path / "old.ini"
    weights = "".join("0.3\n" for _ in range(7))
    old.write_text(
        f"[input-factors]\n0\n[mapping]\nT 0\n[ttable-file]\n0 0 0 2 {tmp_path}/table\n"
        f"[lmodel-file]\n8 0 3 {lm}\n[weight-t]\n0.2\n0.2\n[weight-l]\n0.5\n[weight-w]\n-1\n"
        f"[distortion-file]\n0-0 wbe-msd-bidirectional-fe-allff 6 {tmp_path}/order\n"
        f"[weight-d]\n{weights}[distortion-limit]\n6\n"
    )
    lines = ["le chien le chat", "chien"]
    found = [(best.text, best.score) for best in Decoder(old).decode(lines)]
    expected = [(best.text, best.score) for best in new.decode(lines)]
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected])


@pytest.mark.parametrize("count", ["-2", "100000000", str(2**64 - 2), "9" * 100])
def test_counts_with_which_kenlm_crashes_are_refused(
    count: str, tmp_path: Path, golden: Path
) -> None:
    lm = golden / "model/lm.arpa.gz"
    damaged = tmp_path / "lm.arpa.gz"
    text = re.sub(b"ngram 2=.*", f"ngram 2={count}".encode(), gzip.decompress(lm.read_bytes()))
    ini = make(tmp_path, golden, ini=(str(lm), str(damaged)))
    for comment, line in ((b"", 3), (b"# a comment\n", 4)):
        damaged.write_bytes(gzip.compress(comment + text))
        with pytest.raises(InputError, match=f"lm.arpa.gz:{line}: no number of n-grams"):
            Decoder(ini)


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_models_in_all_compressions_of_kenlm(
    compress: Callable[[bytes], bytes], golden: Path, golden_decoder: Decoder, tmp_path: Path
) -> None:
    text = gzip.decompress((golden / "model/lm.arpa.gz").read_bytes())
    (tmp_path / "lm").write_bytes(compress(text))
    ini = write_with_lm(tmp_path, golden, tmp_path / "lm")
    with reading_compressed():
        (found,) = Decoder(ini).decode(["la ville"])
    (expected,) = golden_decoder.decode(["la ville"])
    assert (found.text, found.score) == (expected.text, expected.score)
    (tmp_path / "lm").write_bytes(compress(re.sub(b"ngram 1=.*", b"ngram 1=2000000000", text)))
    with pytest.raises(InputError, match="lm:2: no number of n-grams"):
        Decoder(ini)  # KenLM would ask for 36 GB


@pytest.mark.parametrize(
    ("arpa", "message"),
    [
        ("", "KenLM cannot read it"),
        ("\n", "KenLM cannot read it"),
        ("# a comment\n \t\n\\data\\\nngram 1=3\nngram 2\n", "KenLM cannot read it"),
        ("\\data\\\nngram 1=3\n\nngram 2=-1\n", "lm:4: no number of n-grams"),
        ("\\data\\\nngram 1=3\n\\1-grams:\nngram 2=-1\n", "KenLM cannot read it"),
    ],
)
def test_heads_of_arpa_files(arpa: str, message: str, tmp_path: Path, golden: Path) -> None:
    (tmp_path / "lm").write_text(arpa)
    ini = make(tmp_path, golden, ini=(str(golden / "model/lm.arpa.gz"), str(tmp_path / "lm")))
    with pytest.raises(InputError, match=message):
        Decoder(ini)


UNIGRAMS = """\\data\\
ngram 1=5
ngram 2=1

\\1-grams:
-1\t<unk>
-1\t<s>\t0
-1\t</s>
-1\tthe\t0
-1\tdog\t0

\\2-grams:
-0.5\tthe dog

\\end\\
"""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("-0.5\tthe dog", "0.5\tthe dog"), "it: Positive log probability 0.5 in the model"),
        (("-1\t<s>\t0", "-1\t<S>\t0"), "it: The ARPA file is missing <s>"),
    ],
)
def test_models_that_kenlm_refuses(
    change: tuple[str, str], message: str, tmp_path: Path, golden: Path
) -> None:
    """As the library does, with KenLM's words alone: not the place in its code."""
    lm = tmp_path / "lm"
    lm.write_text(UNIGRAMS.replace(*change))
    ini = make(tmp_path, golden, ini=(str(golden / "model/lm.arpa.gz"), str(lm)))
    with pytest.raises(InputError, match=f"{lm}: KenLM cannot read {message}") as found:
        Decoder(ini)
    assert "Byte:" not in str(found.value)
    with pytest.raises(InputError, match=message.removeprefix("it: ")) as found:
        NgramModel(lm)
    assert not found.value.hint  # it is no binary file


def test_a_model_without_unknown_words(
    tmp_path: Path, golden: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lm = tmp_path / "lm"
    lm.write_text(UNIGRAMS)
    ini = make(tmp_path, golden, ini=(str(golden / "model/lm.arpa.gz"), str(lm)))
    Decoder(ini)
    assert not caplog.messages
    lm.write_text(UNIGRAMS.replace("-1\t<unk>\n", "").replace("1=5", "1=4"))
    Decoder(ini)
    assert caplog.messages == [f"{lm}: no <unk>: KenLM gives unknown words log10 p = -100"]


def test_the_folder_of_a_path(
    tmp_path: Path, golden: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Paths are of the working directory, as for Moses, or else of the moses.ini's folder."""
    ini = make(tmp_path, golden, ini=("/table\n", "/models/table\n"))
    ini.write_text(ini.read_text().replace(f"{tmp_path}/models/", "models/"))
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "models").mkdir()
    (tmp_path / "table").rename(tmp_path / "models/table")
    moved = ini.rename(tmp_path / "a/b/moses.ini")
    monkeypatch.chdir(golden)
    with pytest.raises(InputError, match=f"are right from {tmp_path}: run the command there"):
        Decoder(moved)
    ini = moved.rename(tmp_path / "moses.ini")
    Decoder(ini)
    monkeypatch.chdir(tmp_path / "a")
    (tmp_path / "a/models").mkdir()
    assert not caplog.records
    (tmp_path / "a/models/table").write_text("not a table\n")
    with pytest.raises(InputError, match=r"^models/table:1: "):
        Decoder(ini)
    (warning,) = caplog.records
    assert f"taken from {tmp_path}/a, as by Moses; {tmp_path} has" in warning.getMessage()
    monkeypatch.chdir(tmp_path)
    Decoder(ini)


def test_missing_configuration(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Decoder(tmp_path / "moses.ini")


def test_bars_inside_a_sentence_leave_no_list(tmp_path: Path, golden: Path) -> None:
    decoder = Decoder(make(tmp_path, golden))
    request = NbestRequest(tmp_path / "list.gz", 10)
    with pytest.raises(InputError, match=r"test.fr:2: '\|\|\|' inside a sentence"):
        decoder.decode(["le", "le ||| chien"], nbest=request, source="test.fr")
    assert not request.path.exists()
    assert not list(tmp_path.glob(".*list*"))


def test_weights_that_do_not_fit(golden_decoder: Decoder) -> None:
    with pytest.raises(InputError, match="weights for LM1"):
        golden_decoder.set_weights({"LM1": [1.0]})
    with pytest.raises(InputError, match="TranslationModel0 has 4 values, but 1 weights"):
        golden_decoder.set_weights({"TranslationModel0": [1.0]})


@pytest.mark.parametrize("cube_pruning", [False, True])
def test_a_score_that_is_no_number_is_never_an_empty_translation(
    cube_pruning: bool, golden: Path
) -> None:
    decoder = Decoder(golden / "moses.ini", search=SearchOptions(cube_pruning))
    decoder._model.set_weights([math.nan] * len(decoder._model.weights))  # which no file can
    with pytest.raises(InputError, match=r"test\.fr:2: a score is not a number"):
        decoder.decode(["", "la ville"], source="test.fr")


def test_search_options_that_make_no_sense() -> None:
    with pytest.raises(InputError, match=r"stack is 1000000001 \(at most 1,000,000,000; -1"):
        SearchOptions(stack=10**9 + 1)
    with pytest.raises(InputError, match="pop_limit is 0, which makes no translation"):
        SearchOptions(pop_limit=0)
    with pytest.raises(InputError, match="beam_threshold is 2"):
        SearchOptions(beam_threshold=2)


def test_a_full_disk_is_told(golden_decoder: Decoder, golden_source: list[str]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError, match="No space left"):
        golden_decoder.decode(golden_source, nbest=NbestRequest(full, 100))


@pytest.mark.parametrize("cube_pruning", [False, True])
@pytest.mark.parametrize("bad", ["-inf", "-3e38"])
def test_a_word_without_a_probability_has_that_of_an_unknown_one(
    bad: str, cube_pruning: bool, golden: Path, golden_source: list[str], tmp_path: Path
) -> None:
    """As in the library (test_ngram_model.py); hypotheses with a score of NaN have no order."""
    arpa = gzip.decompress((golden / "model/lm.arpa.gz").read_bytes()).decode()
    for word in ("the", "of", "near", ".", "</s>"):
        arpa = re.sub(rf"^\S+(?=\t{re.escape(word)}\t)", bad, arpa, flags=re.MULTILINE)
        arpa = re.sub(rf"^\S+(?=\t\S+ {re.escape(word)}\b)", bad, arpa, flags=re.MULTILINE)
    (tmp_path / "lm.arpa").write_text(arpa)
    ini = write_with_lm(tmp_path, golden, tmp_path / "lm.arpa")
    decoder = Decoder(ini, search=SearchOptions(cube_pruning))
    decoder.decode(golden_source[:5], nbest=NbestRequest(tmp_path / "list", 20))
    model = NgramModel(tmp_path / "lm.arpa")
    lines = list(read_lines(tmp_path / "list"))
    words = [line.split(" ||| ")[1].split() for line in lines]
    ids = model.lookup([word for sentence in words for word in sentence])
    expected = model.score_sentences(ids, np.cumsum([0, *map(len, words)]))
    found = [float(line.split("LM0= ")[1].split()[0]) for line in lines]
    assert found == pytest.approx(expected, abs=0.01)
    assert len(lines) > 50
    assert min(found) < -200
