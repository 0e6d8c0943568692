"""Which model and system of a configuration has which files and features."""

import copy
from typing import Any

import pytest

from nlmt.errors import InputError
from nlmt.experiment import Experiment, describe_systems
from nlmt.experiment.systems import Systems
from nlmt.papers import PAPERS

MODELS: dict[str, dict[str, Any]] = {
    "kn": {"kind": "ngram", "order": 5},
    "big": {"kind": "ngram", "order": 6},
    "nce": {"kind": "neural"},
    "lstm": {"kind": "neural", "classes": "frequency"},
    "tm": {"kind": "ngram", "units": "tuples", "order": 3},
    "ctm": {"kind": "neural", "units": "tuples", "classes": "frequency"},
    "joint": {"kind": "neural", "source": "window"},
}
SYSTEMS: dict[str, dict[str, Any]] = {
    "baseline": {"language_models": ["kn"]},
    "inside": {"language_models": ["kn", {"name": "nce", "scores": "unnormalised"}]},
    "both": {"decoded_by": "inside", "rescored_with": ["lstm", "big", "nce"]},
}
CORPUS = {
    "kind": "apt",
    "format": "libreoffice-help",
    "description": "pages",
    "licence": "MPL-2.0",
    "languages": {"fr": "French", "en": "English"},
    "packages": {"fr": "help-fr", "en": "help-en"},
}


def experiment(
    models: dict[str, Any] | None = None, systems: dict[str, Any] | None = None, **changes: Any
) -> Experiment:
    """An experiment with two kinds of models and three systems, and others beside them."""
    every = {
        name: None if entry is None else {"label": name, **entry}
        for name, entry in {**SYSTEMS, **(systems or {})}.items()
    }
    values = {"task": "help", "corpus": "pages", "corpora": {"pages": CORPUS}, "pairs": ["fr-en"]}
    values |= {"demo_pair": "fr-en", "runs": [3, 4], "repeated": [], "systems": every}
    values |= {"language_models": MODELS | (models or {}), "evaluation": {"baseline": "baseline"}}
    return Experiment.read(values | changes, papers=dict(PAPERS.items()))


