"""Kinds of jobs, whose needs differ within a rule: by models, units, source of the text."""

import re
from collections.abc import Iterable, Mapping
from typing import get_args

from nlmt.corpora import SOURCES
from nlmt.experiment.experiment import Experiment
from nlmt.lm.plan import Cost, ModelPlan

_DECODING = ("decode", "decode_shard", "decode_lattices", "tune_weights", "measure_decoding")
_RESCORING = (
    "rescore_nbest",
    "rescore_lattices",
    "search_lattices",
    "measure_rescoring",
    "measure_search",
)
_OF_A_MODEL = ("measure_perplexity", "measure_training")


def kind_of_job(experiment: Experiment, rule: str, wildcards: Mapping[str, str]) -> str:
    """The kind of a job; empty for rules with one kind of jobs."""
    if rule in _DECODING:
        models = [model.name for model in experiment.systems[wildcards["system"]].inside]
        inside = "n-gram" if _highest_cost(experiment, models) == "n-gram" else "neural"
        return f"{inside}, {experiment.config.decoder.tables} tables"
    if rule in _RESCORING:
        settings = experiment.systems[wildcards["system"]].settings
        return _highest_cost(experiment, settings.rescored_with or ())
    if rule in _OF_A_MODEL or re.fullmatch(r"train_\w+_lm(_\d+)?", rule):
        return _highest_cost(experiment, [wildcards["lm"]])
    if rule.startswith("cluster_"):
        return wildcards["method"].split(".")[0]
    if rule == "gather_text":
        text = experiment.texts(wildcards["task"])[wildcards["text"]]
        sizes = (text.share, text.sentences, text.tokens)
        return "whole" if all(size is None for size in sizes) else "sample"
    if rule in ("filter_tables", "filter_shard"):
        return "tuples" if wildcards["filtered"].startswith("tuples/") else "phrases"
    if rule == "extract_bitext":
        return _source(experiment, experiment.corpus(wildcards["task"]))
    if rule == "extract_held_out":
        return _source(experiment, experiment.origin(wildcards["task"], wildcards["split"])[0])
    if rule == "prepare_monolingual":
        return _source(experiment, wildcards["corpus"])
    return ""


def score_seconds(experiment: Experiment, rule: str, wildcards: Mapping[str, str]) -> float:
    """Processor time of a score by all models of a job that rescores; 0 for other jobs."""
    if rule not in _RESCORING:
        return 0.0
    models = experiment.systems[wildcards["system"]].settings.rescored_with or ()
    return sum(plan.score_seconds for plan in _plans(experiment, models))


def _source(experiment: Experiment, corpus: str) -> str:
    """The kind of a corpus' files, or of those of the corpora that it joins."""
    corpora = experiment.config.corpora
    kinds = [corpora[name].kind for name in corpora[corpus].joins() or (corpus,)]
    return "packages" if any(SOURCES.get(kind).packages for kind in kinds) else "text"


def _highest_cost(experiment: Experiment, models: Iterable[str]) -> Cost:
    """The highest cost of a score among models and their component models."""
    return max((plan.cost for plan in _plans(experiment, models)), key=get_args(Cost).index)


def _plans(experiment: Experiment, models: Iterable[str]) -> list[ModelPlan]:
    """The plans of models and of their component models."""
    plans = [experiment.models[name].plan for name in models]
    return plans + [experiment.models[part].plan for plan in plans for part in plan.parts]
