"""Dry runs with the default configuration: every target and pair has its jobs."""

import functools
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, refused, succeeded


def dry_run(
    folder: Path, *arguments: str, cores: tuple[str, ...] = ("--cores", "2")
) -> subprocess.CompletedProcess[str]:
    """A dry run of the default configuration, its results in `folder`."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += [*cores, "--dry-run", "--directory", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def demo_arguments() -> list[str]:
    """What `make demo` gives to Snakemake."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n\t.*/snakemake --cores \S+ (.*)$", makefile, re.MULTILINE)
    assert recipe is not None
    return shlex.split(recipe[1])


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A dry run of all pairs' reports."""
    return dry_run(tmp_path_factory.mktemp("reports"), "reports")


def test_targets_have_their_jobs(reports, tmp_path):
    demo = dry_run(tmp_path, *demo_arguments(), "--config", "demo_pair=en-cs")
    for result in (reports, demo):
        assert jobs_of(result)["total"] > 0
        assert not re.search("(baltescu2015|auli2013|luong2015|schwenk2010)_", result.stdout)
    assert "en-de" in reports.stdout
    assert "results/help/en-cs/report" in demo.stdout
    assert "en-de" not in demo.stdout


def test_the_picture_of_the_rules_is_current(tmp_path):
    graph = succeeded(dry_run(tmp_path, "demo", "--rulegraph", "--quiet"))
    made = tmp_path / "rules.svg"
    tool = [sys.executable, str(ROOT / "tools/draw_rules.py"), str(made)]
    subprocess.run(tool, input=graph.stdout, text=True, check=True)
    assert made.read_bytes() == (ROOT / "docs/rules.svg").read_bytes()