def refused(*arguments: Any, **changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        experiment(*arguments, **changes)
    return str(caught.value)


def test_features_are_numbered_by_kind_on_from_those_of_the_decoder() -> None:
    assert experiment().systems["both"].rescoring_features(3) == {
        "NLM1": "lm/lstm/model.safetensors",
        "LM1": "lm/big/model.binary",
        "NLM2": "lm/nce/model.safetensors",
    }


def lines(systems: Systems, name: str) -> list[str]:
    return [feature.line() for feature in systems[name].decoder_features("results", 3)]


def test_decoder_features_say_how_each_model_is_read() -> None:
    eight = {"language_models": ["kn", {"name": "nce", "quantise": 8}]}
    systems = experiment(systems={"eight": eight}).systems
    kn = "KENLM name=LM0 factor=0 path=results/lm/kn/model.binary order=5"
    nce = "NeuralLM name=NLM0 path=results/lm/nce scores="
    assert lines(systems, "inside") == lines(systems, "both") == [kn, f"{nce}unnormalised"]
    assert lines(systems, "eight") == [kn, f"{nce}normalised quantise=8"]
    assert "lm/nce/classes.tsv" in systems["inside"].decoder_files(3)


def test_models_of_tuples_and_classes_decode() -> None:
    by_class = {"kind": "class-ngram", "order": 6}
    system = {"language_models": ["kn", "tm", "ctm", "by_class"]}
    rescored = {"decoded_by": "mixed", "rescored_with": ["tm"]}
    of = experiment({"by_class": by_class}, {"mixed": system, "again": rescored}).systems
    assert lines(of, "mixed") == [
        "KENLM name=LM0 factor=0 path=results/lm/kn/model.binary order=5",
        "KENLM name=TM0 factor=0 path=results/lm/tm/model.binary order=3 units=tuples",
        "NeuralLM name=NTM0 path=results/lm/ctm scores=normalised units=tuples",
        "ClassLM name=LM1 path=results/lm/by_class",
    ]
    assert list(of["again"].rescoring_features(3)) == ["TM1"]
    tuples = {"kind": "class-ngram", "order": 3, "units": "tuples"}
    wrong = {"wrong": {"language_models": ["tuples"]}}
    assert "models of classes of tuples rescore" in refused({"tuples": tuples}, wrong)


def test_a_model_names_the_method_and_the_number_of_its_classes() -> None:
    models = experiment({"few": {"kind": "neural", "class_count": 50}}).models
    assert models["nce"].classes == ["classes/default/brown.tsv"]
    assert models["lstm"].classes == ["classes/default/frequency.tsv"]
    assert models["few"].classes == ["classes/default/brown.50.tsv"]
    assert models["kn"].classes == []


def test_files_beside_a_model_are_in_its_folder() -> None:
    models = experiment().models
    names = ("perplexity.json", "metrics.json")
    assert models.paths("nce", *names) == [f"{models['nce'].folder}/{name}" for name in names]
    assert models.paths("none", *names) == []


def test_each_run_has_its_own_models() -> None:
    mixed = {"mixed": {"kind": "interpolation", "models": ["big", "nce"]}}
    seeded = {"nce": {"kind": "neural", "seed": 5}, **mixed}
    systems: dict[str, Any] = {"with_mixed": {"decoded_by": "baseline", "rescored_with": ["mixed"]}}
    beside = {"decoded_by": "baseline", "rescored_with": ["nce"], "compared_with": ["inside"]}
    systems["beside"] = beside
    of = experiment(seeded, systems, runs=[1, 4], repeated=["training"])
    assert of.models["nce"].folder == "lm/nce/run1"  # the first represents the model
    assert [model.folder for model in of.models.of_runs("nce")] == ["lm/nce/run1", "lm/nce/run4"]
    assert [model.parameters["seed"] for model in of.models.of_runs("nce")] == [5, 8]
    assert [model.folder for model in of.models.of_runs("big")] == ["lm/big"]
    assert of.models["nce/run4"] == of.models.of_run("nce", 4)
    assert {"nce/run1", "nce/run4", "big", "mixed/run4"} <= {*of.models.ids()}
    assert of.models.paths("nce", "a", "b") == [
        f"lm/nce/run{run}/{file}" for run in (1, 4) for file in ("a", "b")
    ]
    # A mixture of models is of the run of its parts.
    inputs = of.models["mixed/run4"].training_inputs("fr", "en")["models"]
    assert {"lm/big/model.binary", "lm/nce/run4/model.safetensors"} <= {*inputs}
    inside, rescored = of.systems["inside"], of.systems["with_mixed"]
    assert "path=results/lm/nce/run4" in inside.decoder_features("results", 4)[1].line()
    assert inside.ini(4) == "tm/inside/run4/moses.ini"
    assert of.systems["baseline"].ini(4) == "tm/baseline/moses.ini"
    assert rescored.rescoring_features(4) == {"NLM0": "lm/mixed/run4/models.json"}
    assert not rescored.scores_alike
    assert of.systems["beside"].paired_with == ["baseline", "inside"]  # the lists; the model
    shared = experiment(seeded, systems, runs=2, repeated=[])
    assert shared.systems["inside"].runs == [1, 2]
    assert shared.models.ids() == shared.models.names()
    assert shared.systems["with_mixed"].scores_alike
    assert shared.systems["beside"].paired_with == ["baseline"]


def test_the_first_run_searches_and_the_others_take_its_choice() -> None:
    keys = {"kind": "neural", "optimiser": "sgd", "search": {"minibatch": [10, 50], "epochs": [1]}}
    models = experiment({"nce": keys}, runs=[3, 1], repeated=["training"]).models
    first, other = models["nce/run3"], models["nce/run1"]
    assert first.training_inputs("fr", "en")["chosen"] == []
    assert other.training_inputs("fr", "en")["chosen"] == ["lm/nce/run3/config.json"]
    assert first.resources.runtime_per_mb == 2 * other.resources.runtime_per_mb
    shared = experiment({"nce": keys}, runs=2, repeated=[]).models["nce"]
    assert shared.training_inputs("fr", "en")["chosen"] == []


def test_training_takes_the_time_of_what_it_draws_of_each_text() -> None:
    texts = {"default": {}, "near": {}, "far": {}}
    drawn = {"kind": "neural", "texts": ["near", "far"], "resampling": [1, 0.02]}
    found = experiment({"nce": drawn, "lstm": {"kind": "neural"}}, texts=texts).models
    names = {"near": 2e6, "far": 50e6}
    own = [(f"results/help/fr-en/texts/near+far.min2/{n}.ids", size) for n, size in names.items()]
    others = [("results/help/fr-en/classes/near+far/brown.tsv", 9e6), ("text/dev.en.gz", 9e6)]
    assert found["nce"].time_mb("fr", "en", own + others) == 2 + 1
    assert found["lstm"].time_mb("fr", "en", [("texts/default.min2.ids", 2e6), *others]) == 2
    assert found["kn"].time_mb("fr", "en", own) == 52  # other kinds count all inputs


def test_runs_of_one_system_train_models_that_no_mean_includes() -> None:
    systems = {"again": {"language_models": ["kn", "nce"], "runs": [2, 7], "baseline": "again"}}
    models = experiment(systems=systems, runs=2, repeated=["training"]).models
    assert models.paths("nce", "a") == ["lm/nce/run1/a", "lm/nce/run2/a"]
    assert {"nce/run1", "nce/run2", "nce/run7"} <= {*models.ids()}
    assert "big/run7" not in models.ids()


@pytest.mark.parametrize("runs", [[], [2, 2]])
def test_runs_have_seeds_of_their_own(runs: list[int]) -> None:
    assert "runs: " in refused(runs=runs)


MIXED = {"kind": "interpolation", "models": ["big", "lstm"]}


def test_a_model_made_of_models_is_read_with_them() -> None:
    systems = {"mixed": {"decoded_by": "baseline", "rescored_with": ["mixed"]}}
    of = experiment({"mixed": MIXED}, systems)
    assert of.models["mixed"].files == ["lm/mixed/models.json"]
    assert of.models["mixed"].read_files == [
        *("lm/mixed/models.json", *of.models["big"].files, *of.models["lstm"].files)
    ]
    assert of.systems["mixed"].rescoring_files(3) == of.models["mixed"].read_files
    assert of.systems["mixed"].rescoring_features(3) == {"NLM0": "lm/mixed/models.json"}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"models": ["big", "joint"]}, "joint sees the source"),
        ({"models": ["big", "tm"]}, "tm is a model of tuples"),
        ({"models": ["big", "other"]}, "other is itself a combination of models"),
        ({"models": ["big", "bigger"]}, "language_models.mixed: unknown language model 'bigger'"),
        ({"models": ["big", "big"]}, "one of them is named twice"),
        ({"texts": ["default"]}, "texts has no effect"),
        ({"units": "tuples"}, "units: tuples are not interpolated"),
    ],
)
def test_what_is_not_interpolated(entry: dict[str, Any], message: str) -> None:
    assert message in refused({"other": MIXED, "mixed": {**MIXED, **entry}})
    inside = {"mixed": {"language_models": ["mixed"]}}
    assert "they do not decode" in refused({"mixed": MIXED}, inside)


def test_neural_models_of_words_share_an_encoded_text() -> None:
    cslm = {"kind": "neural", "output": "short-list"}
    models = experiment({"rare": {"kind": "neural", "min_count": 1}, "cslm": cslm}).models
    for model in ("nce", "lstm"):
        assert models[model].training_texts("fr", "en") == ["texts/default.min2.ids"]
    assert models["rare"].training_texts("fr", "en") == ["texts/default.min1.ids"]
    assert models["cslm"].training_texts("fr", "en") == ["texts/default.min1.ids"]


