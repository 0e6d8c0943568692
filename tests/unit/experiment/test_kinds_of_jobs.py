"""What makes jobs of one rule differ in their needs."""

import pytest
from default_experiment import default_experiment

from nlmt.experiment import Experiment, kind_of_job

PAIR = {"task": "help", "src": "fr", "tgt": "en"}


@pytest.fixture
def experiment() -> Experiment:
    return default_experiment()


def test_shards_are_of_the_kind_of_the_whole(experiment: Experiment) -> None:
    for rule in ("filter_tables", "filter_shard"):
        assert kind_of_job(experiment, rule, PAIR | {"filtered": "filtered"}) == "phrases"
        assert kind_of_job(experiment, rule, PAIR | {"filtered": "tuples/filtered"}) == "tuples"


def test_packages_hold_more_than_text(experiment: Experiment) -> None:
    assert kind_of_job(experiment, "extract_bitext", PAIR) == "packages"
    domain = PAIR | {"split": "luong2015_domain"}
    assert kind_of_job(experiment, "extract_held_out", domain) == "packages"
    assert kind_of_job(experiment, "extract_reference", domain) == ""


@pytest.mark.parametrize(
    ("rule", "name", "kind"),
    [
        ("decode", "baseline", "n-gram, text tables"),
        ("decode_shard", "combined_decoder", "neural, text tables"),
        ("rescore_nbest", "combined_all", "recurrent"),
    ],
)
def test_the_model_of_the_highest_cost_decides(
    experiment: Experiment, rule: str, name: str, kind: str
) -> None:
    assert kind_of_job(experiment, rule, {"system": name}) == kind


def test_models_of_models_cost_what_their_models_do(experiment: Experiment) -> None:
    for rule, name, kind in (
        ("train_neural_lm_2", "nce", "feed-forward"),
        ("train_interpolation_lm", "schwenk2010_nist_mixture", "feed-forward"),
        ("train_ngram_lm", "kn5", "n-gram"),
    ):
        assert kind_of_job(experiment, rule, {"lm": name}) == kind


@pytest.mark.parametrize(("corpus", "kind"), [("documentation", "packages"), ("wmt14", "text")])
def test_joined_corpora_hold_what_theirs_hold(
    corpus: str, kind: str, experiment: Experiment
) -> None:
    assert kind_of_job(experiment, "prepare_monolingual", PAIR | {"corpus": corpus}) == kind
