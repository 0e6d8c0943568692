"""Weights between files and commands, refused mix-ups, and what else commands owe their users."""

import gzip
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nlmt.cli import main
from nlmt.cli.commands import COMMANDS
from nlmt.cli.completion import script
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.moses_ini import read_ini
from nlmt.io.nbest import read_feature_names, read_nbest

GOLDEN = Path(__file__).parents[2] / "golden"
ARPA = str(GOLDEN / "model/lm.arpa.gz")
(REORDERING,) = (GOLDEN / "model").glob("reordering-table.*")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").symlink_to(GOLDEN / "model")
    shutil.copy(GOLDEN / "moses.ini", tmp_path)
    for name in ("dev.fr", "dev.en"):
        lines = (GOLDEN / name).read_text().splitlines(keepends=True)[:4]
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def run(command: str) -> None:
    assert main(command.split()) == 0, command


def test_swapped_tables_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(GOLDEN / "model/phrase-table.gz")
    swapped = ["--phrase-table", str(REORDERING), "--reordering-table", table]
    assert main(["binarise", *swapped, "--out", "tables.bin"]) == 1
    assert "phrase-table.gz:1: " in (message := capsys.readouterr().err)
    assert "give it as --phrase-table" in message
    Path("bars").write_text("a" + " ||| b" * 100_000 + "\n")
    bars = ["--phrase-table", "bars", "--reordering-table", "bars"]
    assert main(["binarise", *bars, "--out", "tables.bin"]) == 1
    assert not Path("tables.bin").exists()