def test_the_source_of_a_short_list_is_encoded_by_min_count() -> None:
    cslm = {"kind": "neural", "output": "short-list", "source": "lsa", "min_count": 3}
    model = experiment({"cslm": cslm}).models["cslm"]
    assert model.training_texts("fr", "en") == ["text/train.en.min1.ids"]
    assert model.source_side("train", "fr", "en") == ["text/train.fr.min3.ids"]


def test_models_name_their_texts() -> None:
    texts = {"small": {"share": 0.1}, "large": {"corpora": ["bitext", "pages"]}}
    two = {"kind": "neural", "texts": ["small", "large"], "resampling": [1, 0.5]}
    tuned = {"kind": "neural", "texts": ["small"], "start_from": "nce"}
    kn_small = {"kind": "ngram", "order": 3, "texts": ["small"]}
    models = experiment({"kn_small": kn_small, "two": two, "tuned": tuned}, texts=texts).models
    assert models["kn_small"].training_texts("fr", "en") == ["texts/small.gz"]
    ids = ["texts/small+large.min2/small.ids", "texts/small+large.min2/large.ids"]
    assert models["two"].training_texts("fr", "en") == ids
    assert models["two"].classes == ["classes/small+large/brown.tsv"]
    assert models["tuned"].training_texts("fr", "en") == ["texts/small.gz"]
    assert models["tuned"].training_inputs("fr", "en")["start"] == models["nce"].files
    assert models["nce"].training_inputs("fr", "en")["start"] == []


@pytest.mark.parametrize(
    ("models", "texts", "message"),
    [
        ({"kn": {"kind": "ngram", "order": 3, "texts": ["smal"]}}, {}, "unknown text 'smal'"),
        ({}, {"small": {"share": 0.1, "tokens": 5}}, "give one of share, sentences and tokens"),
        ({}, {"small": {"corpora": ["page"]}}, "unknown corpus 'page' (did you mean 'pages'?"),
        ({}, {"small": {"share": 2}}, "texts.small.share: 2 must be at most 1"),
        ({"tuned": {"kind": "neural", "start_from": "nec"}}, {}, "unknown language model 'nec'"),
        ({"tuned": {"kind": "neural", "start_from": "tuned"}}, {}, "tuned starts from itself"),
        (
            {
                "one": {"kind": "neural", "start_from": "two"},
                "two": {"kind": "neural", "start_from": "one"},
            },
            {},
            "language_models.one: start_from: one starts from itself",
        ),
        (
            {"short": {"kind": "neural", "output": "short-list", "texts": ["more"]}},
            {"more": {"corpora": ["bitext", "pages"]}},
            "short: its output needs all words of the text more (texts.more: vocabulary: own",
        ),
        (
            {"short": {"kind": "neural", "output": "short-list", "texts": ["few"]}},
            {"few": {"vocabulary": "own", "most_frequent": 9}},
            "short: its output needs all words of the text few",
        ),
        (
            {"short": {"kind": "neural", "output": "short-list", "texts": ["seen"]}},
            {"seen": {"vocabulary": "own", "min_count": 2}},
            "short: its output needs all words of the text seen",
        ),
        (
            {"two": {"kind": "neural", "texts": ["default", "few"], "resampling": [0.5]}},
            {"few": {"share": 0.1}},
            "language_models.two: resampling: 1 shares for 2 training texts (give one share for",
        ),
    ],
)
def test_texts_that_cannot_be(models: dict[str, Any], texts: dict[str, Any], message: str) -> None:
    assert message in refused(models, texts=texts)


@pytest.mark.parametrize(
    ("entry", "effect"),
    [
        ({"kind": "ngram", "order": 3, "units": "tuples"}, " with units: tuples (leave texts out"),
        ({"kind": "ngram", "order": 3, "units": "source"}, " with units: source"),
        ({"kind": "neural", "source": "window"}, " with a source"),
        ({"kind": "neural", "bitext": "manual"}, " with bitext: manual"),
        ({"kind": "pretrained", "path": "gpt2", "language": "en"}, ": nothing is trained"),
    ],
)
def test_models_that_learn_from_no_text_name_none(entry: dict[str, Any], effect: str) -> None:
    texts = {"small": {"share": 0.1}}
    for named in (["small"], ["default", "small"]):
        message = refused({"new": {**entry, "texts": named}}, texts=texts, **DOMAIN)
        assert f"texts has no effect{effect}" in message
    if entry["kind"] != "pretrained":  # as an entry undoes what it has from another one
        new = experiment({"new": {**entry, "texts": ["default"]}}, texts=texts, **DOMAIN).models
        assert new["new"].texts == []


def test_further_text_is_in_a_language_of_the_corpora() -> None:
    assert "no corpus has the language 'eng' (did you mean 'en'? allowed: fr, en)" in refused(
        monolingual={"eng": ["more.en"]}
    )


def test_models_of_tuples_have_texts_classes_and_labels_of_their_own() -> None:
    bilingual = {"decoded_by": "inside", "rescored_with": ["tm", "nce", "ctm", "big"]}
    found = experiment(systems={"new": bilingual})
    models, systems = found.models, found.systems
    assert list(systems["new"].rescoring_features(3)) == ["TM0", "NLM1", "NTM0", "LM1"]
    assert systems["new"].tuple_features == ["TM0", "NTM0"]
    assert models["ctm"].training_texts("fr", "en") == ["tuples/train.gz"]
    assert models["kn"].training_texts("fr", "en") == ["texts/default.gz"]
    assert models["tm"].held_out_text("dev", "fr", "en") == "tuples/dev.gz"
    assert models["kn"].held_out_text("test", "fr", "en") == "text/test.en.gz"
    assert models["ctm"].classes == ["tuples/classes/frequency.tsv"]
    assert models.of_report() == ["kn", "big", "nce", "lstm", "joint"]
    assert systems.models_of(["baseline", "new"]) == ["kn", "nce", "tm", "ctm", "big"]
    assert systems["inside"].writes_alignment
    assert not systems["baseline"].writes_alignment


