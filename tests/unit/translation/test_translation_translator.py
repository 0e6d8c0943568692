"""A translator over the golden model: lines, batches, lists, unknown words, export, refusals."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from golden_pair import golden_pair

import nlmt
from nlmt.cli import main
from nlmt.decoder import Decoder
from nlmt.errors import InputError
from nlmt.translation import Rescoring, SystemsFolder, Translator, export_system

GOLDEN = Path(__file__).parents[2] / "golden"
RAW = ["Ma porte traduit un modèle.", "", "Le chien ne cherche pas cette Zorg.", "la lettre"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pair with one system that decodes, and one that rescores its lists."""
    place = tmp_path_factory.mktemp("pair")
    pair = golden_pair(place)
    plain = pair.systems["plain"][1]
    weights = json.loads((place / "weights.json").read_text())["weights"]
    reranking = {**weights, "LM1": [0.3]}
    (place / "reranking.json").write_text(json.dumps({"weights": reranking, "bleu": 31.0}))
    rescoring = Rescoring({"LM1": "lm/model.arpa.gz"}, (), 50, "reranking.json")
    systems = replace(
        pair,
        systems={
            "plain": {1: plain},
            "rescored": {1: replace(plain, rescoring=rescoring), 2: plain},
            "oracle": {1: replace(plain, rescoring=replace(rescoring, sees_reference=True))},
            "later": {1: replace(plain, weights="later.json")},
        },
        compared=("plain", "rescored", "later"),
    )
    (place / "systems.json").write_text(json.dumps(systems.content()))
    return place


def test_a_folder_is_read_as_it_was_written(folder: Path) -> None:
    systems = SystemsFolder.read(folder)
    assert json.loads(json.dumps(systems.content())) == json.loads(
        (folder / "systems.json").read_text()
    )
    assert systems.best(1) == "rescored"


def test_the_best_system_is_chosen_by_what_systems_were_tuned_for(folder: Path) -> None:
    """Values of error rates are negated; those of different objectives do not compare."""
    systems = SystemsFolder.read(folder)
    plain = systems.systems["plain"][1]
    tuned = {}
    for name, value in (("worse", -60.0), ("better", -50.0)):
        (folder / f"{name}.json").write_text(json.dumps({"weights": {}, "ter": value}))
        tuned[name] = {1: replace(plain, weights=f"{name}.json", objective="ter")}
    assert replace(systems, systems=tuned, compared=("worse", "better")).best(1) == "better"
    mixed = {"plain": {1: plain}, **tuned}
    with pytest.raises(InputError, match="plain for bleu, worse for ter"):
        replace(systems, systems=mixed, compared=("plain", "worse")).best(1)
    only = replace(systems, compared=("oracle", "plain"))
    assert only.best(1) == "plain"  # the other one sees the reference


def test_a_line_is_a_line(folder: Path) -> None:
    """In any batches, by any number of threads, with the decoder's own words."""
    plain = Translator.load(folder, "plain")
    found = list(plain.translate(RAW))
    assert found[1] == ""
    assert found[0] == "My door translates a model."
    assert "Zorg" in found[2]
    assert found[3][0].islower()
    tokens = ["ma porte traduit un modèle ."]
    decoder = Decoder(GOLDEN / "moses.ini")
    (best,) = decoder.translate(tokens)
    (one,) = next(plain.translations(RAW))
    assert (one.target, one.alignment) == (best.text, best.alignment)
    for system in ("plain", "rescored"):
        translator = nlmt.Translator.load(folder, system, threads=2)
        at_once = list(translator.translations(RAW, 3))
        assert at_once == [next(translator.translations([line], 3)) for line in RAW]
        assert at_once == list(translator.translations(RAW, 3, batch=3))
        assert [best.text for best, *_ in at_once] == list(translator.translate(RAW))


@pytest.mark.parametrize("system", ["plain", "rescored"])
def test_any_name_of_a_folder_will_do(folder: Path, tmp_path: Path, system: str) -> None:
    """Also one that a moses.ini could not have as a path."""
    elsewhere = shutil.copytree(folder, tmp_path / "mes modèles # 1")
    expected = list(Translator.load(folder, system).translate(RAW))
    assert list(Translator.load(elsewhere, system).translate(RAW)) == expected


def test_lists_are_sorted_and_distinct(folder: Path) -> None:
    for system in ("plain", "rescored"):
        several = next(Translator.load(folder, system).translations(RAW, 10))
        assert len({one.target for one in several}) == len(several) == 10
        scores = [one.score for one in several]
        assert scores == sorted(scores, reverse=True)


def test_unknown_words(folder: Path) -> None:
    found = {
        unknown: list(Translator.load(folder, "rescored", unknown=unknown).translate(RAW))[2]
        for unknown in ("keep", "drop", "mark")
    }
    assert found["mark"] == found["keep"].replace("Zorg", "[Zorg]")
    assert found["drop"] == found["keep"].replace(" Zorg", "")


