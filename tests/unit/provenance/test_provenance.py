"""Records of jobs, traces back to the corpus, manifests, crates, and their commands."""

import functools
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock
from weakref import WeakKeyDictionary

import pytest

from nlmt import __version__
from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io import files
from nlmt.provenance import (
    Code,
    Recorder,
    Store,
    code_warnings,
    environment,
    library_changes,
    present_code,
    recorder,
    resumed_code,
    trace,
    write_manifest,
)
from nlmt.provenance import store as store_module
from nlmt.provenance.crate import write_crate
from nlmt.provenance.store import FileRecord
from nlmt.registry import load_plugins
from nlmt.workflow.job import mixed_code_warnings

PAIR = "results/task/fr-en"
TEXT, MODEL, SCORES = f"{PAIR}/text/train.en", f"{PAIR}/lm/m/model.json", f"{PAIR}/eval/m.json"


def sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def run_job(
    rule: str,
    inputs: list[str],
    outputs: dict[str, str],
    meanwhile: Callable[[], object] = lambda: None,
    **params: Any,
) -> None:
    """A job as a script of the workflow runs it; `meanwhile` happens while it runs."""
    job = SimpleNamespace(
        input=inputs,
        output=list(outputs),
        params=params,
        wildcards={"task": "task"},
        threads=2,
        log=[f"results/logs/{rule}/task.log"],
        rule=rule,
    )
    recorder = Recorder(job)
    meanwhile()
    for path, content in outputs.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content)
    recorder.finish()


@pytest.fixture(scope="module")
def code() -> Iterator[None]:
    """Hash the code of the library once for all tests: it takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(environment._hash_of_code)
        patch.setattr(environment, "_hash_of_code", once)
        yield


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: None) -> Path:
    """A corpus, a text, a model and scores, made one from the other."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.en").write_text("a b\nc\n")
    run_job("prepare_text", ["corpus.en"], {TEXT: "a b\nc\n"}, seed=1)
    run_job("train", [TEXT], {MODEL: '{"w": 1}'}, model={"dim": 4, "seed": 7})
    scores = {"scores": {"test": {"BLEU": {"mean": 20.5, "runs": [20, 21]}}}, "seconds": 3.0}
    run_job("evaluate", [MODEL], {SCORES: json.dumps(scores)})
    return tmp_path


def test_a_record_has_what_the_job_read_wrote_and_ran_on(project: Path) -> None:
    record = Store().job("train/task")
    assert record is not None
    assert record.inputs == {TEXT: sha256(TEXT)}
    assert record.outputs == {MODEL: sha256(MODEL)}
    assert record.params == {"model": {"dim": 4, "seed": 7}}
    assert record.wildcards == {"task": "task"}
    assert record.threads == 2
    assert record.versions["nlmt"] == __version__
    assert record.versions["pytest"] == pytest.__version__
    assert record.processor
    assert record.system.startswith("Linux")
    assert "nlmt.io.files" in record.modules
    assert "nlmt.provenance.store" not in record.modules  # on which no result depends


def test_a_record_has_the_times_and_the_memory_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clock = SimpleNamespace(monotonic=iter([10.0, 11.23456]).__next__)
    monkeypatch.setattr(recorder, "time", clock)
    now = datetime(2026, 1, 2, 3, 4, 5, 999_999, UTC)
    monkeypatch.setattr(recorder, "datetime", SimpleNamespace(now=lambda zone: now))
    monkeypatch.setattr("os.times", lambda: (1.001, 0.1, 2.0, 0.2, 1000.0))  # the last: of the day
    monkeypatch.setattr(recorder, "_most_memory", lambda: 3 * 1024 + 1023)
    run_job("train", [], {MODEL: ""}, path=Path("a"), model={"dim": 4})
    record = Store().job("train/task")
    assert record is not None
    assert (record.seconds, record.cpu_seconds, record.memory_mb) == (1.23, 3.3, 3)
    assert record.started == "2026-01-02T03:04:05+00:00"
    assert record.params == {"path": "a", "model": {"dim": 4}}