def test_models_that_see_the_source_are_of_the_bitext() -> None:
    found = experiment(systems={"new": {"decoded_by": "inside", "rescored_with": ["joint"]}})
    models = found.models
    assert [name for name in models.names() if models[name].plan.sees_source] == ["joint"]
    assert "lm/joint/source-vocabulary.txt" in found.systems["new"].rescoring_files(3)
    assert "lm/nce/source-vocabulary.txt" not in models["nce"].files
    assert models["joint"].training_texts("fr", "en") == ["text/train.en.min2.ids"]
    ids = ["text/train.fr.min2.ids", "tm/aligned.gz"]
    assert models["joint"].source_side("train", "fr", "en") == ids
    assert models["joint"].source_side("dev", "fr", "en") == ["text/dev.fr.gz", "tm/dev.aligned.gz"]
    assert models["nce"].source_side("train", "fr", "en") == []
    assert found.systems["new"].rescoring_features(3) == {"NLM1": "lm/joint/model.safetensors"}
    assert found.systems["inside"].writes_alignment
    assert not experiment().systems["inside"].writes_alignment


MANUAL: dict[str, Any] = {**CORPUS, "packages": {"fr": "manual-fr", "en": "manual-en"}}
DOMAIN: dict[str, Any] = {
    "corpora": {"pages": CORPUS, "manual": MANUAL},
    "held_out": {
        "new": {"corpus": "manual"},
        "new_dev": {"corpus": "manual", "part": "dev"},
        "new_train": {"corpus": "manual", "part": "train"},
    },
}
ADAPTED = {"kind": "neural", "source": "window", "start_from": "joint", "bitext": "manual"}


def test_a_model_that_sees_the_source_may_be_of_another_bitext() -> None:
    found = experiment({"adapted": ADAPTED}, **DOMAIN)
    models = found.models
    assert models["adapted"].training_inputs("fr", "en")["start"] == models["joint"].files
    assert models["adapted"].training_texts("fr", "en") == ["text/new_train.en.gz"]
    train = ["text/new_train.fr.gz", "tm/new_train.aligned.gz"]
    assert models["adapted"].source_side("train", "fr", "en") == train
    assert models["adapted"].held_out_text("dev", "fr", "en") == "text/new_dev.en.gz"
    test = ["text/new.fr.gz", "tm/new.aligned.gz"]
    assert models["adapted"].source_side("test", "fr", "en") == test
    assert "new" in found.sets()
    assert "new_train" not in found.sets()
    packages = [path.name for path in found.files() if "manual" in str(path)]
    assert packages == ["manual-fr.deb", "manual-en.deb"]
    system = {"decoded_by": "inside", "rescored_with": ["adapted"], "test_sets": ["new_train"]}
    assert "unknown set 'new_train'" in refused({"adapted": ADAPTED}, {"new": system}, **DOMAIN)


def test_a_model_has_the_parts_of_the_one_that_it_starts_from() -> None:
    wide = {"kind": "neural", "dim": 70, "order": 4, "epochs": 9}
    later = {"kind": "neural", "start_from": "wide", "epochs": 2}
    models = experiment({"later": later, "wide": wide}).models
    assert models["later"].parameters == {**wide, **later, "seed": 1}
    wrong = {"kind": "neural", "start_from": "wide", "dim": 60}
    message = refused({"wide": wide, "wrong": wrong})
    assert "language_models.wrong: dim: 60, but wide has 70 (leave dim out)" in message
    ngram = {"kind": "neural", "start_from": "kn"}
    assert "start_from: kn is not a neural model" in refused({"ngram": ngram})


def test_a_bitext_needs_sets_of_all_its_parts() -> None:
    changes = copy.deepcopy(DOMAIN)
    del changes["held_out"]["new_dev"]
    message = refused({"adapted": ADAPTED}, **changes)
    assert "adapted.bitext: held_out has no set that is the part dev of manual" in message


def test_a_model_without_a_source_learns_from_one_side_of_a_bitext() -> None:
    blind = {"kind": "neural", "bitext": "manual"}
    source = {"kind": "neural", "bitext": "manual", "units": "source"}
    models = experiment({"blind": blind, "source": source}, **DOMAIN).models
    for name, language in (("blind", "en"), ("source", "fr")):
        assert models[name].training_texts("fr", "en") == [f"text/new_train.{language}.min2.ids"]
        assert models[name].held_out_text("dev", "fr", "en") == f"text/new_dev.{language}.gz"


def test_sets_of_one_corpus_are_drawn_together() -> None:
    found = experiment(**DOMAIN)
    assert found.drawn_with("help", "new") == ["test"]
    assert found.drawn_with("help", "new_dev") == ["test", "dev"]
    assert found.drawn_with("help", "new_train") == ["test", "dev", "train"]
    more = {**DOMAIN["held_out"], "new_dev2": {"corpus": "manual", "part": "dev2"}}
    found = experiment(corpora=DOMAIN["corpora"], held_out=more)
    assert found.drawn_with("help", "new_train") == ["test", "dev", "dev2", "train"]


AVERAGED = {"kind": "neural", "source": "averaged", "source_dim": 30, "source_embeddings": "french"}
FRENCH = {"kind": "neural", "units": "source", "dim": 30}


