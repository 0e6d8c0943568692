"""Which model and system of a configuration has which files and features."""

from typing import Any

import pytest

from nlmt.errors import InputError
from nlmt.experiment import Experiment


def config(**changes: Any) -> dict[str, Any]:
    """A configuration with two kinds of models and three systems."""
    return {
        "language_models": {
            "kn": {"kind": "ngram", "order": 5},
            "big": {"kind": "ngram", "order": 6},
            "nce": {"kind": "neural"},
            "lstm": {"kind": "neural", "classes": "frequency"},
            "tm": {"kind": "ngram", "units": "tuples", "order": 3},
            "ctm": {"kind": "neural", "units": "tuples", "classes": "frequency"},
            "joint": {"kind": "neural", "source": "window"},
        },
        "systems": {
            "baseline": {"language_models": ["kn"]},
            "inside": {"language_models": ["kn", {"name": "nce", "scores": "unnormalised"}]},
            "both": {"decoded_by": "inside", "rescored_with": ["lstm", "big", "nce"]},
        },
        "tuning": {"seeds": [3, 4]},
        "decoder": {"engine": "nlmt"},
        "evaluation": {"baseline": "baseline"},
    } | changes


def test_features_are_numbered_by_kind_on_from_those_of_the_decoder() -> None:
    assert Experiment.from_config(config()).rescoring_features("both") == {
        "NLM1": "lm/lstm/model.safetensors",
        "LM1": "lm/big/model.binary",
        "NLM2": "lm/nce/model.safetensors",
    }


def test_decoder_features_say_how_each_model_is_read() -> None:
    experiment = Experiment.from_config(config())
    assert experiment.decoder_features("inside") == [
        {"path": "lm/kn/model.binary", "order": 5},
        {"path": "lm/nce", "scores": "unnormalised"},
    ]
    assert "lm/nce/classes.tsv" in experiment.decoder_files("inside")


def test_a_model_names_the_method_of_its_classes() -> None:
    experiment = Experiment.from_config(config())
    assert experiment.classes_file("nce") == "classes/brown.tsv"
    assert experiment.classes_file("lstm") == "classes/frequency.tsv"


def test_neural_models_of_words_share_an_encoded_text() -> None:
    models = config()["language_models"] | {
        "rare": {"kind": "neural", "min_count": 1},
        "cslm": {"kind": "neural", "output": "short-list"},
    }
    experiment = Experiment.from_config(config(language_models=models))
    for model in ("nce", "lstm"):
        assert experiment.training_text(model, "fr", "en") == "lm/text.min2.ids"
    assert experiment.training_text("rare", "fr", "en") == "lm/text.min1.ids"
    assert experiment.training_text("cslm", "fr", "en") == "lm/text.min1.ids"


def test_models_of_tuples_have_texts_classes_and_labels_of_their_own() -> None:
    bilingual = {"decoded_by": "inside", "rescored_with": ["tm", "nce", "ctm", "big"]}
    experiment = Experiment.from_config(config(systems=config()["systems"] | {"new": bilingual}))
    assert list(experiment.rescoring_features("new")) == ["TM0", "NLM1", "NTM0", "LM1"]
    assert experiment.tuple_features("new") == ["TM0", "NTM0"]
    assert experiment.training_text("ctm", "fr", "en") == "tuples/train.gz"
    assert experiment.training_text("kn", "fr", "en") == "lm/text.gz"
    assert experiment.held_out_text("tm", "dev", "fr", "en") == "tuples/dev.gz"
    assert experiment.held_out_text("kn", "test", "fr", "en") == "text/test.en.gz"
    assert experiment.classes_file("ctm") == "tuples/classes/frequency.tsv"
    assert experiment.over_words() == ["kn", "big", "nce", "lstm", "joint"]
    assert experiment.of_kind("neural") == ["nce", "lstm", "joint"]
    assert experiment.models_of(["baseline", "new"]) == ["kn", "nce", "tm", "ctm", "big"]
    assert experiment.needs_alignment("inside")
    assert not experiment.needs_alignment("baseline")


def test_models_of_tuples_do_not_decode() -> None:
    systems = {"baseline": {"language_models": ["kn", "tm"]}}
    with pytest.raises(InputError, match="language_models: tm: models of tuples rescore, they do"):
        Experiment.from_config(config(systems=systems))


