"""The points of training jobs (`tools/measure_needs.py`)."""

from default_experiment import default_experiment
from job_records import job_record

from tools.measure_needs import time_size


def test_only_the_first_run_searches() -> None:
    """Further runs train once, with the settings that the first has chosen among several."""
    experiment = default_experiment()
    name = "luong2015_3layer"
    search = experiment.models[name].plan.search
    assert search is not None
    (text,) = experiment.models[name].training_texts("fr", "en")
    inputs = [(f"results/help/fr-en/{text}", 2e6), ("results/help/fr-en/tm/aligned.gz", 3e6)]
    pair = {"src": "fr", "tgt": "en"}
    first, second = (
        time_size(
            experiment,
            job_record(rule="train_neural_lm_2", wildcards=pair | {"lm": f"{name}/run{run}"}),
            inputs,
        )
        for run in (1, 2)
    )
    assert first == 2.0 * experiment.models[name].plan.resources.runtime_per_mb
    assert second == 2.0 * search.resources.runtime_per_mb < first
    assert time_size(experiment, job_record(rule="align_words"), inputs) == 5.0
    assert time_size(experiment, job_record(rule="measure_training"), [("a", 9e6)]) == 6.0
