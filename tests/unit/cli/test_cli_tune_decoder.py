"""`nlmt tune --decode`: the loop of mert-moses.pl as a command."""

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from nlmt.cli import main, tune_decoder
from nlmt.decoder import Decoder, SearchOptions
from nlmt.evaluation import BLEU
from nlmt.io.moses_ini import read_ini

GOLDEN = Path(__file__).parents[2] / "golden"
TUNE = ["tune", "--decode", "moses.ini", "--source", "dev.fr", "--reference", "dev.en"]
TUNE += ["--folder", "tuned", "--iterations", "2", "--size", "20", "--restarts", "1"]
TUNE += ["--decoder-flags"]
FLAGS = "-search-algorithm 1 -s 50 -cube-pruning-pop-limit 50"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").symlink_to(GOLDEN / "model")
    shutil.copy(GOLDEN / "moses.ini", tmp_path)
    for name in ("dev.fr", "dev.en"):
        lines = (GOLDEN / name).read_text().splitlines(keepends=True)[:10]
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path("tuned").iterdir() if path.is_file()}


def test_it_writes_a_tuned_moses_ini(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TUNE, FLAGS]) == 0
    assert {"moses.ini", "weights.json", "log.tsv"} == set(files())
    written = json.loads(files()["weights.json"])
    assert (
        f"BLEU: {written['bleu']:.2f} (before {written['initial']:.2f})" in capsys.readouterr().out
    )
    ini = read_ini("tuned/moses.ini")
    assert {label: list(ini.weights[label]) for label in written["weights"]} == written["weights"]
    # What the command says is what the decoder reaches with that moses.ini.
    search = tune_decoder._search(Decoder("moses.ini").search, FLAGS.split())
    decoder = Decoder("tuned/moses.ini", search=search)
    texts = [best.text for best in decoder.decode(Path("dev.fr").read_text().splitlines())]
    references = [Path("dev.en").read_text().splitlines()]
    assert BLEU.corpus_score(texts, references).value == pytest.approx(written["bleu"], abs=1e-6)


def test_an_interrupted_run_goes_on(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with the same weights as one that was not interrupted; a finished one stays."""
    command = [*TUNE, FLAGS, "--option", "largest_step=0.01"]  # gains something on this text
    assert main(command) == 0
    whole = json.loads(files()["weights.json"])
    shutil.rmtree("tuned")
    with monkeypatch.context() as patch:
        translate, calls = Decoder.translate, []

        def once(self: Decoder, *arguments: object, **options: object) -> object:
            if calls:
                raise KeyboardInterrupt
            calls.append(1)
            return translate(self, *arguments, **options)  # type: ignore[arg-type]

        patch.setattr(Decoder, "translate", once)
        assert main(command) == 130
    assert not (here / "tuned/weights.json").exists()
    assert main(command) == 0
    assert json.loads(files()["weights.json"])["weights"] == whole["weights"]
    capsys.readouterr()
    assert main(command) == 1
    assert "the folder has tuned weights (give another folder, or --overwrite)" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("setting", "method"),
    [
        ("tuneable-components=0", "mert"),
        ("tuneable-components=0", "lattice-mert"),
        ("tuneable=false", "lattice-mert"),
    ],
)
def test_values_that_are_not_to_be_tuned(
    setting: str, method: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where Moses' lists lack them; the weight of unknown words is not tuned anyway."""
    ini = (here / "moses.ini").read_text()
    (here / "moses.ini").write_text(ini.replace("name=LM0", f"name=LM0 {setting}"))
    assert main([*TUNE, FLAGS, "--method", method]) == 1
    assert f"moses.ini:24: LM0: {setting} is not supported here" in capsys.readouterr().err
    assert not (here / "tuned").exists()
    unknown = ini.replace("UnknownWordPenalty\n", "UnknownWordPenalty tuneable=true\n")
    (here / "moses.ini").write_text(unknown)
    assert main([*TUNE, FLAGS, "--method", "lattice-mert"]) == 1
    assert "UnknownWordPenalty0: tuneable=true is not supported" in capsys.readouterr().err
    settings = "UnknownWordPenalty tuneable=false\nWordPenalty tuneable=true"
    (here / "moses.ini").write_text(ini.replace("UnknownWordPenalty\nWordPenalty", settings))
    assert main([*TUNE, FLAGS]) == 0


def test_a_feature_that_is_not_tuneable_keeps_its_weights(here: Path) -> None:
    ini = (here / "moses.ini").read_text()
    (here / "moses.ini").write_text(ini.replace("name=LM0", "name=LM0 tuneable=false"))
    assert main([*TUNE, FLAGS]) == 0
    assert "LM0" not in json.loads(files()["weights.json"])["weights"]
    assert list(read_ini("tuned/moses.ini").weights["LM0"]) == [0.5]


def test_a_moses_ini_that_could_not_be_written_is_refused_at_once(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "my model").mkdir()
    for name in ("model", "moses.ini"):
        (here / name).rename(here / "my model" / name)
    command = [word.replace("moses.ini", "my model/moses.ini") for word in TUNE]
    assert main([*command, FLAGS]) == 1
    assert "a blank in the feature TranslationModel0 would end a setting" in capsys.readouterr().err
    assert not (here / "tuned").exists()


def test_every_setting_of_the_search_may_be_given() -> None:
    given = SearchOptions(
        cube_pruning=True,
        stack=3,
        pop_limit=4,
        beam_threshold=1e-7,
        distortion_limit=2,
        max_options_per_span=5,
        drop_unknown=True,
        monotone_at_punctuation=True,
        recombination_context=7,
        xml_input="ignore",
    )
    assert all(getattr(given, name) != value for name, value in vars(SearchOptions()).items())
    for one in (given, replace(given, distortion_limit=-1)):
        flags = tune_decoder._decoder_flags(shlex.join(one.flags()))
        assert tune_decoder._search(SearchOptions(), flags) == one