def test_models_that_see_the_source_are_of_the_bitext() -> None:
    systems = config()["systems"] | {"new": {"decoded_by": "inside", "rescored_with": ["joint"]}}
    experiment = Experiment.from_config(config(systems=systems))
    assert experiment.seeing_source() == ["joint"]
    assert "lm/joint/source-vocabulary.txt" in experiment.rescoring_files("new")
    assert "lm/nce/source-vocabulary.txt" not in experiment.model_files("nce")
    assert experiment.training_text("joint", "fr", "en") == "text/train.en.min2.ids"
    ids = ["text/train.fr.min2.ids", "tm/aligned.gz"]
    assert experiment.source_side("joint", "train", "fr") == ids
    assert experiment.source_side("joint", "dev", "fr") == ["text/dev.fr.gz", "tm/dev.aligned.gz"]
    assert experiment.source_side("nce", "train", "fr") == []
    assert experiment.rescoring_features("new") == {"NLM1": "lm/joint/model.safetensors"}
    assert experiment.needs_alignment("inside")
    assert not Experiment.from_config(config()).needs_alignment("inside")


def test_models_that_see_the_source_do_not_decode() -> None:
    systems = {"baseline": {"language_models": ["kn", {"name": "joint", "scores": "normalised"}]}}
    with pytest.raises(
        InputError, match=r"systems\.baseline\.language_models: joint: models that s"
    ):
        Experiment.from_config(config(systems=systems))


def test_models_of_tuples_see_no_source_beside() -> None:
    models = config()["language_models"]
    models["ctm"] |= {"source": "window"}
    with pytest.raises(InputError, match=r"language_models\.ctm: source: tuples hold the source"):
        Experiment.from_config(config(language_models=models))


AVERAGED = {"kind": "neural", "source": "averaged", "source_dim": 30, "source_embeddings": "french"}


def with_embeddings(**changes: Any) -> dict[str, Any]:
    """The configuration with a model of the source and one that has its embeddings."""
    models = config()["language_models"] | {
        "french": {"kind": "neural", "units": "source", "dim": 30},
        "averaged": AVERAGED | changes,
    }
    return config(language_models=models)


def test_embeddings_come_from_a_model_of_the_source() -> None:
    experiment = Experiment.from_config(with_embeddings())
    assert experiment.embeddings("averaged") == experiment.model_files("french")
    assert experiment.embeddings("nce") == []
    assert experiment.training_text("french", "fr", "en") == "text/train.fr.min2.ids"
    assert experiment.held_out_text("french", "dev", "fr", "en") == "text/dev.fr.gz"
    assert experiment.classes_file("french") == "source-classes/brown.tsv"
    assert "french" not in experiment.over_words()
    aligned = ["text/dev.fr.gz", "tm/dev.aligned.gz"]
    assert experiment.source_side("averaged", "dev", "fr") == aligned


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source_embeddings": "german"}, "unknown language model 'german'"),
        ({"source_embeddings": "nce"}, "nce is no neural model of the source language"),
        ({"source_embeddings": "kn"}, "kn is no neural model of the source language"),
        ({"source_dim": 31}, r"averaged: source_dim: the embeddings of french have 30 numbers"),
        ({"source": "lsa"}, "source: lsa has no use for source_embeddings"),
        ({"units": "source"}, "a model of the source language sees no other"),
    ],
)
def test_embeddings_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Experiment.from_config(with_embeddings(**changes))


def test_embeddings_that_are_missing() -> None:
    models = config()["language_models"] | {"joint": {"kind": "neural", "source": "averaged"}}
    with pytest.raises(InputError, match="joint: source: averaged needs source_embeddings"):
        Experiment.from_config(config(language_models=models))


@pytest.mark.parametrize(
    "system",
    [{"language_models": ["french"]}, {"decoded_by": "baseline", "rescored_with": ["french"]}],
)
def test_models_of_the_source_score_no_translations(system: dict[str, Any]) -> None:
    systems = config()["systems"] | {"wrong": system}
    with pytest.raises(InputError, match="models of the source language score no translations"):
        Experiment.from_config(with_embeddings() | {"systems": systems})


def test_vectors_of_sentences_need_no_alignment() -> None:
    models = config()["language_models"]
    models["joint"]["source"] = "lsa"
    systems = config()["systems"] | {"new": {"decoded_by": "inside", "rescored_with": ["joint"]}}
    experiment = Experiment.from_config(config(language_models=models, systems=systems))
    assert experiment.source_side("joint", "train", "fr") == ["text/train.fr.min2.ids"]
    assert not experiment.needs_alignment("inside")


def test_translations_come_from_where_the_system_ends() -> None:
    experiment = Experiment.from_config(config())
    assert experiment.baseline == "baseline"
    assert experiment.decoded_by("both") == "inside"
    assert experiment.hypotheses("inside") == [f"decode/inside/run{k}/test.hyp" for k in (3, 4)]
    assert experiment.hypotheses("both") == [f"rescore/both/run{k}/test.hyp" for k in (3, 4)]


