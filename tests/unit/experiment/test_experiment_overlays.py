"""Overlays in config/: further test sets, and the sizes of a paper's models."""

from pathlib import Path
from typing import Any

import pytest
from default_experiment import changed_experiment, default_experiment

from nlmt.corpora import downloads
from nlmt.experiment import Experiment
from nlmt.papers import PAPERS

ROOT = Path(__file__).parents[3]


def read(values: dict[str, Any]) -> Experiment:
    return Experiment.read(values, papers=dict(PAPERS.items()))


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def domains() -> Experiment:
    return default_experiment("domains.yaml")


def test_each_domain_has_the_languages_of_its_pairs(domains: Experiment) -> None:
    config = domains.config
    own = {
        name: config.corpora[held_out.corpus]
        for name, held_out in config.held_out.items()
        if domains.paper_of(name) is None
    }
    assert len(own) == 5
    for name, corpus in own.items():
        # Whatever every system is tested on is there for the pairs of all papers.
        others = ("zh-en", "ja-en", "it-en") if name in config.test_sets else ()
        for pair in (*config.pairs, *others):
            assert set(pair.split("-")) <= set(corpus.languages), (name, pair)


def test_systems_of_papers_are_tested_on_the_domains(domains: Experiment) -> None:
    wanted = set(domains.config.test_sets)
    assert wanted == {"test", "gimp", "gnome", "installation", "handbook"}
    for name in (
        "baseline",
        "baltescu2015_class_kn5",
        "auli2013_transform",
        "auli2013_rnn_all",
        "schwenk2010_tuples_cslm",
        "combined_all",
    ):
        assert wanted <= set(domains.systems[name].test_sets), name
    ours = set(domains.systems["luong2015_4layer"].test_sets)
    assert wanted - {"gnome"} | {"luong2015_test2"} <= ours  # the same text
    assert domains.systems["auli2013_rnn_without_ef"].test_sets == ["test"]


def test_languages_of_the_sets_of_scale_medium() -> None:
    """As docs/medium-scale.md has it: Italian lacks Evolution's help, German nothing."""
    config = default_experiment("medium.yaml").config
    for language, lacking in (("it", {"evolution", "luong2015_test2"}), ("de", set())):
        assert lacking == {
            name
            for name, held_out in config.held_out.items()
            if language not in config.corpora[held_out.corpus].languages
        }


def test_sizes_of_luong_et_al() -> None:
    """Embeddings and layers are those of full scale; words, updates and evaluations are fewer."""
    ours, full = default_experiment("luong2015-sizes.yaml"), default_experiment("full.yaml")
    smaller = {"max_words", "texts", "device", "precision", "evaluations", "patience"}
    smaller |= {"search", "learning_rate", "initial_range", "halving_start", "epochs"}
    for layers in range(1, 5):
        name = f"luong2015_{layers}layer"
        model = ours.models[name].settings.model_dump(exclude=smaller)
        assert model == full.models[name].settings.model_dump(exclude=smaller)
        assert (model["dim"], list(model["hidden"])) == (256, [512] * layers)
    for name in ("luong2015_1layer_adagrad", "luong2015_4layer_adagrad"):  # as without it
        assert ours.models[name].settings == default_experiment().models[name].settings


def test_papers_have_their_own_pairs_where_none_are_named() -> None:
    settings = default_experiment().config.model_dump(mode="json", exclude_unset=True)
    own = default_experiment()
    assert own.tasks()["help"].pairs == ("fr-en", "en-cs", "en-de")
    assert own.paper_pairs("luong2015") == ["zh-en", "fr-en", "de-en"]
    assert own.paper_pairs("combined") == ["fr-en"]

    def has_manual(of: Experiment, language: str) -> bool:
        return any("gimp" in str(path) and language in path.name for path in of.files())

    # The background of Schwenk's NIST task comes with his pairs, and no paper has Czech of it.
    assert has_manual(own, "ja")
    assert not has_manual(own, "cs")
    mixed = {"mixed": {"kind": "ngram", "order": 3, "texts": ["schwenk2010_background"]}}
    others = settings | {"language_models": settings["language_models"] | mixed}
    assert has_manual(read(others), "cs")  # a model of one's own is for all pairs
    mine = {"mine": {"label": "mine", "language_models": ["schwenk2010_nist_kn4"]}}
    others = settings | {"systems": settings["systems"] | mine}
    assert has_manual(read(others), "cs")  # and so is one that a system of one's own has

    of_one = settings | {"pairs": ["en-cs"], "papers": {"luong2015": {"pairs": ["de-en"]}}}
    named = read(of_one)
    assert named.paper_pairs("luong2015") == ["de-en"]
    assert named.paper_pairs("combined") == ["en-cs"]

    lacking = settings | {"corpora": dict(settings["corpora"])}
    languages = dict(settings["corpora"]["libreoffice-help"]["languages"])
    del languages["zh"]
    lacking["corpora"]["libreoffice-help"] |= {"languages": languages}
    assert read(lacking).paper_pairs("luong2015") == ["fr-en", "de-en"]


def test_what_is_needed_is_downloaded_and_nothing_else() -> None:
    for of, count in (
        (default_experiment("medium.yaml"), 26),
        (changed_experiment(pairs=["en-cs"]), 5),
    ):
        assert len(set(map(str, of.files())) & downloads(of.config.corpora).keys()) == count