def jobs_of(result: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """The job table of a dry run."""
    found = re.findall(r"^(\w+) +(\d+)$", succeeded(result).stdout, flags=re.MULTILINE)
    return {name: int(count) for name, count in found}


# A plan as a graph, without what a dry run finds out and prints of each job.
GRAPH = ("--dag", "--quiet")


def jobs_in(graph: subprocess.CompletedProcess[str]) -> Counter[str]:
    """The jobs of a plan that `GRAPH` asks for."""
    return Counter(re.findall(r'^\s*\d+\[label = "(\w+)', succeeded(graph).stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def of_one_pair(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Plans of targets from French to English, each made once, of one run of every system."""
    folder = tmp_path_factory.mktemp("pair")
    return functools.cache(
        lambda target, *options: dry_run(
            folder, target, "--config", "pairs=[fr-en]", "runs=1", *options
        )
    )


def test_papers_share_what_they_can(of_one_pair):
    """`all` has the papers and the reports, with fewer jobs than the papers take one by one."""
    baltescu2015, auli2013 = (
        jobs_in(of_one_pair(paper, *GRAPH)) for paper in ("baltescu2015", "auli2013")
    )
    # Of these, other tests look at single jobs.
    luong2015, schwenk2010 = (jobs_of(of_one_pair(paper)) for paper in ("luong2015", "schwenk2010"))
    alone = [baltescu2015, auli2013, luong2015, schwenk2010]
    every = jobs_in(of_one_pair("all", *GRAPH))
    for job in ("align_words", "train_ngram_lm", "tune_weights"):
        assert all(jobs.get(job, 0) > 0 for jobs in alone), job
        assert max(jobs[job] for jobs in alone) <= every[job] <= sum(jobs[job] for jobs in alone)
    assert every["align_words"] == 1
    assert every["write_report"] == 1
    assert all(every[job] >= jobs[job] for jobs in alone for job in jobs if job in every)
    searches = {"decode_lattices", "rescore_lattices", "search_lattices", "measure_search"}
    assert searches <= auli2013.keys()


def test_schwenk2010_decodes_with_phrases_and_with_tuples(of_one_pair):
    result = of_one_pair("schwenk2010")
    assert jobs_of(result)["extract_tuple_tables"] == 1
    decoding = re.findall(r"rule decode:\n +input: (.*)\n +output: ([^,\s]+)", result.stdout)
    for read, output in decoding:
        tuples = "decode/schwenk2010_tuples" in output
        assert ("tm/tuples/filtered/phrase-table.gz" in read) == tuples
        assert ("tm/filtered/phrase-table.gz" in read) != tuples
    made = {output for _, output in decoding}
    for system in ("nist", "tuples"):
        folder = f"results/help/fr-en/decode/schwenk2010_{system}/run1"
        assert {f"{folder}/test.hyp", f"{folder}/dev2.hyp"} <= made


def test_schwenk2010_from_arabic_by_the_users_files(tmp_path):
    """The manuals of table NIST have no Arabic; the further text needs its English only."""
    files = ("--configfile", str(ROOT / "config/btec.yaml"))
    folder = tmp_path / "data/licensed/btec"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        for language in ("ar", "en"):
            (folder / f"{part}.ar-en.{language}").write_text("a sentence\n")
    result = dry_run(tmp_path, "schwenk2010", *files, "--config", "pairs=[ar-en]", "runs=1")
    jobs = jobs_of(result)
    assert "data/licensed/btec/test.ar-en.ar" in result.stdout
    assert jobs["extract_bitext"] == 1
    assert jobs["prepare_monolingual"] == 2
    # The paper's short-lists among them, and what each covers of the requests.
    assert "results/btec/ar-en/lm/schwenk2010_cslm_12288/run1/model.safetensors" in result.stdout
    assert jobs["count_requests"] == 4


def test_luong2015_from_chinese_by_the_users_files(tmp_path):
    """At full scale, with the paper's test sets and its text of another domain."""
    files = ("--configfile", str(ROOT / "config/bolt.yaml"))
    for name in (
        *(f"bolt/{part}" for part in ("train", "tune", "dev10wb_dev", "dev10wb_syscomtune")),
        "bolt/p1r6_dev",
        *(f"bolt-sms-chat/{part}" for part in ("train", "p2r2smscht_dev", "p2r2smscht_syscomtune")),
    ):
        for language in ("zh", "en"):
            path = tmp_path / f"data/licensed/{name}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a sentence\n")
    result = dry_run(tmp_path, "luong2015", *files)
    jobs = jobs_of(result)
    inputs = dict(
        re.findall(r"rule extract_held_out:\n +input: (.*)\n +output: (\S+)", result.stdout)
    )
    found = {output.split("/")[-1]: read for read, output in inputs.items()}
    assert found
    origins = {"luong2015_test2": "bolt/p1r6_dev", "luong2015_domain": "bolt-sms-chat/"}
    for part, corpus in origins.items():
        assert any(name.startswith(part) and corpus in read for name, read in found.items())
    # Four depths, three of them adapted, and three models of section 2, in three runs.
    trained = sum(count for name, count in jobs.items() if name.startswith("train_neural_lm"))
    assert trained == 3 * (4 + 3 + 3)
    assert "results/bolt/zh-en/rescore/luong2015_domain_3layer/" in result.stdout
    assert "results/bolt/zh-en/text/luong2015_test2.zh.gz" in result.stdout


def test_luong2015_reranks_lists_with_alignments_on_a_second_tuning_set(of_one_pair):
    result = of_one_pair("luong2015")
    jobs = jobs_of(result)
    inputs = re.findall(r"rule rescore_nbest:\n +input: (.*)", result.stdout)
    assert all("/source-vocabulary.txt" in line for line in inputs)
    assert any("decode/luong2015_baseline/run1/dev2.nbest.gz" in line for line in inputs)
    trained = re.findall(r"rule train_neural_lm\w*:\n +input: (.*)", result.stdout)
    # Four depths and three adapted ones, trained in two ways, and three of section 2.
    assert len(trained) == 2 * (4 + 3) + 3
    adapted = [line for line in trained if "text/luong2015_domain_train.en.gz" in line]
    assert len(adapted) == 6
    assert all("/tm/luong2015_domain_train.aligned.gz" in line for line in adapted)
    others = [line for line in trained if line not in adapted]
    watching = [line for line in others if "text/test.en.gz" in line and "test.aligned.gz" in line]
    assert len(watching) == 8  # figure 1, and the curves of the other training
    # For (TER - BLEU) / 2 one, two and three models; the three for BLEU.
    assert jobs["tune_weights"] == 3 + 1


def test_second_tuning_set_is_decoded_and_rescored(reports, tmp_path):
    overlay = tmp_path / "dev2.yaml"
    overlay.write_text("rescoring: {tuning_set: dev2}\n")
    target = "results/help/fr-en/rescore/nlm/run1/weights.json"
    result = dry_run(tmp_path, target, "--configfile", str(overlay))
    for one, part in ((reports, "dev"), (result, "dev2")):
        said = succeeded(one).stdout
        jobs = re.findall(r"rule tune_reranking:\n +input: (.*)\n +output: (.*)", said)
        (inputs,) = [read for read, output in jobs if output == target]
        assert f"decode/baseline/run1/{part}.nbest.gz" in inputs
        assert f"rescore/nlm/run1/{part}.scores.tsv.gz" in inputs
        assert f"text/{part}.en.gz" in inputs
    (rescored,) = re.findall(r"rule rescore_nbest:\n +input: (.*)", result.stdout)
    for name in ("model.safetensors", "config.json", "vocabulary.txt", "classes.tsv"):
        assert f"lm/nce/run1/{name}" in rescored


def test_weights_are_tuned_on_all_references(tmp_path):
    """Of dev for the decoder, of dev2 for reranking."""
    overlay, files = tmp_path / "mine.yaml", ("a.fr", "a.en", "b.en")
    for name in files:
        (tmp_path / name).write_text("a sentence\n")
    held_out = "{fr: a.fr, en: [a.en, b.en]}"
    overlay.write_text(
        "task: mine\ncorpus: mine\npairs: [fr-en]\nrescoring: {tuning_set: dev2}\n"
        "corpora: {mine: {kind: file, description: mine, licence: mine,\n"
        "  languages: {fr: French, en: English}, files: {train: {fr: a.fr, en: a.en},\n"
        f"  dev: {held_out}, dev2: {held_out}, test: {held_out}}}}}}}\n"
    )
    target = "results/mine/fr-en/rescore/nlm/run1/weights.json"
    said = succeeded(dry_run(tmp_path, target, "--configfile", str(overlay))).stdout
    for rule, part in (("tune_weights", "dev"), ("tune_reranking", "dev2")):
        (inputs,) = re.findall(rf"rule {rule}:\n +input: (.*)", said)
        assert f"text/{part}.en.gz" in inputs
        assert f"text/{part}.ref2.en.gz" in inputs


def test_cluster_profile_has_the_same_jobs(reports, tmp_path):
    pytest.importorskip("snakemake_executor_plugin_slurm")
    # On a cluster no number of cores is given, which rules must not depend on.
    profile = str(ROOT / "profiles/slurm")
    cluster = succeeded(dry_run(tmp_path, "reports", "--workflow-profile", profile, cores=()))
    tables = [run.stdout.split("Job stats:")[1].split("\ntotal")[0] for run in (reports, cluster)]
    assert tables[0] == tables[1]


def test_full_scale_has_every_job_without_any_data(tmp_path):
    program = Path(__file__).with_name("full_scale.py")
    command = [sys.executable, str(program), str(ROOT / "Snakefile")]
    result = succeeded(subprocess.run(command, capture_output=True, text=True, cwd=tmp_path))
    jobs = Counter(re.findall(r"^(\w+) (?:data|results)/", result.stdout, re.MULTILINE))
    assert jobs["download_corpus"] == 17
    assert jobs["extract_bitext"] == jobs["align_words"] == 7  # of two tasks
    assert jobs["prepare_shard"] == 16 * 7
    assert jobs["train_ngram_lm"] == 35
    targets = set(re.findall(r"results/(wmt1[24]/\w\w-\w\w)/report/index.html", result.stdout))
    assert targets == {
        *(f"wmt14/{pair}" for pair in ("fr-en", "en-cs", "en-de")),
        *(f"wmt12/{pair}" for pair in ("fr-en", "de-en", "en-de")),
    }
    assert "data/raw/wmt14/training-monolingual-news-2013.tgz" in result.stdout
    total, hours, disk = resources_of_all(result.stdout)
    assert total == pytest.approx(6562, rel=0.05)
    # The papers are of weeks and terabytes.
    assert 1_000 < hours < 50_000
    assert 200 < disk < 5_000
    assert not (tmp_path / "results").exists()


def write_inputs_of_training(tmp_path):
    """Files without content for a training at full scale, on two billion words."""
    folder = tmp_path / "results/wmt14/fr-en"
    for name in ("texts/default.min1.ids", "classes/default/brown.tsv", "text/dev.en.gz"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).touch()
    os.truncate(folder / "texts/default.min1.ids", 8 * 10**9)


def test_measuring_a_training_does_not_ask_for_the_time_of_all_of_it(tmp_path):
    """Of two billion words, whose training takes days, it measures a few million."""
    write_inputs_of_training(tmp_path)
    speed = "results/wmt14/fr-en/lm/baltescu2015_matrices/run1/speed.json"
    only = ("--allowed-rules", "measure_training", "--config", "scale=full")
    result = succeeded(dry_run(tmp_path, speed, *only))
    (minutes,) = re.findall(r"runtime=(\d+)", result.stdout)
    assert 60 < int(minutes) < 240


def test_training_asks_for_less_time_on_more_threads(tmp_path):
    """For twice the time of one, divided by 8^0.68 on eight, and an hour."""
    write_inputs_of_training(tmp_path)
    model = "results/wmt14/fr-en/lm/nce/run1/model.safetensors"

    def minutes(threads):
        only = ("--allowed-rules", "train_neural_lm", "--config", "scale=full")
        of_threads = ("--set-threads", f"train_neural_lm={threads}")
        result = succeeded(dry_run(tmp_path, model, *of_threads, *only, cores=("--cores", "8")))
        (found,) = re.findall(r"runtime=(\d+)", result.stdout)
        return int(found) - 60

    assert minutes(1) > 24 * 60
    assert minutes(8) == pytest.approx(minutes(1) / 8**0.68, abs=1)


def resources_of_all(printed: str) -> tuple[float, float, float]:
    """Number of jobs, hours of processors and GB of disk in a table of `nlmt resources`."""
    rows = dict(re.findall(r"^(\w[\w ]*?)  +(\d.*)$", printed, re.MULTILINE))
    assert list(rows)[-1] == "all"
    total, hours, _, disk, _ = (float(number) for number in rows["all"].split()[:5])
    return total, hours, disk


def test_download_has_what_the_configuration_needs_and_nothing_else(tmp_path):
    jobs = jobs_of(dry_run(tmp_path, "download"))
    assert jobs == {"download_corpus": 14, "download": 1, "total": 15}


def test_mini_scale_runs_six_pairs_over_the_same_entries(tmp_path):
    graph = dry_run(tmp_path, "reports", "--config", "scale=mini", *GRAPH)
    jobs = jobs_in(graph)
    assert jobs["write_report"] == jobs["align_words"] == 6
    assert "folder: mini" in graph.stdout
    assert "folder: wmt1" not in graph.stdout


def test_sets_of_a_filtered_corpus_are_drawn_before_its_training_text(tmp_path):
    graph = dry_run(tmp_path, "papers", "reports", "--config", "scale=medium", *GRAPH)
    jobs = jobs_in(graph)
    assert jobs["extract_bitext"] == jobs["prepare_monolingual"] == jobs["write_report"] == 1
    assert jobs["extract_held_out"] == 9
    (bitext,) = re.findall(r'(\d+)\[label = "extract_bitext', graph.stdout)
    (gnome,) = re.findall(r'(\d+)\[label = "extract_held_out\\nsplit: gnome', graph.stdout)
    assert f"\t{gnome} -> {bitext}\n" in graph.stdout


def test_further_text_of_the_user_is_read_with_what_is_held_out(tmp_path):
    (tmp_path / "more.en").write_text("a sentence\n")
    target = "results/help/fr-en/texts/default.gz"
    read = []
    for config in ([], ["--config", "monolingual={en: [more.en]}"]):
        result = dry_run(tmp_path, target, *config)
        found = re.findall(r"rule gather_text:\n +input: (.*)\n", result.stdout)
        assert len(found) == 1, result.stdout + result.stderr
        read.append(set(found[0].split(", ")))
    parts = {f"results/help/fr-en/raw/{part}.en.gz" for part in ("dev", "test", "dev2")}
    assert parts <= read[1] - read[0]


def test_the_demo_runs_one_of_the_pairs_that_are_named(tmp_path):
    result = dry_run(tmp_path, "demo", "--config", "pairs=[en-cs]")
    assert result.returncode != 0
    said = result.stdout + result.stderr
    assert "demo_pair: fr-en is not among pairs (run reports, or give --config demo" in said


def test_numbers_within_settings_of_the_command_line(tmp_path):
    options = ("reports", "--config", "pairs=[en-cs]", "runs=[1, 2]", "decoder={shards: 2}")
    result = dry_run(tmp_path, *options)
    assert "en-de" not in result.stdout
    jobs = jobs_of(result)
    assert jobs["decode_shard"] == 2 * jobs["gather_shards"]


def test_unknown_scale_names_those_that_there_are(tmp_path):
    said = refused(dry_run(tmp_path, "reports", "--config", "scale=fll"))
    assert "scale: 'fll' is not allowed (did you mean 'full'? allowed: medium, full, mini" in said


def resources(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `nlmt resources` in a folder."""
    command = [sys.executable, "-m", "nlmt.cli", "resources", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_resources_are_known_before_there_is_any_data(tmp_path):
    for name in ("Snakefile", "rules", "workflow", "envs", "config", "config.yaml"):
        (tmp_path / name).symlink_to(ROOT / name)
    result = succeeded(resources(tmp_path, "reports"))
    total, hours, disk = resources_of_all(result.stdout)
    assert total == pytest.approx(179, rel=0.05)
    # The default experiment is of minutes and megabytes.
    assert 0.1 < hours < 2
    assert 0.1 < disk < 3
    assert not (tmp_path / "results").exists()


def test_a_set_that_lacks_a_language_is_one_line(tmp_path):
    result = resources(tmp_path, "luong2015", "--config", "scale=medium", "pairs=[it-en]")
    assert result.returncode == 1
    fault = "held_out.luong2015_test2: corpus evolution-help has no language 'it'"
    assert f"nlmt resources: {fault}" in result.stderr
    assert "Traceback" not in result.stderr


def test_resources_of_an_unknown_target_are_refused(tmp_path):
    result = resources(tmp_path, "report")
    assert result.returncode == 1
    assert "report" in result.stderr
    assert "Snakemake cannot plan these jobs" in result.stderr
    assert "Traceback" not in result.stderr
