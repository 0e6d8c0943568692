"""Tasks beside the first, and the scales that are laid over the default configuration."""

from pathlib import Path
from typing import Any, get_args

import pytest
from default_experiment import default_experiment
from test_experiment import CORPUS, experiment

from nlmt.cli import run_command
from nlmt.errors import InputError
from nlmt.experiment import Experiment
from nlmt.workflow.configuration import Scale, default_files, default_values, scale_file

ROOT = Path(__file__).parents[3]
SCALES = ["medium", "full", "mini"]
FILES = {part: {"de": f"{part}.de", "en": f"{part}.en"} for part in ("train", "dev", "test")}
NEWS = {"kind": "file", "languages": {"de": "German", "en": "English"}, "files": FILES}
TWO: dict[str, Any] = {
    "corpora": {"pages": CORPUS, "news": NEWS},
    "tasks": {"news-task": {"corpus": "news", "pairs": ["de-en", "en-de"]}},
}


def test_a_task_has_its_own_corpus_and_pairs() -> None:
    found = experiment(**TWO, papers={"auli2013": {"task": "news-task"}})
    assert list(found.tasks()) == ["help", "news-task"]
    assert found.corpus("news-task") == "news"
    assert found.origin("news-task", "dev") == ("news", "dev")
    assert found.origin("help", "dev") == ("pages", "dev")
    assert found.languages() == {"fr": "French", "en": "English", "de": "German"}
    assert found.paper_task("auli2013") == "news-task"
    assert found.paper_pairs("auli2013") == ["de-en", "en-de"]
    assert found.paper_pairs("luong2015") == ["fr-en"]


def test_all_tasks_have_the_same_parts() -> None:
    assert experiment().parts() == ["train", "dev", "test", "dev2"]
    assert experiment(**TWO).parts() == ["train", "dev", "test"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"tasks": {"x": {"corpus": "news", "pairs": ["de-en"], "texts": {"y": {}}}}},
            "tasks.x.texts: unknown text 'y'",
        ),
        ({"tasks": {"help": {"corpus": "news", "pairs": ["de-en"]}}}, "tasks.help: `task` has"),
        ({"tasks": {"x": {"corpus": "nwes", "pairs": ["de-en"]}}}, "tasks.x.corpus: .*nwes"),
        ({"tasks": {"x": {"corpus": "news", "pairs": ["fr-en"]}}}, "tasks.x.pairs: fr-en: .*news"),
        ({"papers": {"auli2013": {"task": "nwes"}}}, "papers.auli2013.task: unknown task 'nwes'"),
        (
            {"papers": {"auli2013": {"task": "news-task", "pairs": ["fr-en"]}}},
            "papers.auli2013.pairs: fr-en: the corpus news has no language 'fr'",
        ),
    ],
)
def test_faults_of_tasks(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        experiment(**TWO | changes)


@pytest.mark.parametrize("scale", SCALES)
def test_scales_are_valid(scale: str) -> None:
    _, files = default_values({"scale": scale}, ROOT)
    assert files == [*default_files(ROOT), ROOT / f"config/{scale}.yaml"]
    corpora = ["medium"] if scale == "medium" else ["wmt14", "wmt12"]
    assert [task.corpus for task in at_scale(scale).tasks().values()] == corpora
    assert list(get_args(Scale)) == SCALES


@pytest.mark.parametrize("scale", ["", *SCALES])
def test_ablations_differ_in_one_part_at_every_scale(scale: str) -> None:
    models = at_scale(scale).models
    whole = models["luong2015_3layer"].settings.model_dump()
    for name, parts in {
        "tanh": {"activation"},
        "constant": {"schedule", "halving_start"},
        "short": {"shortest"},
    }.items():
        other = models[f"luong2015_3layer_{name}"].settings.model_dump()
        differing = {key for key in whole if whole[key] != other[key]}
        assert differing <= parts | {"watch_test"}, name


@pytest.mark.parametrize("scale", ["", *SCALES])
def test_a_row_tuned_for_bleu_differs_in_the_objective_alone(scale: str) -> None:
    systems = at_scale(scale).systems
    named = {"label", "compared_with"}
    for row, tuned in {
        "baseline": "tuning",
        **dict.fromkeys(("1layer", "2layer", "3layer", "4layer"), "rescoring"),
    }.items():
        ours, other = (
            systems[f"luong2015_{row}{end}"].settings.model_dump(exclude=named)
            for end in ("", "_bleu")
        )
        assert ours[tuned].pop("objective") == "ter-bleu", row
        other[tuned].pop("objective")
        assert ours == other, row


@pytest.mark.parametrize(
    ("scale", "largest", "smaller"),
    [
        ("", "dim400", "class"),
        ("medium", "dim2000", "dim1000"),
        ("full", "dim5000", "dim2000"),
        ("mini", "dim400", "class"),
    ],
)
def test_the_largest_network_of_each_scale_is_compared(
    scale: str, largest: str, smaller: str
) -> None:
    """Baltescu and Blunsom's findings on it are of the back-off model and of the next network."""
    systems = at_scale(scale).systems
    assert f"baltescu2015_{largest}" in systems["baltescu2015_kn5_trie"].compared_with
    assert f"baltescu2015_{smaller}" in systems[f"baltescu2015_{largest}"].compared_with


def test_the_papers_own_scale_searches_no_settings_of_training() -> None:
    models = at_scale("full").models
    for name in models.names():
        if name.startswith(("luong2015", "baltescu2015")):
            assert not getattr(models[name].settings, "search", {}), name
    assert models["baltescu2015_class_descent"].settings.model_dump()["weight_decay"] == 1e-7
    for name in ("luong2015_4layer", "luong2015_3layer_adapted"):
        assert models[name].settings.model_dump()["learning_rate"] == 0.1  # section 3.2


def at_scale(scale: str) -> Experiment:
    return default_experiment(*([f"{scale}.yaml"] if scale else []))


def test_an_unknown_scale_names_those_that_there_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    chosen = tmp_path / "mine.yaml"
    chosen.write_text("scale: ful\n")
    with pytest.raises(InputError, match=r"scale: 'ful' .*'full'\? allowed: medium, full, mini"):
        run_command("config", ["check", str(chosen)])
    with pytest.raises(InputError, match="scale: 'corpora' is not allowed"):
        scale_file("corpora", ROOT)


def test_training_on_two_billion_words_asks_for_what_it_needs() -> None:
    nce = at_scale("full").models["nce"].plan.resources  # 9 GB of ids are mapped
    # Four copies of two vectors of 500 numbers for 400,000 words, and a gigabyte beside.
    assert nce.memory(9000) == 1000 + 4 * 4 * 2 * 500 * 400_000 / 1e6
    assert nce.memory(2) < 1200
    # The back-off model of a short-list is in memory: some 46 bytes a token.
    short_list = at_scale("full").models["schwenk2010_background_cslm"].plan.resources
    assert short_list.memory(9000) > 46 * 2050
    assert short_list.memory(2) < 1200
    # So are texts that are not encoded.
    deep = at_scale("full").models["luong2015_1layer"].plan.resources
    assert deep.memory(4000) - deep.memory(2000) == 5 * 2000
    # The paper's training took 1.2 days.
    assert 0.5 < nce.minutes(9000, nce.threads) / (24 * 60) < 3