def test_models_of_words_and_of_tuples(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("list").write_text("0 ||| this  ||| LM0= -1 ||| -1 ||| 0-0\n")
    Path("source").write_text("ceci\n")
    tuples = [f"{word}={word}" for word in ("cela", "ici", "port")]
    Path("tuples").write_text("".join(f"{a} {b}\n" for a in tuples for b in tuples))
    Path("lm.yaml").write_text("kind: ngram\norder: 2\n")
    run("lm train --config lm.yaml --train tuples --dev tuples --out tm")
    rescore = "rescore --nbest list --source source --out new"
    for command, what in (
        (f"{rescore} --model tm", "a model of tuples, not of words"),
        (f"{rescore} --tuple-model {ARPA}", "a model of words, not of tuples"),
    ):
        assert main(command.split()) == 1
        assert what in capsys.readouterr().err
    run(f"{rescore} --tuple-model tm")
    assert "1 words, 1 of them out of vocabulary (100.0 %)" in capsys.readouterr().out


def test_a_trained_model_stays(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lm.yaml").write_text("kind: ngram\norder: 2\n")
    train = "lm train --config lm.yaml --train dev.en --dev dev.en --out lm"
    run(train)
    before = Path("lm/model.binary").read_bytes()
    assert main(train.replace("dev.en", "dev.fr").split()) == 1
    assert "--overwrite" in capsys.readouterr().err
    assert Path("lm/model.binary").read_bytes() == before
    run(f"{train.replace('dev.en', 'dev.fr')} --overwrite")
    assert Path("lm/model.binary").read_bytes() != before
    run("lm info lm")
    info = capsys.readouterr().out
    assert "n-gram model: KenLM binary, trie" in info
    assert "order: 2" in info


def test_information_on_kenlm_files(capsys: pytest.CaptureFixture[str]) -> None:
    """The counts are those that the ARPA file states."""
    run(f"lm info {ARPA}")
    stated = gzip.decompress(Path(ARPA).read_bytes())[:200].decode()
    printed = capsys.readouterr().out
    for order in (1, 2, 3):
        count = stated.split(f"ngram {order}=")[1].split("\n")[0]
        assert f"  {order}-grams: {count}\n" in printed


def test_a_class_model_is_trained_and_described(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lm.yaml").write_text("kind: class-ngram\norder: 2\n")
    run("classes frequency --text dev.en --classes 4 --out classes.tsv")
    run("lm train --config lm.yaml --train dev.en --dev dev.en --classes classes.tsv --out lm")
    capsys.readouterr()
    run("lm info lm")
    printed = capsys.readouterr().out
    words = len(set(Path("dev.en").read_text().split()))
    assert f"words: {words}, in 4 classes" in printed
    assert "words: 4, and <unk>, <s>, </s>" in printed


def test_options_without_effect_on_a_kind_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = "lm train --config lm.yaml --train dev.en --dev dev.en --out lm"
    Path("lm.yaml").write_text("kind: ngram\norder: 2\n")
    for option in ("--classes dev.en", "--from model", "--processes 2"):
        assert main(f"{train} {option}".split()) == 1
        message = f"{option.split()[0]} has no effect on kind: ngram"
        assert message in capsys.readouterr().err
    Path("lm.yaml").write_text("kind: interpolation\nmodels: [a, b]\n")
    assert main(train.split()) == 1
    message = "lm.yaml: kind: interpolation is for models of the workflow"
    assert message in capsys.readouterr().err


def test_weights_in_the_decoder_and_in_a_moses_ini(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("w.json").write_text('{"weights": {"LM0": [0.001], "WordPenalty0": [2]}}')
    run("weights w.json --ini moses.ini --out sub/tuned.ini")
    tuned = read_ini("sub/tuned.ini")
    assert (tuned.weights["LM0"], tuned.weights["Distortion0"]) == ([0.001], [0.3])
    assert [f.line() for f in tuned.features] == [f.line() for f in read_ini("moses.ini").features]
    capsys.readouterr()
    outputs = []
    for flags in ("-f moses.ini -weights w.json", "-f sub/tuned.ini", "-f moses.ini"):
        run(f"decode {flags} -i dev.fr")
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]
    run("weights sub/tuned.ini --out back.json")
    assert json.loads(Path("back.json").read_text())["weights"]["LM0"] == [0.001]
    Path("w.json").write_text('{"weights": {"NLM0": [0.9]}}')
    for command in (
        "decode -f moses.ini -i dev.fr -weights w.json",
        "weights w.json --ini moses.ini",
    ):
        assert main(command.split()) == 1
        assert "w.json: weights for NLM0" in capsys.readouterr().err


def test_a_moses_ini_is_moved(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths that are right only from its own folder are absolute in a copy elsewhere."""
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    run("weights ../moses.ini --ini ../moses.ini --out tuned.ini")
    found = read_ini("tuned.ini").feature("LM0").arguments["path"]
    assert Path(found) == here / "model/lm.arpa.gz"


def test_weights_pass_between_lattices_lists_and_files(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run(
        "decode -f moses.ini -i dev.fr -output-lattice dev.lattices"
        " -n-best-list dev.nbest 20 distinct"
    )
    run("lattice convert dev.lattices graphs --to osgx")
    run(f"rescore --lattice dev.lattices --model {ARPA} --model-weight 0.1 --out new.lattices"
        " --nbest 20 new.nbest --distinct")  # fmt: skip
    run(f"rescore --nbest dev.nbest --model {ARPA} --out rescored.nbest")
    assert sorted(read_feature_names("new.nbest")) == sorted(read_feature_names("rescored.nbest"))
    assert read_feature_names("new.nbest") != read_feature_names("rescored.nbest")
    run("nbest merge rescored.nbest new.nbest --out both.nbest")
    assert read_feature_names("both.nbest") == read_feature_names("rescored.nbest")
    run("tune --nbest new.nbest rescored.nbest --reference dev.en --weights moses.ini --out w.json"
        " --restarts 1")  # fmt: skip
    weights = json.loads(Path("w.json").read_text())["weights"]
    assert "NLM0" in weights
    assert "UnknownWordPenalty0" not in weights
    caplog.clear()
    run("lattice best new.lattices --weights w.json")
    assert not caplog.messages
    run(f"rescore --lattice dev.lattices --model {ARPA} --weights w.json --out again.lattices")
    for command, name in (("nbest best", "dev.nbest"), ("lattice best", "dev.lattices")):
        caplog.clear()
        run(f"{command} {name} --weights w.json")
        assert f"w.json: NLM0 not used: {name} lacks them" in caplog.messages


def test_recombined_lattices_have_more_paths(here: Path) -> None:
    run("decode -f moses.ini -i dev.fr -output-lattice dev.lattices")
    found = {}
    for flags in ("", " --recombine"):
        run(f"rescore --lattice dev.lattices --model {ARPA} --model-weight 0.1 --states 1{flags}"
            " --out new.lattices --one-best best")  # fmt: skip
        paths = [lattice.log10_paths() for lattice in LatticeFile("new.lattices")]
        found[flags] = Path("best").read_text(), sum(paths)
    assert found[""][0] == found[" --recombine"][0]
    assert found[""][1] < found[" --recombine"][1]


def test_too_few_references_are_seen_before_tuning(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("decode -f moses.ini -i dev.fr -output-lattice dev.lattices -lattice-density 5")
    Path("short").write_text("".join(Path("dev.en").read_text().splitlines(keepends=True)[:3]))
    command = "tune --lattice dev.lattices --reference short --out w.json"
    assert main(command.split()) == 1
    message = "dev.lattices: a lattice of sentence 3, but there are 3 references"
    assert message in capsys.readouterr().err


def test_features_of_merged_lists_have_one_order(here: Path) -> None:
    Path("b").write_text("0 ||| y  ||| TM0= -3 -4 LM0= -5 ||| -1 ||| 0-0\n")
    Path("a").write_text("0 ||| x  ||| LM0= -1 TM0= -2 -7 ||| -2 ||| 0-0\n")
    run("nbest merge a b --out c")
    assert Path("c").read_text() == (
        "0 ||| y  ||| LM0= -5 TM0= -3 -4 ||| -1 ||| 0-0\n"
        "0 ||| x  ||| LM0= -1 TM0= -2 -7 ||| -2 ||| 0-0\n"
    )
    assert read_nbest("c").features.tolist() == [[-5, -3, -4], [-1, -2, -7]]


def test_positional_arguments_may_stand_behind_options(here: Path) -> None:
    Path("list").write_text("0 ||| x  ||| LM0= -1 ||| -1\n")
    Path("w.json").write_text('{"weights": {"LM0": [2]}}')
    run("nbest best list --weights w.json out")
    assert Path("out").read_text() == "x\n"
    run("nbest best --weights w.json list other")
    assert Path("other").read_text() == "x\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("rescore --nbest no --model no --label 'a b' --out x", "'a b' is not a label"),
        ("tune --nbest dev.en --reference dev.en --out x --method lattice-mert", "with --lattice"),
        ("lattice prune dev.en out", "prune without a limit"),
        ("lattice prune dev.en out --beam -1", "-1 is less than 0"),
        ("lattice prune dev.en out --density 0", "0 is not above 0"),
        ("lattice best dev.en --distinct", "--distinct is for --nbest"),
        ("classes brown --text dev.en --out x --option a=1", "brown.a: unknown key"),
        ("classes exchange --text dev.en --out x --option a=1", "unrecognized arguments: --option"),
        (f"lm score {ARPA} {ARPA} dev.en --interpolate 0 0", "a weight above 0"),
        ("nbest convert dev.en x --tokenise english", "unknown language code"),
        ("rescore --nbest no --model no --out x --sentences 2", "--sentences needs --one-best"),
        ("nbest convert dev.en x --casing keep", "--casing needs --tokenise"),
        ("evaluate --reference dev.en --hypotheses dev.en --source dev.fr",
         "--source needs --side-by-side"),
        ("text tokenise --language fr --segmenter jieba dev.fr", "jieba is not for"),
        ("evaluate --reference dev.en --hypotheses dev.en --baseline dev.en dev.fr"
         " --paired baseline", "1 runs, but"),
        ("evaluate --reference dev.en --hypotheses dev.en --name average", "not average"),
        ("mert --features dev.en dev.fr --scores dev.en --init dev.en", "2 --features, but 1"),
        ("binarise --phrase-table dev.en --out x --memory 4X", "such as 500M, 4G or 50%"),
        ("tune --decode moses.ini --source dev.fr --reference dev.en --folder x"
         " --decoder-flags '-n-best-list a 1'", "-n-best-list"),
        ("tune --decode moses.ini --source dev.fr --reference dev.en --folder x"
         " --decoder-flags '-s 50 -i -'", "--decoder-flags: -i (only flags of the search"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(
    here: Path, command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(shlex.split(command))
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("lattice info dev.en", "dev.en: neither lattices nor a search graph"),
        ("nbest totals dev.en out --weights dev.fr", "dev.fr: no weights"),
    ],
)
def test_files_that_do_not_fit(
    here: Path, command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 1
    assert message in capsys.readouterr().err


def test_weights_that_a_list_needs_are_asked_for_first(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not only after the list is scored: the model is not even looked at."""
    Path("list").write_text("0 ||| x  ||| LM0= -1 ||| -1\n")
    Path("w.json").write_text('{"weights": {"LM0": [2]}}')
    command = "rescore --nbest list --model dev.en --weights w.json --out new"
    assert main(command.split()) == 1
    assert "no weight for the feature NLM0" in capsys.readouterr().err


def test_running_text_beside_tokens_is_noticed(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Path("tokens").write_text("it ends .\nno end\nyes .\nat 5 p.m.\n")
    Path("raw").write_text("It ends.\nNo end\nYes.\nAt 5 p.m.\n")
    for hypotheses, reference, tokenised in (
        ("tokens", "raw", ["translations"]),
        ("raw", "tokens", ["references"]),
        ("raw", "raw", []),
        ("tokens", "tokens", []),
    ):
        caplog.clear()
        run(f"evaluate --hypotheses {hypotheses} --reference {reference} --metrics bleu")
        assert [line.split()[3] for line in caplog.messages] == tokenised


def test_completion(here: Path) -> None:
    Path("script").write_text(script())

    def complete(line: str) -> list[str]:
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        code = (
            f"source ./script; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _nlmt;"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert set(complete("nlmt ")) >= set(COMMANDS)
    assert complete("nlmt nb") == ["nbest"]
    assert complete("nlmt nbest or") == ["oracle"]
    assert "--metric" in complete("nlmt nbest oracle --m")
    assert complete("nlmt nbest oracle --metric ") == ["bleu", "ter", "chrf"]
    assert "--decode" in complete("nlmt tune --d")
    assert complete("nlmt nbest info dev.f") == ["dev.fr"]
    assert "-n-best-list" in complete("nlmt decode -n-")
    assert complete("nlmt completion z") == ["zsh"]


def test_every_missing_file_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--hypotheses", "a", "dev.en", "b", "--reference", "c"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == ["nlmt evaluate: a: no such file", "b: no such file", "c: no such file"]


@pytest.mark.parametrize(
    "command",
    [
        "evaluate --hypotheses empty --reference empty",
        "tune --decode moses.ini --source empty --reference empty --folder tuned",
        f"lm perplexity {ARPA} empty",
        "classes brown --text empty --out classes.tsv",
        "align --source empty --target empty --out links",
        "lm train --config lm.yaml --train empty --dev dev.en --out lm",
    ],
)
def test_an_empty_text_is_named(
    here: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").touch()
    Path("lm.yaml").write_text("kind: ngram\norder: 2\n")
    assert main(command.split()) == 1
    assert f"nlmt {command.split()[0]}: empty: no " in capsys.readouterr().err


def test_what_is_no_gzip(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("text.gz").write_text("text\n")
    assert main(["text", "tokenise", "--language", "en", "text.gz"]) == 1
    assert "text.gz: named .gz, but not compressed with gzip" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "command", ["--version", "weights moses.ini", f"lm info {ARPA}", "completion bash"]
)
def test_a_full_disk_behind_standard_output(here: Path, command: str) -> None:
    program = [sys.executable, "-m", "nlmt.cli", *command.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.count("No space left on device (free some space") == 1
    for bad in ("Errno", "Traceback", "ignored"):
        assert bad not in done.stderr


def test_other_programs_are_quiet(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    """lmplz and build_binary print forty lines where nothing is wrong."""
    Path("lm.yaml").write_text("kind: ngram\norder: 2\n")
    run("lm train --config lm.yaml --train dev.en --dev dev.en --out lm")
    assert not [one for one in caplog.records if one.name == "nlmt.processes"]


def test_own_files_that_are_not_there(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    """`config check` looks for them; they may come later."""
    files = {part: {"fr": f"{part}.fr", "en": f"{part}.en"} for part in ("train", "dev")}
    corpus = {"kind": "file", "description": "mine", "licence": "none",
              "languages": {"fr": "French", "en": "English"}, "files": files}  # fmt: skip
    mine = {"task": "mine", "corpus": "mine", "corpora": {"mine": corpus}, "pairs": ["fr-en"]}
    mine |= {"monolingual": {"en": ["gone.en"]}, "systems": {"nlm_decoder": None}}
    Path("mine.yaml").write_text(json.dumps({**mine, "decoder": {"engine": "moses", "path": "m"}}))
    run("config check mine.yaml")
    missing = ["train.fr", "train.en", "gone.en", "m"]
    assert [one.getMessage().split(":")[0] for one in caplog.records] == missing


def test_an_own_corpus_without_a_language_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"train": {"fr": "train.fr", "en": "train.en"}, "dev": {"fr": "dev.fr"}}
    corpus = {"kind": "file", "languages": {"fr": "French", "en": "English"}, "files": files}
    mine = {"task": "mine", "corpus": "mine", "corpora": {"mine": corpus}, "pairs": ["fr-en"]}
    Path("mine.yaml").write_text(json.dumps(mine))
    assert main(["config", "check", "mine.yaml"]) == 1
    said = capsys.readouterr()
    assert "mine.yaml:1: corpora.mine: corpus mine: files.dev names no file of" in said.err
    assert "valid" not in said.out