def test_curves_of_models_that_watch_the_test_text() -> None:
    keys = {"kind": "neural", "watch_test": True}
    models = experiment({"deep": {**keys, "source": "window"}, "plain": keys}).models
    inputs = {name: models[name].training_inputs("fr", "en") for name in models.names()}
    for name in ("deep", "plain"):
        assert inputs[name]["test"] == ["text/test.en.gz"]
    assert inputs["deep"]["test_source"] == ["text/test.fr.gz", "tm/test.aligned.gz"]
    assert inputs["plain"]["test_source"] == []
    for name in ("nce", "kn"):
        assert inputs[name]["test"] == inputs[name]["test_source"] == []


def test_embeddings_come_from_a_model_of_the_source() -> None:
    models = experiment({"french": FRENCH, "averaged": AVERAGED}).models
    for name, files in (("averaged", models["french"].files), ("nce", [])):
        assert models[name].training_inputs("fr", "en")["source_embeddings"] == files
    assert models["french"].training_texts("fr", "en") == ["text/train.fr.min2.ids"]
    assert models["french"].held_out_text("dev", "fr", "en") == "text/dev.fr.gz"
    assert models["french"].classes == ["source-classes/brown.tsv"]
    assert "french" not in models.of_report()
    aligned = ["text/dev.fr.gz", "tm/dev.aligned.gz"]
    assert models["averaged"].source_side("dev", "fr", "en") == aligned


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"source_embeddings": "german"},
            "language_models.averaged: unknown language model 'german'",
        ),
        ({"source_embeddings": "nce"}, "nce is not a neural model of the source language"),
        ({"source_embeddings": "kn"}, "kn is not a neural model of the source language"),
        ({"source_dim": 31}, "averaged: source_dim: the embeddings of french have 30 numbers"),
        ({"source": "lsa"}, "source_embeddings"),
        ({"units": "source"}, "a model of the source language sees no other"),
        ({"units": "tuples"}, "tuples contain the source already"),
    ],
)
def test_embeddings_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    assert message in refused({"french": FRENCH, "averaged": AVERAGED | changes})


def test_vectors_of_sentences_need_no_alignment() -> None:
    systems = {"new": {"decoded_by": "inside", "rescored_with": ["joint"]}}
    found = experiment({"joint": {"kind": "neural", "source": "lsa"}}, systems)
    assert found.models["joint"].source_side("train", "fr", "en") == ["text/train.fr.min2.ids"]
    assert not found.systems["inside"].writes_alignment


def test_an_oracle_sees_references_on_lattices() -> None:
    oracle = {"kind": "neural", "source": "lsa", "source_of": "reference"}
    system = {"decoded_by": "inside", "rescored_with": ["joint", "lstm"], "lattice": {"states": 1}}
    found = experiment({"joint": oracle}, {"new": system})
    assert found.models["joint"].source_side("train", "fr", "en") == ["text/train.en.min2.ids"]
    assert found.models["joint"].source_side("test", "fr", "en") == ["text/test.en.gz"]
    assert found.systems["new"].reference_features == ["NLM1"]
    message = refused({"joint": oracle}, {"new": {**system, "lattice": None}})
    assert "systems.new.rescored_with: joint sees references and rescores lattices" in message


def test_translations_come_from_where_the_system_ends() -> None:
    systems = experiment().systems
    assert systems["both"].decoded_by == systems["both"].tuned_by == "inside"
    for name, stage in (("inside", "decode"), ("both", "rescore")):
        paths = [f"{stage}/{name}/run{k}/test.hyp" for k in (3, 4)]
        assert systems[name].hypotheses("test") == paths


def test_lists_of_another_program_are_not_tuned() -> None:
    more = {"decoded_by": "marian", "rescored_with": ["nce"]}
    made = experiment(systems={"marian": LISTS, "more": more})
    systems = made.systems
    assert [name for name in systems.names() if systems[name].given_lists] == ["marian", "more"]
    assert systems["marian"].hypotheses("dev") == [f"decode/marian/run{k}/dev.hyp" for k in (3, 4)]
    assert systems["marian"].tuned_runs == []
    assert [run["log"] for run in systems["more"].tuned_runs] == [None, None]
    assert list(systems["more"].rescoring_features(3)) == ["NLM0"]
    translating = describe_systems(made, "fr", "en")
    assert set(translating.systems) == set(translating.compared) == set(SYSTEMS)
    wrong = {"marian": LISTS, "wrong": more | {"lattice": {"states": 1}}}
    assert "wrong.lattice: marian has lists only" in refused(systems=wrong)
    wrong = {"marian": LISTS, "wrong": {"language_models": ["kn"], "start_from": "marian"}}
    assert "marian does not decode" in refused(systems=wrong)


def test_systems_that_decode_alike_have_the_same_translations() -> None:
    alike = {"language_models": ["kn"], "weights_of": "baseline", "test_sets": ["test", "dev2"]}
    systems = experiment(
        systems={
            "alike": alike,
            "longer": alike | {"rescoring": {"nbest": 200}},
            "tuples": alike | {"units": "tuples"},
            "apart": alike | {"recombination_context": 9},
            "rescored": alike,
            "new": {"decoded_by": "rescored", "rescored_with": ["joint"]},
        }
    ).systems
    decoders = {name: systems[name].decoded_by for name in systems.names()}
    assert decoders["alike"] == "baseline"
    for own in ("longer", "tuples", "apart", "rescored"):
        assert decoders[own] == own
    assert systems["alike"].hypotheses("dev2") == systems["baseline"].hypotheses("dev2")
    assert systems["alike"].test_sets == ["test", "dev2"]
    contexts = {name: systems[name].recombination_context for name in ("apart", "new", "baseline")}
    assert contexts == {"apart": 9, "new": 0, "baseline": 0}


