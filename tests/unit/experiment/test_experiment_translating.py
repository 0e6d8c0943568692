"""Systems as `nlmt translate` reads them: features, models, weights, lattices, references."""

import pytest
from test_experiment import experiment

from nlmt.errors import InputError
from nlmt.experiment import describe_systems, tokenisation


def test_a_system_that_rescores_has_its_models_and_weights() -> None:
    every = experiment()
    systems = describe_systems(every, "fr", "en").systems
    both = every.systems["both"]
    for run in both.runs:
        files = systems["both"][run]
        decoding = systems[both.decoded_by][run]
        assert files.language_models == decoding.language_models
        assert files.weights == f"tune/{both.tuned_by}/run{run}/weights.json"
        assert decoding.rescoring is None
        assert files.rescoring is not None
        assert files.rescoring.models == both.rescoring_features(run)
        assert files.rescoring.weights == files.tuned == f"rescore/both/run{run}/weights.json"
        assert (files.rescoring.size, files.rescoring.density) == (both.list_size, None)
        assert {*files.rescoring.models.values()} <= {*files.model_files} <= {*files.files}
        assert all(" path=lm/" in line for line in files.language_models)


def test_a_system_names_what_its_last_weights_were_tuned_for() -> None:
    others = {
        "own": {"language_models": ["kn"], "tuning": {"objective": "ter"}},
        "borrowed": {"language_models": ["kn"], "weights_of": "own"},
    }
    every = experiment(systems=others, rescoring={"objective": "ter-bleu"})
    systems = describe_systems(every, "fr", "en").systems
    names = ("baseline", "own", "borrowed", "both")
    objectives = [systems[name][3].objective for name in names]
    assert objectives == ["bleu", "ter", "ter", "ter-bleu"]


def test_lattices_are_as_dense_as_the_decoder_writes_them() -> None:
    lattice = {"decoded_by": "dense", "rescored_with": ["nce"], "lattice": {"states": None}}
    dense = {"language_models": ["kn"], "rescoring": {"lattice_density": 12}}
    every = experiment(systems={"dense": dense, "lattice": lattice})
    rescoring = describe_systems(every, "fr", "en").systems["lattice"][3].rescoring
    assert rescoring is not None
    assert rescoring.density == 12


def test_only_truecased_text_has_truecasers() -> None:
    lower = tokenisation(experiment(), "fr", "en", "pair/")
    assert (lower.casing, lower.truecasers) == ("lower", {})
    truecased = tokenisation(experiment(text={"casing": "truecase"}), "fr", "en", "pair/")
    assert truecased.truecasers == {"en": "pair/casing/en.gz", "fr": "pair/casing/fr.gz"}


def test_pieces_are_of_both_languages() -> None:
    both = experiment(text={"segmenter": {"fr": "sentencepiece", "en": "sentencepiece"}})
    made = tokenisation(both, "fr", "en", "pair/")
    assert made.pieces == {"en": "pair/pieces/en.model", "fr": "pair/pieces/fr.model"}
    assert (made.segmenter, made.text_models) == ({}, list(made.pieces.values()))
    with pytest.raises(InputError, match="pairs: fr-en: only one language has the segmenter"):
        experiment(text={"segmenter": {"fr": "sentencepiece"}})