def test_the_most_memory_is_of_the_process_or_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {resource.RUSAGE_SELF: 30, resource.RUSAGE_CHILDREN: 20}
    monkeypatch.setattr("resource.getrusage", lambda who: SimpleNamespace(ru_maxrss=used[who]))
    status = "VmPeak:\t      99 kB\nVmHWM:\t      10 kB\nVmRSS:\t       5 kB\n"
    monkeypatch.setattr(Path, "read_text", lambda *_: status)
    assert recorder._most_memory() == 20
    used[resource.RUSAGE_CHILDREN] = 9
    assert recorder._most_memory() == 10
    monkeypatch.setattr(Path, "read_text", lambda *_: "VmPeak:\t99 kB\n")
    assert recorder._most_memory() == 30
    monkeypatch.setattr(Path, "read_text", mock.Mock(side_effect=OSError))
    assert recorder._most_memory() == 30


def test_a_job_with_its_log_elsewhere_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job = SimpleNamespace(input=[], output=[], params={}, wildcards={}, threads=1, rule="r")
    job.log = ["here.log"]
    Recorder(job).finish()
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_read_again_only_after_a_change(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(store_module, "file_hash", lambda path: read.append(path) or "0" * 64)
    Store().file(TEXT)
    assert read == []
    os.utime(TEXT, ns=(1, 1))
    assert Store().file(TEXT).sha256 == "0" * 64
    assert read == [Path(TEXT)]


def test_a_record_is_of_a_file_of_equal_size_and_times(tmp_path: Path) -> None:
    status = tmp_path.stat()
    times = {"mtime_ns": status.st_mtime_ns, "ctime_ns": status.st_ctime_ns}
    record = FileRecord("0" * 64, status.st_size, **times, job="")
    assert record.is_of(status)
    for name in ("size", *times):
        assert not replace(record, **{name: getattr(record, name) + 1}).is_of(status)


def test_a_store_is_beside_the_outermost_logs() -> None:
    log = Path("here/results/logs/train/logs/task.log")
    store = Store.of_log(log)
    assert store is not None
    assert store.folder == Path("here/results/provenance")
    assert store.job_name(log) == "train/logs/task"
    assert Store.of_log(Path("here/results/task.log")) is None


def test_files_outside_the_project_have_no_record(project: Path) -> None:
    outside = project.parent / "outside"
    outside.write_text("a\n")
    before = sorted(Path("results/provenance").rglob("*"))
    for path in (outside, Path("..") / "outside"):
        assert Store().made(path, "job").sha256 == sha256(str(outside))
        assert Store().recorded(path) is None
    assert sorted(Path("results/provenance").rglob("*")) == before


def test_a_touched_or_removed_file_is_no_change(project: Path) -> None:
    os.utime(TEXT, ns=(1, 1))
    Path(MODEL).unlink()
    assert trace(Store(), SCORES)[-1].current
    os.utime(TEXT, ns=(2, 2))
    assert Store().file(TEXT).job == "prepare_text/task"
    assert Store().recorded(TEXT) == Store().file(TEXT)


@pytest.mark.parametrize("content", ["{", "{}", '{"sha256": ""}'])
def test_a_record_that_is_damaged_or_of_another_version_is_none(
    content: str, project: Path
) -> None:
    folder = Path("results/provenance")
    assert list(Store().jobs()) == ["evaluate/task", "prepare_text/task", "train/task"]
    (folder / "jobs/train/task.json").write_text(content)
    (folder / f"files/{TEXT}.json").write_text(content)
    assert Store().job("train/task") is None
    assert sorted(Store().jobs()) == ["evaluate/task", "prepare_text/task"]
    assert Store().recorded(TEXT) is None
    assert Store().file(TEXT).job == ""


def test_a_change_of_equal_size_and_time_is_found(project: Path) -> None:
    status = Path(TEXT).stat()
    Path(TEXT).write_text("b a\nc\n")
    os.utime(TEXT, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Store().file(TEXT).sha256 == sha256(TEXT)
    assert "it was changed after prepare_text made it" in trace(Store(), TEXT)[-1].reasons


def test_damage_that_no_time_shows_is_found_by_verifying_and_by_a_crate(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(SCORES).write_text(Path(SCORES).read_text().replace("20.5", "25.0"))
    # As on a disk that lost a bit.
    monkeypatch.setattr(FileRecord, "is_of", lambda *_: True)
    assert main(["provenance", SCORES]) == 0
    assert main(["provenance", "--verify", SCORES]) == 1
    assert "no: it was changed after evaluate made it" in capsys.readouterr().out
    folder = str(Path(SCORES).parent)
    assert main(["crate", folder, "--out", "crate.zip", "--licence", "MPL-2.0"]) == 1
    assert "it was changed after evaluate made it" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["corpus.en", TEXT, MODEL, SCORES])
def test_every_byte_behind_a_file_is_verified(
    path: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileRecord, "is_of", lambda *_: True)  # no time shows a change
    whole = Path(path).read_bytes()
    folder = Path(SCORES).parent
    for place in range(len(whole)):
        altered = bytes([whole[place] ^ 1])
        Path(path).write_bytes(whole[:place] + altered + whole[place + 1 :])
        assert not trace(Store(verify=True), SCORES)[-1].current
        with pytest.raises(InputError, match="not current"):
            write_crate(
                Path("crate.zip"), Store(verify=True), folder, title="", description="", licence=""
            )
    assert not Path("crate.zip").exists()
    Path(path).write_bytes(whole)
    assert trace(Store(verify=True), SCORES)[-1].current


def test_jobs_may_record_one_file_at_once(project: Path) -> None:
    """Threads have one process id, as processes of two machines may have."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: Store().made(TEXT, "prepare_text/task"), range(200)))
    assert {record.sha256 for record in found} == {sha256(TEXT)}
    assert Store().recorded(TEXT) == found[0]
    assert [path.name for path in Path("results/provenance").rglob(".*")] == []


def test_a_trace_leads_back_to_the_corpus(project: Path) -> None:
    steps = trace(Store(), SCORES)
    assert [step.path for step in steps] == ["corpus.en", TEXT, MODEL, SCORES]
    assert [step.job and step.job.rule for step in steps] == [
        *(None, "prepare_text", "train", "evaluate")
    ]
    assert all(step.current for step in steps)
    assert steps[0].sha256 == sha256("corpus.en")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (SCORES, "it was changed after evaluate made it"),
        (MODEL, f"{MODEL} is not what it was made from"),
        ("corpus.en", f"{MODEL} is not current"),
    ],
)
def test_a_change_shows_in_all_that_follows(project: Path, changed: str, reason: str) -> None:
    Path(changed).write_text('{"other": 1}')
    assert reason in trace(Store(), SCORES)[-1].reasons


def test_an_input_that_changes_while_a_job_runs_is_not_what_it_read(project: Path) -> None:
    change = Path("corpus.en").write_text
    run_job("prepare_text", ["corpus.en"], {TEXT: "a b\nc\n"}, lambda: change("b\n"))
    assert trace(Store(), TEXT)[-1].reasons == ("corpus.en is not what it was made from",)


def test_a_file_made_again_is_not_what_the_next_one_was_made_from(project: Path) -> None:
    run_job("train", [TEXT], {MODEL: '{"w": 2}'})
    Path(MODEL).unlink()
    assert trace(Store(), SCORES)[-1].reasons == (f"{MODEL} is not what it was made from",)


def test_a_file_that_its_job_has_not_recorded_as_output(project: Path) -> None:
    """As where a job of the same name now writes another file."""
    run_job("train", [TEXT], {f"{MODEL}.other": "{}"})
    steps = trace(Store(), SCORES)
    assert steps[-2].reasons == ("it was changed after train made it",)
    assert steps[-1].reasons == (f"{MODEL} is not current",)


def test_each_file_of_a_trace_comes_once(project: Path) -> None:
    run_job("join", [TEXT, "corpus.en"], {f"{PAIR}/both": "x"})
    steps = trace(Store(), MODEL, f"{PAIR}/both", TEXT)
    assert [step.path for step in steps] == ["corpus.en", TEXT, MODEL, f"{PAIR}/both"]


def test_a_trace_through_jobs_that_read_each_other_ends(project: Path) -> None:
    run_job("split", [SCORES], {TEXT: "a b\nc\n"})
    steps = trace(Store(), SCORES)
    assert [step.path for step in steps] == [TEXT, MODEL, SCORES]
    assert all(step.current for step in steps)
    Path(SCORES).write_text("{}")
    assert f"{MODEL} is not current" in trace(Store(), SCORES)[-1].reasons


def test_results_of_mixed_code_are_marked_or_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_warnings(Store(), [SCORES], refuse=True) == []
    assert library_changes(trace(Store(), SCORES)) == []
    by_other_code("train")
    assert library_changes(trace(Store(), SCORES)) == ["nlmt.io.files"]
    (warning,) = code_warnings(Store(), [SCORES], refuse=False)
    assert "a change of the code of nlmt.io.files; to make" in warning
    with pytest.raises(InputError, match=r"nlmt\.io\.files \(to make the older ones again"):
        code_warnings(Store(), [SCORES], refuse=True)
    job = SimpleNamespace(input=[SCORES], params=SimpleNamespace(mixed_code="mark"))
    assert mixed_code_warnings(job) == [warning]
    job.params.mixed_code = "refuse"
    with pytest.raises(InputError, match=r"nlmt\.io\.files"):
        mixed_code_warnings(job)
    assert main(["provenance", "--older"]) == 0
    assert capsys.readouterr().out == f"{MODEL}\n"
    for rule in ("prepare_text", "evaluate"):
        by_other_code(rule)
    assert code_warnings(Store(), [SCORES], refuse=True) == []  # all by the same older code


def changed_record(place: str, change: Callable[[dict[str, Any]], object]) -> None:
    path = Path("results/provenance") / f"{place}.json"
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


NOW = {"nlmt.io.files": environment._hash(Path(files.__file__), {})}
OLD, OLDER = {"nlmt.io.files": "1" * 16}, {"nlmt.io.files": "0" * 16, "nlmt.gone": "0" * 16}


@pytest.mark.parametrize(
    ("codes", "others", "says"),
    [
        ([NOW], [], ""),
        ([OLDER, OLD, NOW], [OLDER, OLD], "the code of nlmt.gone, nlmt.io.files: the result is of"),
        ([], [{}], "the checkpoint does not say which code made it"),
        ([{}, NOW], [{}], "the checkpoint does not say which code made it"),
    ],
)
def test_a_job_that_resumes_what_other_code_began(
    codes: list[Code],
    others: list[Code],
    says: str,
    project: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_job("train", [TEXT], {MODEL: '{"w": 1}'}, lambda: resumed_code(codes))
    record = Store().job("train/task")
    assert record is not None
    assert record.stretches == others
    assert says in caplog.text
    assert bool(caplog.messages) == bool(says)
    assert len(code_warnings(Store(), [SCORES], refuse=False)) == bool(others)
    if says:
        with pytest.raises(InputError):
            code_warnings(Store(), [SCORES], refuse=True)
    assert library_changes(trace(Store(), SCORES)) == sorted(
        {name for one in others for name in one}
    )
    capsys.readouterr()
    assert main(["provenance", "--older"]) == 0
    assert capsys.readouterr().out == (f"{MODEL}\n" if any(others) else "\n")
    assert main(["provenance", MODEL]) == 0
    assert capsys.readouterr().out.count("which code made" if {} in others else "made partly") == (
        2 * bool(others)
    )
    # The next one begins at the beginning.
    run_job("train", [TEXT], {MODEL: '{"w": 1}'})
    assert code_warnings(Store(), [SCORES], refuse=True) == []
    assert not list(Path("results/provenance/reports").rglob("*.json"))


def test_a_checkpoint_that_is_resumed_again_is_named_once(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As of a search, which goes on with each of its settings several times."""
    assert resumed_code([OLD, NOW], [OLD]) == []
    assert resumed_code([present_code()]) == []
    assert caplog.messages == []


def test_a_process_reports_what_its_job_has_not_loaded(project: Path) -> None:
    child = f"import sys; from nlmt.provenance import report; report([{NOW}, {NOW | {'a': 'b'}}])"
    run_job("train", [TEXT], {MODEL: "1"}, lambda: subprocess.run([sys.executable, "-c", child]))
    record = Store().job("train/task")
    assert record is not None
    assert record.stretches == [NOW | {"a": "b"}]
    assert code_warnings(Store(), [MODEL], refuse=True) == []


def test_what_a_killed_job_reported_is_not_that_of_the_next(project: Path) -> None:
    place = Store().report("train/task")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps([OLD]))
    run_job("train", [TEXT], {MODEL: '{"w": 1}'})
    assert code_warnings(Store(), [SCORES], refuse=True) == []


def test_a_record_of_an_earlier_version_has_one_code(project: Path) -> None:
    changed_record("jobs/train/task", lambda record: record.pop("stretches"))
    assert code_warnings(Store(), [SCORES], refuse=True) == []


def by_other_code(rule: str) -> None:
    """Let the record of a job say that it ran before a change of a module."""
    changed_record(
        f"jobs/{rule}/task", lambda job: job["modules"].update({"nlmt.io.files": "0" * 16})
    )


@pytest.mark.parametrize("place", ["jobs/train/task", f"files/{MODEL}"])
@pytest.mark.parametrize("damage", ["of another version", "damaged", "missing"])
def test_results_of_unknown_code_are_marked_or_refused(
    place: str, damage: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after an upgrade with other fields in the records."""
    path = Path("results/provenance") / f"{place}.json"
    if damage == "of another version":
        changed_record(place, lambda record: record.popitem())
    elif damage == "damaged":
        path.write_text("{")
    else:
        path.unlink()
    (warning,) = code_warnings(Store(), [SCORES], refuse=False)
    assert f"says which code made {MODEL}; to make the older ones again" in warning
    with pytest.raises(InputError, match=f"which code made {MODEL} "):
        code_warnings(Store(), [SCORES], refuse=True)
    steps = trace(Store(), SCORES)
    assert [step.path for step in steps if step.unknown] == [MODEL]
    assert steps[-1].reasons == (f"{MODEL} is not current",)
    with pytest.raises(InputError, match=f"{MODEL}: not current: no record says how it was made"):
        write_crate(
            Path("x.zip"), Store(), Path(SCORES).parent, title="", description="", licence=""
        )
    assert main(["provenance", SCORES]) == 1
    assert f"{MODEL}  (no record)" in capsys.readouterr().out
    assert main(["provenance", "--older"]) == 0
    assert capsys.readouterr().out == f"{MODEL}\n"
    run_job("train", [TEXT], {MODEL: '{"w": 1}'})
    assert code_warnings(Store(), [SCORES], refuse=True) == []


def test_unknown_code_names_one_file(project: Path) -> None:
    shutil.rmtree("results/provenance")
    (warning,) = code_warnings(Store(), [TEXT, MODEL, SCORES], refuse=False)
    assert f"made {TEXT} and 2 more;" in warning


def test_versions_that_decide_numbers_are_code(project: Path) -> None:
    for package, other, mixed in (
        ("numpy", "", True),
        ("torch", "", True),
        ("kenlm", "nlmt.ngram.other", True),
        ("kenlm", "", False),  # recorded of each job, but run by none
        ("eflomal", "nlmt.alignment.other", True),
        ("eflomal", "", False),
        ("docutils", "nlmt.corpora.other", True),
        ("sacremoses", "nlmt.text.other", True),
        ("sacrebleu", "nlmt.evaluation.other", True),
        ("pandas", "", False),
    ):
        for rule, version in (("train", "0.1"), ("evaluate", "0.2")):
            code = {"modules": {"nlmt.other": "0"}, "versions": {package: version}}
            if other:
                code["modules"][other] = "0"
            changed_record(f"jobs/{rule}/task", lambda job, code=code: job.update(code))  # type: ignore[misc]
        warnings = code_warnings(Store(), [SCORES], refuse=False)
        assert [f"the code of {package};" in warning for warning in warnings] == [True] * mixed
        assert (package in library_changes(trace(Store(), SCORES))) == mixed, package


def test_the_installed_version_is_no_change() -> None:
    now = environment.versions()["numpy"]
    assert environment.changed_code([("numpy", now)]) == set()
    assert environment.changed_code([("numpy", "0.1")]) == {("numpy", "0.1")}


@pytest.mark.parametrize(
    ("count", "named"), [(3, "code of m0, m1, m2;"), (4, "code of m0, m1, m2 and 1 more;")]
)
def test_three_modules_are_named_in_a_warning(count: int, named: str, project: Path) -> None:
    for rule in ("prepare_text", "train"):
        code = {"modules": {f"m{number}": rule for number in range(count)}}
        changed_record(f"jobs/{rule}/task", lambda job, code=code: job.update(code))  # type: ignore[misc]
    (warning,) = code_warnings(Store(), [MODEL], refuse=False)
    assert named in warning


def test_provenance_is_of_a_file_or_of_older_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["provenance"]) == 2
    assert main(["provenance", "--older", "file"]) == 2
    assert "provenance: a file and --older (give one)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("edited", "same"),
    [
        ('"""Other."""\n\n\n# why\ndef f(x):\n    """Say."""\n    return x in {"a", "b"}\n', True),
        ('def f(x):\n    """Do."""\n    return x in {"a", "c"}\n', False),
        ('def f(y):\n    """Do."""\n    return y in {"a", "b"}\n', False),
        ("def f(x:\n", False),
    ],
    ids=["comments", "a constant", "a name", "half edited"],
)
def test_a_comment_is_no_change_of_code(edited: str, same: bool, tmp_path: Path) -> None:
    module = tmp_path / "plugin.py"
    module.write_text('"""Text."""\n\ndef f(x):\n    """Do."""\n    return x in {"a", "b"}\n')
    before = environment._hash(module, {})
    module.write_text(edited)
    assert (environment._hash(module, {}) == before) == same
    assert (environment.changed_code([(str(module), before)]) == set()) == same


def test_code_is_read_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    monkeypatch.setattr(environment, "_hash_of_code", lambda source: read.append(source) or "0")
    loaded: WeakKeyDictionary[ModuleType, str] = WeakKeyDictionary()
    monkeypatch.setattr(environment, "_loaded", loaded)
    run_job("evaluate", [MODEL], {SCORES: "{}"})
    read.clear()
    loaded.clear()  # as in another process
    run_job("evaluate", [MODEL], {SCORES: "{}"})
    assert read == []
    Path("results/provenance/code.json").write_text("{damaged")
    loaded.clear()
    run_job("evaluate", [MODEL], {SCORES: "{}"})
    assert len(read) > 10


def test_a_plugin_is_recorded_by_its_path(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text("VALUE = 1\n")
    monkeypatch.setenv("NLMT_PLUGINS", str(plugin))
    load_plugins()
    run_job("evaluate", [MODEL], {SCORES: "{}"})
    plugin.write_text("VALUE = 2\n")
    assert library_changes(trace(Store(), SCORES)) == [str(plugin)]
    # Also where it changes while a job runs, which has loaded it before.
    run_job("evaluate", [MODEL], {SCORES: "{}"}, lambda: plugin.write_text("VALUE = 3\n"))
    assert library_changes(trace(Store(), SCORES)) == [str(plugin)]


def test_the_commit_is_that_of_git() -> None:
    folder = Path(environment.__file__).parent
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert environment.commit() == (result.stdout.strip() if result.returncode == 0 else "")


def test_a_manifest_is_checked_by_sha256sum(project: Path) -> None:
    write_manifest("manifest.sha256", Store(), [SCORES])
    lines = Path("manifest.sha256").read_text().splitlines()
    assert lines[0] == f"{sha256('corpus.en')}  corpus.en"
    assert len(lines) == 4
    subprocess.run(["sha256sum", "--check", "--quiet", "manifest.sha256"], check=True)
    Path(MODEL).unlink()
    write_manifest("manifest.sha256", Store(), [SCORES])
    assert Path("manifest.sha256").read_text().splitlines() == [*lines[:2], lines[3]]


def test_a_crate_describes_files_and_jobs(project: Path) -> None:
    out = Path("crate.zip")
    folder = Path(f"{PAIR}/eval")
    Path(folder / ".hidden").touch()
    Path(MODEL).unlink()
    job = Store().job("evaluate/task")
    assert job is not None
    Store().write_job(
        "evaluate/task", replace(job, started="2026-01-02T03:04:05+00:00", seconds=60.4)
    )
    write_crate(out, Store(), folder, title="t", description="d", licence="MPL-2.0")
    with zipfile.ZipFile(out) as crate:
        assert crate.namelist() == ["ro-crate-metadata.json", SCORES]
        for entry in crate.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert entry.external_attr == 0o644 << 16
            assert entry.compress_type == zipfile.ZIP_DEFLATED
        assert crate.read(SCORES) == Path(SCORES).read_bytes()
        entities = {
            entity["@id"]: entity
            for entity in json.loads(crate.read("ro-crate-metadata.json"))["@graph"]
        }
    assert {entity["@type"] for entity in entities.values()} == {
        *("CreativeWork", "Dataset", "File", "CreateAction", "SoftwareApplication")
    }
    whole = entities["./"]
    assert (whole["name"], whole["description"], whole["license"]) == ("t", "d", "MPL-2.0")
    assert whole["hasPart"] == [{"@id": SCORES}]
    assert (entities[SCORES]["@type"], entities[SCORES]["name"]) == ("File", SCORES)
    assert entities[SCORES]["contentSize"] == str(Path(SCORES).stat().st_size)
    assert "contentSize" not in entities[f"#{MODEL}"]  # it is gone
    assert entities[SCORES]["sha256"] == sha256(SCORES)
    action = entities["#train/task"]
    assert action["object"] == [{"@id": f"#{TEXT}"}]
    assert entities[f"#{TEXT}"]["sha256"] == sha256(TEXT)
    commit = environment.commit()
    version = f"{__version__}+{commit}" if commit else __version__
    software = {"@id": f"#nlmt-{version}", "@type": "SoftwareApplication", "name": "nlmt"}
    assert entities[action["instrument"]["@id"]] == software | {"softwareVersion": version}
    assert len(whole["mentions"]) == 3
    action = entities["#evaluate/task"]
    assert action["result"] == [{"@id": SCORES}]
    assert action["startTime"] == "2026-01-02T03:04:05+00:00"
    assert action["endTime"] == "2026-01-02T03:05:05+00:00"
    assert whole["datePublished"] == max(
        entity["endTime"] for entity in entities.values() if "endTime" in entity
    )


def test_a_crate_has_what_its_hashes_say(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*arguments: Any) -> list[Any]:
        steps = trace(*arguments)
        Path(SCORES).write_text("BLEU 99\n")
        return steps

    monkeypatch.setattr("nlmt.provenance.crate.trace", changed)
    with pytest.raises(InputError, match=f"^{SCORES}: it has just been changed"):
        write_crate(
            Path("x.zip"), Store(), Path(SCORES).parent, title="", description="", licence=""
        )
    assert not Path("x.zip").exists()


def test_no_crate_of_files_that_no_job_made(project: Path) -> None:
    Path("here").mkdir()
    Path("here/file").touch()
    with pytest.raises(InputError, match="here: no job is on record that made any file"):
        write_crate(Path("x.zip"), Store(), Path("here"), title="", description="", licence="")


def test_the_command_prints_the_job_and_its_history(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["provenance", MODEL]) == 0
    text = capsys.readouterr().out
    for part in ("current     yes", "rule        train (task task)", "seed 7", "(given)"):
        assert part in text
    assert text.index("corpus.en") < text.index("prepare_text/task") < text.index("  train/task")
    Path(TEXT).write_text("other\n")
    assert main(["provenance", MODEL, "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["current"] is False
    assert content["jobs"]["train/task"]["outputs"] == {MODEL: sha256(MODEL)}


def test_a_file_without_a_record(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["provenance", "corpus.en"]) == 1
    assert "no recorded job made it" in capsys.readouterr().err


def test_the_command_writes_a_crate(project: Path) -> None:
    command = ["crate", f"{project}/{PAIR}/eval", "--out", "x.zip", "--licence", "MPL-2.0"]
    assert main(command) == 0
    assert zipfile.is_zipfile("x.zip")


def test_memory_is_that_of_the_job_not_of_what_started_it() -> None:
    """Linux takes the most memory of a process over into the program that it becomes."""
    job = "from nlmt.provenance.recorder import _most_memory; print(_most_memory())"
    start = (
        "import os, sys; held = bytearray(10**9); "
        f"os.fork() or os.execv(sys.executable, [sys.executable, '-c', {job!r}]); os.wait()"
    )
    out = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True)
    assert 10_000 < int(out.stdout) < 500_000