def test_systems_have_settings_of_their_own() -> None:
    held_out = {"other": {"corpus": "pages", "part": "dev"}}
    new = {
        "decoded_by": "aligned",
        "rescored_with": ["joint"],
        "rescoring": {"method": "mert", "tuning_set": "dev2", "nbest": 500},
        "test_sets": ["test", "other"],
        "compared_with": ["inside"],
    }
    aligned = {"language_models": ["kn"], "weights_of": "baseline"}
    own = {
        "language_models": ["kn", "big"],
        "runs": [7, 8],
        "tuning": {"nbest": 200},
        "rescoring": {"nbest": None},  # as that of all systems
    }
    later = {"language_models": ["kn", "big"], "start_from": "aligned", "units": "tuples"}
    fewer = own | {"tuning": {"left_out": ["TranslationModel0.2"]}}
    less = {"decoded_by": "fewer", "rescored_with": ["joint"], "rescoring": {"left_out": ["NLM0"]}}
    systems = experiment(
        systems={
            "aligned": aligned,
            "new": new,
            "own": own,
            "later": later,
            "fewer": fewer,
            "less": less,
        },
        held_out=held_out,
    ).systems
    assert systems["later"].start_from == "baseline"
    assert systems["own"].start_from is None
    assert systems["own"].units == systems["new"].units == "phrases"
    assert systems["later"].units == "tuples"
    assert systems["new"].tuned_by == "baseline"
    assert systems["new"].tuning_set == "dev2"
    assert systems["new"].rescoring["method"] == "mert"
    assert systems["new"].list_size == 500
    assert systems["both"].list_size == systems["own"].list_size == 1000
    sizes = {"inside": 1000, "aligned": 500, "own": 1, "baseline": 1}
    assert {name: systems[name].decoded_list_size for name in sizes} == sizes
    assert systems["new"].test_sets == ["test", "other"]
    assert systems["new"].compared_with == ["baseline", "inside"]
    assert systems["own"].runs == [7, 8]
    assert systems["own"].tuning["nbest"] == 200
    assert systems["new"].rescoring["left_out"] == []
    assert systems["less"].rescoring["left_out"] == ["TranslationModel0.2", "NLM0"]
    assert systems["aligned"].writes_alignment
    assert not systems["baseline"].writes_alignment
    (first, _), (reranked, _) = systems["own"].tuned_runs, systems["new"].tuned_runs
    folder = "tune/own/run7"
    assert first == {
        "seed": 7, "tuning_set": "dev",
        "weights": f"{folder}/weights.json", "log": f"{folder}/log.tsv",
    }  # fmt: skip
    assert reranked["tuning_set"] == "dev2"
    assert reranked["weights"] == f"rescore/new/run{reranked['seed']}/weights.json"
    assert reranked["log"] is None
    (borrowed, _) = systems["aligned"].tuned_runs  # whose curve is the other system's
    assert (borrowed["weights"], borrowed["log"]) == ("tune/baseline/run3/weights.json", None)


def test_options_of_a_system_are_laid_over_those_of_all() -> None:
    options = {"mira": {"largest_step": 0.003, "epochs": 20}, "pro": {"sampled": 10}}
    own = {"mira": {"epochs": 30}, "mert": {}}
    systems = experiment(
        systems={
            "decoding": {"language_models": ["kn"], "tuning": {"options": own}},
            "reranked": SYSTEMS["both"] | {"rescoring": {"options": own}},
        },
        tuning={"options": options},
        rescoring={"options": options},
    ).systems
    merged = options | {"mira": {"largest_step": 0.003, "epochs": 30}, "mert": {}}
    assert systems["decoding"].tuning["options"] == merged
    assert systems["reranked"].rescoring["options"] == merged
    assert systems["baseline"].tuning["options"] == options


def test_what_belongs_to_a_paper_is_in_no_report() -> None:
    systems = {"luong2015_one": {"language_models": ["kn", "luong2015_nlm"]}}
    found = experiment({"luong2015_nlm": {"kind": "neural"}}, systems)
    assert found.systems.of_report() == ["baseline", "inside", "both"]
    assert found.paper_systems("luong2015") == ["luong2015_one"]
    assert found.paper_models("luong2015") == ["luong2015_nlm"]
    assert "luong2015_nlm" not in found.models.of_report()


def test_a_model_that_only_papers_have_beside_its_grid_is_in_no_report() -> None:
    models = {"nce": {"kind": "neural", "grid": {"dim": [10, 20]}}}
    systems = {"luong2015_one": {"decoded_by": "baseline", "rescored_with": ["nce"]}}
    found = experiment(models, systems)
    assert found.paper_systems("luong2015") == ["luong2015_one"]
    assert found.systems.models_of(["luong2015_one"]) == ["kn", "nce"]
    assert found.models.of_report() == ["kn", "big", "nce-dim10", "nce-dim20", "lstm", "joint"]


def test_a_second_tuning_set_of_files_where_a_system_names_it() -> None:
    files = {part: {"fr": f"{part}.fr", "en": f"{part}.en"} for part in ("train", "dev", "test")}
    mine = {"kind": "file", "languages": CORPUS["languages"], "files": files}
    new = {"decoded_by": "baseline", "rescored_with": ["nce"], "rescoring": {"tuning_set": "dev2"}}
    assert experiment().parts() == ["train", "dev", "test", "dev2"]
    own = {"corpus": "mine", "corpora": {"mine": mine}}
    assert experiment(**own).parts() == ["train", "dev", "test"]
    assert experiment(systems={"new": new}, **own).parts()[-1] == "dev2"
    found = experiment(systems={"luong2015_x": new}, **own)
    assert found.parts()[-1] == "test"
    with pytest.raises(InputError, match="corpus mine has no dev2, on which a system of a paper"):
        found.reference_names("help", "dev2", "fr", "en")


def test_models_that_are_null_are_left_out() -> None:
    assert "lstm" not in experiment({"lstm": None}, {"both": None}).models.names()
    message = refused({"nce": None})
    assert "language_models.nce: left out, but named by inside, both (keep it, or" in message