def test_a_long_line_is_named(folder: Path) -> None:
    lines = ["la lettre"] * 3 + ["la " * 5000]
    with pytest.raises(InputError, match=r"^text:4: "):
        list(Translator.load(folder, "plain").translations(lines, batch=2, source="text"))


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.fr"
    text.write_text("".join(f"{line}\n" for line in RAW))
    command = ["translate", str(folder), str(text)]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == list(Translator.load(folder).translate(RAW))
    assert "no translation" not in printed.err
    assert main([*command, "--n-best", "2", "--alignment"]) == 0
    first = capsys.readouterr().out.splitlines()[0].split(" ||| ")
    assert first[0] == "0"
    assert first[1] == "My door translates a model."
    assert first[3:5] == ["ma porte traduit un modèle .", "my door translates a model ."]
    assert first[5].split()[0] == "0-0"
    with pytest.raises(SystemExit):
        main([*command, "--alignment", "--unknown", "drop"])


def test_most_words_unknown(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture
) -> None:
    """One warning of `translate` and of `decode`, for raw text that needs preparation."""
    text = tmp_path / "text"
    text.write_text("Cherchez-vous la lettre?\nWhere is it?\n")
    for command in (["translate", str(folder)], ["decode", "-f", str(GOLDEN / "moses.ini"), "-i"]):
        caplog.clear()
        assert main([*command, str(text)]) == 0
        (warning,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
        assert "words of the input have no translation" in warning
    assert "nlmt text tokenise" in warning


@pytest.mark.parametrize(
    ("system", "run", "message"),
    [
        ("plane", 1, "unknown system 'plane' .did you mean 'plain'"),
        ("plain", 7, "plain: no run 7"),
        ("oracle", 1, "sees the reference"),
        ("later", 1, r"no later\.json .snakemake .*eval/later\.json"),
        (None, 3, "no system has a run 3"),
    ],
)
def test_refusals(folder: Path, system: str | None, run: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Translator.load(folder, system, run=run)


def test_folders_without_systems(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no systems\.json here .give results/help/fr-en"):
        Translator.load(tmp_path)
    with pytest.raises(InputError, match=rf"no systems\.json here .give .*{folder}"):
        Translator.load(folder.parent)
    (tmp_path / "tm").mkdir()
    with pytest.raises(InputError, match=r"here .snakemake --cores all .*/systems\.json.$"):
        Translator.load(tmp_path)
    (tmp_path / "systems.json").write_text('{"source": "fr"}')
    with pytest.raises(InputError, match=r"systems\.json: no 'systems' \(made by an earlier"):
        Translator.load(tmp_path)
    (tmp_path / "systems.json").write_text('{"systems": []}')
    with pytest.raises(InputError, match=r"systems\.json: not as expected"):
        Translator.load(tmp_path)


def test_a_language_model_without_its_path(folder: Path) -> None:
    systems = SystemsFolder.read(folder)
    files = replace(systems.run_of("plain", 1), language_models=("KENLM name=LM0",))
    with pytest.raises(InputError, match=r"systems\.json: LM0 has no path="):
        Translator(systems, files)


@pytest.mark.parametrize("system", ["plain", "rescored"])
def test_export_works_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    command = ["export", str(folder), str(tmp_path / "one"), "--system", system]
    assert main(command) == 0
    assert main(command) == 1
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    (tmp_path / "other").mkdir()
    moved = (tmp_path / "one").rename(tmp_path / "other/two")
    monkeypatch.chdir(tmp_path)
    expected = list(Translator.load(folder, system).translations(RAW, 2))
    assert list(Translator.load("other/two").translations(RAW, 2)) == expected
    text = tmp_path / "text"
    text.write_text("ma porte traduit un modèle .\n")
    for place in (tmp_path, moved):
        monkeypatch.chdir(place)
        assert main(["decode", "-f", str(moved / "moses.ini"), "-i", str(text)]) == 0
        plain = next(Translator.load(folder, "plain").translations(RAW))
        assert capsys.readouterr().out == f"{plain[0].target} \n"


def test_what_is_not_exported(folder: Path, tmp_path: Path) -> None:
    systems = SystemsFolder.read(folder)
    plain = systems.run_of("plain", 1)
    (folder / "lm/pretrained.json").write_text("{}")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"model_files": ("lm/pretrained.json",)}, "pretrained model is outside"),
        ({"model_files": ("lm/../lm/model.arpa.gz",)}, "arpa.gz is outside of the folder"),
        ({"weights": f"lm/../{plain.weights}"}, "json is outside of the folder"),
        ({"phrase_table": str(folder / plain.phrase_table)}, "outside of the folder"),
    ]
    for outside, message in cases:
        files = replace(plain, **outside)
        other = replace(systems, systems={"plain": {1: files}})
        with pytest.raises(InputError, match=message):
            export_system(other, "plain", 1, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_text_commands(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text"
    text.write_text("L'icône (Zorg).\n\n")
    assert main(["text", "tokenise", "--language", "fr", str(text)]) == 0
    assert capsys.readouterr().out == "l' icône ( zorg ) .\n\n"
    assert main(["text", "tokenise", "--language", "fr", "--casing", "keep", str(text)]) == 0
    tokens = capsys.readouterr().out
    assert tokens == "L' icône ( Zorg ) .\n\n"
    text.write_text(tokens)
    assert main(["text", "detokenise", "--language", "fr", str(text)]) == 0
    assert capsys.readouterr().out == "L'icône (Zorg).\n\n"
    text.write_text("the letter\n")
    assert main(["text", "recase", str(folder / "recaser"), str(text)]) == 0
    assert capsys.readouterr().out == "the letter\n"
