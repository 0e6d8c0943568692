"""What jobs will need before there is any data: sizes along the graph, hours, the longest chain."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from default_experiment import default_experiment

from nlmt.cli.resources import table
from nlmt.corpora import downloads
from nlmt.experiment import (
    Experiment,
    Pace,
    PlannedJob,
    estimate,
    measure_pace,
    most_scratch_mb,
    planned_jobs,
)
from nlmt.needs import need
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.train.search import trainings

ROOT = Path(__file__).parents[3]
PAIR = {"task": "wmt14", "src": "fr", "tgt": "en"}
FOLDER = "results/wmt14/fr-en"
RAW = ["raw/train.fr.gz", "raw/train.en.gz"]
TEXTS = ["text/train.fr.gz", "text/train.en.gz"]


@pytest.fixture
def experiment(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    monkeypatch.chdir(ROOT)
    return default_experiment("full.yaml")


def job(rule: str, inputs: list[str], outputs: list[str], threads: int = 1, **wildcards: str):
    places = [path if path.startswith("data/") else f"{FOLDER}/{path}" for path in inputs]
    return PlannedJob(
        rule=rule,
        wildcards=PAIR | wildcards,
        inputs=tuple(places),
        outputs=tuple(f"{FOLDER}/{path}" for path in outputs),
        threads=threads,
    )


def extraction() -> PlannedJob:
    sides = [f"raw/{part}.{lang}.gz" for part in ("train", "dev", "test") for lang in ("fr", "en")]
    return job("extract_bitext", ["data/raw/wmt13/training-parallel-europarl-v7.tgz"], sides)


def preparation() -> PlannedJob:
    return job("prepare_text", RAW, TEXTS, 8, split="train")


def alignment() -> PlannedJob:
    return job("align_words", TEXTS, ["tm/forward.gz", "tm/reverse.gz"], 2)


def training(found: Experiment, lm: str, *further: str) -> PlannedJob:
    """The training of a model on its own texts, of a size that is not known, and further files."""
    texts = found.models[lm].training_texts("fr", "en")
    return job("train_neural_lm", [*texts, *further], [f"lm/{lm}/model"], 8, lm=lm)


def test_jobs_of_a_graph_without_their_threads() -> None:
    class Job:
        rule, wildcards_dict, input = SimpleNamespace(name="decode"), {"src": "fr"}, ("a", "b", "a")

        def __init__(self, *output: str) -> None:
            self.output = output

    jobs = [Job("c"), Job()]
    dag = SimpleNamespace(needrun_jobs=lambda: jobs, toposorted=lambda found: [[*found]])
    expected = PlannedJob("decode", {"src": "fr"}, ("a", "b"), ("c",), 1)
    assert list(planned_jobs(dag, threads=False)) == [expected]


def test_a_package_on_disk_has_its_own_size(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    package = next(path for path in downloads(experiment.config.corpora) if path.endswith(".deb"))
    Path(package).parent.mkdir(parents=True)
    Path(package).write_bytes(bytes(3_000_000))
    fetched = PlannedJob("download_corpus", {}, (), (package,), 1)
    assert estimate(experiment, [fetched], cores=1)[0].written_mb == 3


def test_only_the_text_of_a_package_of_pictures_counts(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    package = Path("data/raw/gimp-help/gimp-help-en.deb")
    package.parent.mkdir(parents=True)
    package.write_bytes(bytes(50_000_000))
    read = job(
        "prepare_monolingual", [str(package)], ["text/mono.gimp-help.en.gz"], corpus="gimp-help"
    )
    assert 0 < estimate(experiment, [read], cores=1)[0].written_mb < 1


def test_sizes_follow_the_stated_ones_along_the_graph(experiment: Experiment) -> None:
    extracted, prepared, aligned = estimate(
        experiment, [extraction(), preparation(), alignment()], cores=8
    )
    # A quarter of the archive of four pairs: 658 MB, compressed.
    assert 50 < extracted.written_mb < 400
    assert 0.3 * extracted.written_mb < prepared.written_mb < 1.5 * extracted.written_mb
    assert aligned.mem_mb > need("align_words").mem_mb(10)
    assert aligned.seconds > 1000
    assert aligned.measured


def test_held_out_texts_do_not_grow(experiment: Experiment) -> None:
    small = job("prepare_text", ["raw/dev.fr.gz"], ["text/dev.fr.gz", "text/dev.en.gz"])
    estimates = estimate(experiment, [extraction(), small], cores=8)
    assert estimates[1].written_mb < 1


def test_the_longest_chain_is_on_the_cores_that_jobs_take(experiment: Experiment) -> None:
    jobs = [extraction(), preparation(), alignment()]
    times = [one.seconds for one in estimate(experiment, jobs, cores=8)]
    assert estimate(experiment, jobs, cores=8)[-1].ready == pytest.approx(
        times[0] + times[1] / 8 + times[2] / 2
    )
    assert estimate(experiment, jobs, cores=1)[-1].ready == pytest.approx(sum(times))


def test_finished_jobs_set_the_pace(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    jobs = [extraction(), preparation(), alignment()]
    for path in (*preparation().inputs, *alignment().inputs):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"a" * 100_000)
    _, prepared, aligned = (estimate(experiment, [one], cores=8)[0].seconds for one in jobs)
    gone = job("decode", [], [], system="left_out", split="test")
    small = PlannedJob("train_neural_lm", {**PAIR, "task": "help", "lm": "nce"}, (), (), 1)
    known = [(preparation(), prepared / 2), (alignment(), 3 * aligned)]
    without_inputs = (extraction(), 1000.0)
    pace = measure_pace(experiment, [*known, (gone, 1000.0), (small, 1000.0), without_inputs])
    assert pace.jobs == 2
    of_all = (prepared / 2 + 3 * aligned) / (prepared + aligned)
    found = [one.seconds for one in estimate(experiment, jobs, cores=8, pace=pace)]
    by_points = [one.seconds for one in estimate(experiment, jobs, cores=8)]
    assert found == pytest.approx([a * b for a, b in zip(by_points, [of_all, 0.5, 3], strict=True)])
    assert measure_pace(experiment, []) == Pace()


def test_shards_share_the_work_and_are_joined(experiment: Experiment) -> None:
    parts = [f"text/shards/train.{n}-of-2.{lang}.gz" for lang in ("fr", "en") for n in (1, 2)]
    shards = [
        job("prepare_shard", RAW, parts[n::2], split="train", scatteritem=f"{n + 1}-of-2")
        for n in (0, 1)
    ]
    joined = job("gather_text_shards", parts, TEXTS)
    estimates = estimate(experiment, [extraction(), *shards, joined], cores=8)
    whole = estimate(experiment, [extraction(), preparation()], cores=8)[-1]
    assert estimates[1].seconds == pytest.approx(whole.seconds / 2, rel=0.1)
    assert estimates[-1].written_mb == pytest.approx(2 * estimates[1].written_mb)


def test_training_is_as_long_as_its_kind_says(experiment: Experiment) -> None:
    def seconds(name: str) -> float:
        return estimate(experiment, [training(experiment, name)], cores=8)[0].seconds

    assert seconds("baltescu2015_dim5000") > 1.2 * seconds("baltescu2015_dim100")
    large = "luong2015_1layer", "auli2013_lstm", "auli2013_transformer", "baltescu2015_gru"
    on_gpu = [job("train_neural_lm", [], [], lm=name) for name in large]
    assert [one.gpus for one in estimate(experiment, on_gpu, cores=8)] == [1, 1, 1, 1]


def test_a_search_takes_the_time_of_its_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = default_experiment()
    first, second = (training(found, f"luong2015_1layer/run{run}") for run in (1, 2))
    searched, again = estimate(found, [first, second], cores=8)
    settings = found.models["luong2015_1layer"].settings
    assert isinstance(settings, NeuralSettings)
    tried, evaluations = len(settings.alternatives()), settings.epochs * settings.evaluations
    assert tried > 1
    assert searched.seconds == pytest.approx(trainings(tried, evaluations) * again.seconds)


def test_a_model_to_start_from_is_not_learnt_from(experiment: Experiment) -> None:
    start, name = "lm/luong2015_1layer/model", "luong2015_1layer_adapted"
    jobs = [training(experiment, "luong2015_1layer"), training(experiment, name)]
    jobs.append(training(experiment, name, start))
    _, alone, with_start = estimate(experiment, jobs, cores=8)
    assert alone.seconds > 60
    assert with_start.seconds == pytest.approx(alone.seconds)
    assert with_start.mem_mb > alone.mem_mb


def test_training_texts_have_the_size_of_what_they_join(experiment: Experiment) -> None:
    files = ["text/train.en.gz", "text/mono.news-crawl-2010.en.gz"]
    gathered = [
        job("gather_text", files, [f"texts/{text}.gz"], text=text)
        for text in ("schwenk2010_bitext", "default", "baltescu2015_1pct", "auli2013_4pct")
    ]
    jobs = [extraction(), preparation(), *gathered]
    bitext, *sizes = [one.written_mb for one in estimate(experiment, jobs, cores=8)[2:]]
    assert bitext > 50
    # The second file, whose size is not known, a hundredth of it, two million tokens.
    assert sizes == pytest.approx([20, 0.2, 3.4])


def test_each_text_is_encoded_by_itself(experiment: Experiment) -> None:
    names = ("schwenk2010_bitext", "schwenk2010_background")
    texts = [f"texts/{name}.gz" for name in names]
    gathered = [
        job("gather_text", [path], [text], text=name)
        for name, text, path in [
            (names[0], texts[0], "text/train.en.gz"),
            (names[1], texts[1], "text/mono.news-crawl-2010.en.gz"),
        ]
    ]
    encoded = [
        job("encode_texts", texts, [f"texts/joined/{name}.ids"], text=name) for name in names
    ]
    jobs = [extraction(), preparation(), *gathered, *encoded]
    of_text, of_other, ids, other = [one.written_mb for one in estimate(experiment, jobs, 8)[2:]]
    assert of_text > 2 * of_other > 0
    assert [ids, other] == pytest.approx([1.5 * of_text, 1.5 * of_other])


def test_measuring_training_takes_the_memory_of_training(experiment: Experiment) -> None:
    measured, trained = (
        job(rule, TEXTS[1:], [], lm="baltescu2015_dim100")
        for rule in ("measure_training", "train_neural_lm")
    )
    estimates = estimate(experiment, [extraction(), preparation(), measured, trained], cores=8)
    assert estimates[2].mem_mb == estimates[3].mem_mb


def test_measuring_training_on_more_text_takes_no_longer(experiment: Experiment) -> None:
    measured = [
        job("measure_training", texts, [], lm="baltescu2015_dim100") for texts in (TEXTS[1:], TEXTS)
    ]
    of_one, of_both = estimate(experiment, [extraction(), preparation(), *measured], cores=8)[2:]
    assert of_one.seconds == of_both.seconds


def test_n_gram_models_have_temporary_files_while_they_are_trained(experiment: Experiment) -> None:
    trainings = [
        job("train_ngram_lm", ["text/train.en.gz"], [f"lm/{lm}/model.binary"], lm=lm)
        for lm in ("kn5", "schwenk2010_kn4")
    ]
    estimates = estimate(experiment, [extraction(), preparation(), *trainings], cores=8)
    one, other = (found.scratch_mb for found in estimates[2:])
    assert one == other > 10 * estimates[1].written_mb
    assert [found.scratch_mb for found in estimates[:2]] == [0, 0]
    assert most_scratch_mb(estimates, 1) == one
    assert most_scratch_mb(estimates, 8) == 2 * one
    said = f"{2 * one / 1000:.2f} GB of temporary files at most, of 8 jobs at once"
    assert said in list(table(estimates, 8, Pace()))


def test_the_table_adds_up_and_names_what_is_not_measured(experiment: Experiment) -> None:
    other = job("download_corpus", [], ["archive.tgz"])
    estimates = estimate(experiment, [extraction(), alignment(), other], cores=4)
    lines = list(table(estimates, 4, Pace()))
    assert [line.split()[0] for line in lines[1:4]] == ["corpus", "translation", "all"]
    assert lines[3].split()[1] == "3"
    assert lines[4].endswith("hours on 4 cores at least")
    assert lines[5].endswith("only guessed: download_corpus")
    assert list(table([], 4, Pace())) == ["nothing is left to do"]
    assert "at the pace of the 7 finished jobs of this folder, which took 0.34 of" in "\n".join(
        table(estimates, 4, Pace(jobs=7, overall=0.3441))
    )