def test_systems_that_are_null_are_left_out() -> None:
    found = experiment(systems={"baseline": None}, evaluation={"baseline": "inside"})
    assert found.systems.names() == ["inside", "both"]
    message = refused(systems={"baseline": None})
    assert "evaluation.baseline: unknown system 'baseline'" in message
    message = refused(systems={"inside": None})
    assert "systems.inside: left out, but named by both (keep it, or" in message
    nothing = dict.fromkeys(SYSTEMS)
    assert "all are left out" in refused(systems=nothing)


LISTS = {"lists": "marian/{split}.{src}-{tgt}"}
DECODING = {"language_models": ["kn"]}
RESCORED = {"decoded_by": "baseline", "rescored_with": ["nce"]}


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"language_models": ["kn6"]}, "unknown language model 'kn6'"),
        ({**RESCORED, "decoded_by": "none"}, "unknown system 'none'"),
        ({**RESCORED, "decoded_by": "both"}, "both does not decode"),
        ({**RESCORED, "rescored_with": ["x"]}, "unknown language model 'x'"),
        ({**RESCORED, "language_models": ["kn"]}, "is for systems that decode"),
        ({**RESCORED, "tuning": {"nbest": 5}}, "wrong.tuning has no effect: baseline decodes"),
        ({**RESCORED, "rescoring": {"tuning_set": "dev3"}}, "unknown set 'dev3'"),
        (
            {**RESCORED, "rescoring": {"tuned": ["WordPenalti"]}},
            "wrong.rescoring.tuned: unknown feature 'WordPenalti' (did you mean 'WordPenalty'?",
        ),
        (
            {**RESCORED, "rescoring": {"left_out": ["NLM1"]}},
            "wrong.rescoring: no feature NLM1 to leave out (there are WordPenalty0, ",
        ),
        ({**DECODING, "tuning": {"tuned": ["LM1"]}}, "wrong.tuning: no feature LM1 to tune"),
        ({**RESCORED, "test_sets": ["tset"]}, "unknown set 'tset' (did you mean 'test'?"),
        ({**RESCORED, "runs": [7]}, "wrong.runs has no effect: they are those of baseline"),
        ({**RESCORED, "baseline": "base"}, "unknown system 'base'"),
        ({**RESCORED, "rescoring": {"methd": "pro"}}, "methd: unknown key (did you mean 'method'?"),
        (
            {**RESCORED, "rescoring": {"lattice_density": 9}},
            "wrong.rescoring.lattice_density has no effect: baseline decodes",
        ),
        ({"rescored_with": ["nce"]}, "wrong.decoded_by is missing"),
        ({}, "wrong: it has no language models"),
        ({"language_models": []}, "wrong.language_models"),
        ({"language_models": [{"name": "nce", "scores": "raw"}]}, "'raw' is not allowed"),
        ({**DECODING, "lattice": {"states": 1}}, "no effect without rescored_with"),
        ({**RESCORED, "lattice": {"states": 0}}, "wrong.lattice.states: 0 must be at least 1"),
        ({**RESCORED, "lattice": {}}, "wrong.lattice.states: this key is missing"),
        (
            {**DECODING, "rescoring": {"nbest": 9, "method": "mert"}},
            "wrong.rescoring.method has no effect without rescored_with",
        ),
        ({**DECODING, "runs": [1]}, "1 runs, but baseline"),
        ({**DECODING, "weights_of": "inside"}, "has other language models"),
        (
            {**DECODING, "weights_of": "baseline", "tuning": {"nbest": 5}},
            "wrong.tuning has no effect: its weights are those of baseline",
        ),
        ({**DECODING, "start_from": "none"}, "unknown system 'none'"),
        ({**DECODING, "start_from": "both"}, "both does not decode"),
        ({**DECODING, "start_from": "wrong"}, "a circle, wrong -> wrong"),
        ({**DECODING, "start_from": "inside", "runs": [7, 8, 9]}, "inside has no run of seed 7"),
        (
            {**DECODING, "start_from": "inside", "weights_of": "baseline"},
            "its weights are those of another",
        ),
        ({**RESCORED, "start_from": "inside"}, "is for systems that decode"),
        ({**RESCORED, "units": "tuples"}, "is for systems that decode"),
        ({**RESCORED, "recombination_context": 9}, "is for systems that decode"),
        ({"language_models": [{"name": "kn", "scores": "normalised"}]}, "only neural models"),
        ({"language_models": [{"name": "kn", "quantise": 8}]}, "quantise is for neural models"),
        (
            {"language_models": ["joint"]},
            "joint: models of source: window rescore, they do not decode",
        ),
        ({"language_models": ["gru"]}, "rescore, they do not decode"),
        ({"language_models": ["french"]}, "models of the source language score no translations"),
        ({**RESCORED, "rescored_with": ["french"]}, "models of the source language score no"),
        ({**LISTS, "decoded_by": "baseline"}, "wrong.decoded_by has no effect with lists"),
        ({**LISTS, "tuning": {"nbest": 5}}, "wrong.tuning has no effect with lists"),
        ({"lists": "marian/{set}"}, "lists: marian/{set}: no such name (it may have {split}"),
        ({"lists": "marian/{"}, "lists: marian/{: no such name"),
        ({"lists": "marian"}, "wrong.lists: one list for all sets (write {split}"),
    ],
)
def test_a_system_that_cannot_be_is_refused_by_name(system: dict[str, Any], message: str) -> None:
    models = {"french": FRENCH, "gru": {"kind": "neural", "network": "gru"}}
    assert message in refused(models, {"wrong": system})


def test_systems_rescore_lists_or_lattices() -> None:
    lattice = {"decoded_by": "baseline", "rescored_with": ["nce"], "lattice": {"states": None}}
    systems = experiment(systems={"lattice": lattice}).systems
    assert [name for name in systems.names() if systems[name].on_lattices] == ["lattice"]
    assert systems["lattice"].lattice_states is None
    of_tuples = {"lattice": lattice | {"rescored_with": ["nce", "tm"]}}
    assert "lattice.lattice: tm: models of tuples rescore lists" in refused(systems=of_tuples)
    gru = {"gru": {"kind": "neural", "network": "gru"}}
    wrong = {"lattice": lattice | {"rescored_with": ["gru"]}}
    assert "systems.lattice.lattice: states: gru remembers" in refused(gru, wrong)
    moses = {"engine": "moses"}
    less = {"inside": None, "both": None, "lattice": lattice}
    assert "the engine moses writes no lattices" in refused(systems=less, decoder=moses)