def test_systems_that_are_null_are_left_out() -> None:
    systems = config()["systems"] | {"baseline": None}
    experiment = Experiment.from_config(config(systems=systems, evaluation={"baseline": "inside"}))
    assert list(experiment.systems) == ["inside", "both"]
    with pytest.raises(InputError, match=r"unknown evaluation\.baseline 'baseline' \(allowed: in"):
        Experiment.from_config(config(systems=systems))
    with pytest.raises(InputError, match="all are left out"):
        Experiment.from_config(config(systems={"baseline": None}))


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"language_models": ["kn6"]}, r"unknown language model 'kn6' \(allowed: kn, big, nce"),
        ({"decoded_by": "none", "rescored_with": ["nce"]}, "unknown system 'none'"),
        ({"decoded_by": "both", "rescored_with": ["nce"]}, "both does not decode"),
        ({"decoded_by": "inside", "rescored_with": ["x"]}, "unknown language model 'x'"),
        ({"language_models": [{"name": "kn", "scores": "normalised"}]}, "only neural models"),
    ],
)
def test_a_system_that_cannot_be_is_refused_by_name(system: dict[str, Any], message: str) -> None:
    systems = config()["systems"] | {"wrong": system}
    with pytest.raises(InputError, match=message):
        Experiment.from_config(config(systems=systems))


def test_systems_rescore_lists_or_lattices() -> None:
    lattice = {"decoded_by": "baseline", "rescored_with": ["nce"], "lattice": {"items": None}}
    systems = config()["systems"] | {"lattice": lattice}
    experiment = Experiment.from_config(config(systems=systems))
    assert experiment.on_lattices() == ["lattice"]
    assert experiment.lattice_items("lattice") is None
    of_tuples = systems | {"lattice": lattice | {"rescored_with": ["nce", "tm"]}}
    with pytest.raises(InputError, match=r"lattice\.lattice: tm: models of tuples rescore lists"):
        Experiment.from_config(config(systems=of_tuples))
    del systems["inside"], systems["both"]
    models = config()["language_models"] | {"nce": {"kind": "neural", "network": "lstm"}}
    with pytest.raises(InputError, match=r"systems\.lattice\.lattice: items: nce remembers"):
        Experiment.from_config(config(systems=systems, language_models=models))
    with pytest.raises(InputError, match=r"systems\.lattice\.lattice: Moses writes no lattices"):
        Experiment.from_config(config(systems=systems, decoder={"engine": "moses"}))


def test_moses_takes_no_neural_models() -> None:
    with pytest.raises(InputError, match=r"systems\.inside\.language_models: nce: Moses has no"):
        Experiment.from_config(config(decoder={"engine": "moses"}))


def test_a_gpu_for_each_process_where_one_is_asked_for() -> None:
    models = {
        "one": {"kind": "neural", "device": "gpu"},
        "four": {"kind": "neural", "device": "gpu", "processes": 4},
        "cpu": {"kind": "neural", "processes": 4},
    }
    experiment = Experiment.from_config(
        config(language_models=config()["language_models"] | models)
    )
    assert [experiment.gpus(name) for name in models] == [1, 4, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network": "gru", "order": 4}, "language_models.new: order has no effect with network"),
        ({"output": "tree-factored"}, "a tree is normalised as it is"),
        ({"engine": "kernel", "processes": 2}, "processes: 2 train in torch"),
    ],
)
def test_what_training_would_refuse_is_refused_at_once(
    settings: dict[str, Any], message: str
) -> None:
    models = config()["language_models"] | {"new": {"kind": "neural", **settings}}
    with pytest.raises(InputError, match=message):
        Experiment.from_config(config(language_models=models))


@pytest.mark.parametrize("settings", [{"network": "gru"}, {"output": "short-list"}])
def test_what_the_decoder_does_not_take(settings: dict[str, Any]) -> None:
    models = config()["language_models"] | {"new": {"kind": "neural", **settings}}
    systems = {"baseline": {"language_models": ["kn", "new"]}}
    with pytest.raises(InputError, match="rescore, they do not decode"):
        Experiment.from_config(config(language_models=models, systems=systems))


def test_memory_of_direct_features() -> None:
    table = {"kind": "neural", "network": "elman", "direct_features": 10**9}
    models = config()["language_models"] | {"adagrad": table, "sgd": table | {"optimiser": "sgd"}}
    experiment = Experiment.from_config(config(language_models=models))
    assert [experiment.table_mb(name) for name in ("nce", "adagrad", "sgd")] == [0, 16000, 12000]