def test_systems_with_the_same_translations_and_models_share_their_lists() -> None:
    given = {
        "other": RESCORED | {"rescoring": {"tuned": [], "method": "mert"}},
        "shorter": RESCORED | {"rescoring": {"nbest": 10}},
        "lattice": RESCORED | {"lattice": {"states": 1}},
        "less": RESCORED | {"lattice": {"states": 1}, "rescoring": {"left_out": ["LM0"]}},
    }
    systems = experiment(systems={"first": RESCORED, **given}).systems
    assert systems["less"].scored_by == "less"  # other paths are the best without a feature
    assert systems["first"].scored_by == systems["other"].scored_by == "first"
    assert systems["other"].rescoring_counts == "rescore/first/run3/test.requests.json"
    assert systems["shorter"].scored_by == "shorter"
    assert systems["lattice"].scored_by == "lattice"
    assert systems["lattice"].rescoring_counts == "rescore/lattice/run3/test.search.json"


def test_moses_takes_no_neural_models() -> None:
    moses = {"engine": "moses"}
    assert "inside.language_models: nce: the engine moses has no NeuralLM" in refused(decoder=moses)
    of_tuples = {"inside": None, "both": None, "wrong": {"language_models": ["tm"]}}
    assert "wrong.language_models: tm: the engine moses has no models of tuples" in refused(
        systems=of_tuples, decoder=moses
    )
    of_paper = {"inside": None, "both": None, "luong2015_x": {"language_models": ["nce"]}}
    found = experiment(systems=of_paper, decoder=moses)
    with pytest.raises(InputError, match="the engine moses has no NeuralLM"):
        found.check_engine("luong2015_x")


def test_a_gpu_for_each_process_where_one_is_asked_for() -> None:
    models = {
        "one": {"kind": "neural", "device": "gpu"},
        "four": {"kind": "neural", "device": "gpu", "processes": 4},
        "cpu": {"kind": "neural", "processes": 4},
    }
    found = experiment(models).models
    assert [found[name].plan.resources.gpus for name in models] == [1, 4, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network": "gru", "order": 4}, "language_models.new: order has no effect with network"),
        (
            {"objective": "nce", "output": "tree-factored"},
            "objective: nce is not for output: tree-factored",
        ),
        ({"engine": "kernel", "processes": 2}, "processes: 2 needs torch"),
        ({"source": "averaged"}, "source_embeddings"),
    ],
)
def test_what_training_would_refuse_is_refused_at_once(
    settings: dict[str, Any], message: str
) -> None:
    assert message in refused({"new": {"kind": "neural", **settings}})


def test_texts_of_papers_are_got_where_they_have_the_language() -> None:
    other = {**CORPUS, "languages": {"en": "English"}, "packages": {"en": "other-en"}}

    def files(text: str) -> list[str]:
        of = experiment(
            {"new": {"kind": "ngram", "order": 2, "texts": [text]}},
            corpora={"pages": CORPUS, "other": other},
            pairs=["fr-en", "en-fr"],
            texts={text: {"corpora": ["other"]}},
        )
        return [str(path) for path in of.files() if "other" in str(path)]

    assert len(files("schwenk2010_text")) == 1
    with pytest.raises(InputError, match="other"):
        files("text")


def test_memory_of_direct_features() -> None:
    table = {"kind": "neural", "network": "elman", "direct_features": 10**9}
    models = experiment({"adagrad": table, "sgd": table | {"optimiser": "sgd"}}).models
    sizes = [models[name].plan.resources.mem_mb for name in ("nce", "adagrad", "sgd")]
    assert [size - sizes[0] for size in sizes] == [0, 16000, 12000]


def test_pairs_need_two_languages_of_the_corpus() -> None:
    assert "pairs: fr-de: the corpus pages has no language 'de'" in refused(pairs=["fr-de"])
    assert "are the same language" in refused(pairs=["fr-fr"])
    assert "unknown corpus 'page'" in refused(corpus="page")


def test_systems_of_a_paper_take_its_test_sets_and_its_baseline() -> None:
    systems = {
        "auli2013_one": {"language_models": ["kn"]},
        "auli2013_two": {"language_models": ["kn"], "test_sets": ["dev2"]},
    }
    papers = {"auli2013": {"test_sets": ["test", "dev2"], "baseline": "auli2013_one"}}
    found = experiment(systems=systems, papers=papers).systems
    assert found["auli2013_one"].test_sets == ["test", "dev2"]
    assert found["auli2013_two"].test_sets == ["dev2"]
    assert found["auli2013_two"].compared_with == ["auli2013_one"]
    assert found["auli2013_one"].compared_with == []
    assert found["inside"].test_sets == ["test"]
    assert found["inside"].compared_with == ["baseline"]


def test_sets_are_drawn_before_a_filtered_training_text() -> None:
    held_out = {
        "own": {"corpus": "pages"},
        "more": {"corpus": "other", "part": "train"},
        "czech": {"corpus": "czech"},
    }
    corpora = {
        "pages": CORPUS,
        "other": CORPUS,
        "czech": {**CORPUS, "languages": {"cs": "Czech"}, "packages": {"cs": "help-cs"}},
    }
    assert experiment(held_out=held_out, corpora=corpora).kept_apart("help", "fr", "en") == []
    corpora["pages"] = {**CORPUS, "filters": {}}
    found = experiment(held_out=held_out, corpora=corpora)
    assert found.kept_apart("help", "fr", "en") == ["own"]
