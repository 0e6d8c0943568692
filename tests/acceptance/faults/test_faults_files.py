"""Files that are lost, cut off or altered: who notices, and what is said."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from disturbed import Finished, error_of, recovered, said, started, unchanged, wait_until

from tests.workflow.conftest import (
    PAIR,
    change,
    differences,
    go_on,
    half_written,
    halting_at,
    logs,
    refused,
    run_snakemake,
)

MODEL = f"{PAIR}/lm/nce/run1"
RESULTS = f"{PAIR}/report/results.json"
# A file of each kind that jobs read. A job that reads one of these refuses it where a bit is wrong:
CHECKED = [
    *("raw/train.fr.gz", "text/train.en.gz", "texts/default.gz", "texts/default.min2.ids"),
    *("lm/nce/run1/model.safetensors", "lm/nce/run1/config.json", "lm/nce/run1/vocabulary.txt"),
    *("lm/nce/run1/classes.tsv", "tm/forward.gz", "tm/aligned.gz", "tm/phrase-table.gz"),
    *("tm/reordering-table.wbe-msd-bidirectional-fe.gz", "tm/filtered/phrase-table.gz"),
    "tm/filtered/reordering-table.wbe-msd-bidirectional-fe.gz",
    *("decode/baseline/run1/test.nbest.gz", "rescore/nlm/run1/test.scores.tsv.gz"),
]
# These are content like any other: only the hashes of the manifest show what is wrong.
UNCHECKED = [
    *("classes/default/brown.tsv", "lm/kn5/model.binary", "lm/nce/run1/log.tsv"),
    *("lm/nce/run1/perplexity.json", "tm/baseline/moses.ini", "tune/baseline/run1/weights.json"),
    *("tune/baseline/run1/log.tsv", "decode/baseline/run1/test.hyp"),
    *("decode/baseline/run1/test.metrics.json", "rescore/nlm/run1/weights.json"),
    *("eval/nlm.json", "report/side-by-side/nlm.html", "text/corpus_statistics.tsv"),
]


def flip(path: Path) -> None:
    """Flip the lowest bit of the byte in the middle, as a disk might: the time stays."""
    status, content = path.stat(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def readers_of(path: str, finished: Finished) -> dict[str, list[str]]:
    """One job of each rule that reads a file: the rule, and the outputs of the job."""
    jobs = finished.jobs()
    return {job.rule: list(job.outputs) for job in jobs if path in job.inputs}


def in_manifest(copy: Path) -> list[str]:
    """The files that `sha256sum --check` finds to be other ones than those behind the page."""
    manifest = f"{PAIR}/report/manifest.sha256"
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", manifest], cwd=copy, capture_output=True, text=True
    )
    return re.findall(r"^(.*): FAILED$", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize("kind", [*CHECKED, *UNCHECKED])
def test_flipped_bit(finished, copy, seen, kind):
    """All jobs that read the file run again; the manifest finds what they do not."""
    path = f"{PAIR}/{kind}"
    readers = readers_of(path, finished)
    outputs = [output for made in readers.values() for output in made]
    assert path not in outputs
    flip(copy / path)
    behind_the_page = f"  {path}\n" in (copy / PAIR / "report/manifest.sha256").read_text()
    assert in_manifest(copy) == [path] * behind_the_page
    by_manifest = "manifest.sha256 shows it" if behind_the_page else "no hash of it is kept"
    for output in outputs:
        (copy / output).unlink()
    result = run_snakemake(copy, "--keep-going", *(made[0] for made in readers.values()))
    output = result.stdout + result.stderr
    assert "Traceback" not in output
    assert half_written(copy) == []
    errors = sorted(set(re.findall(r"^(?:\d\d:\d\d:\d\d )?error: (.*)", output, re.MULTILINE)))
    other = {name for name in differences(finished.folder, copy) if (copy / name).exists()}
    reported = "write_report" in readers and not errors
    if reported and (copy / RESULTS).read_bytes() != (finished.folder / RESULTS).read_bytes():
        other.add(RESULTS)  # which `differences` leaves out
    silently = [f"other {name.removeprefix(f'{PAIR}/')}" for name in sorted(other - {path})]
    what = "; ".join(errors + silently) or "nothing changes"
    seen(f"flipped bit, {kind}, read by {', '.join(readers)}", f"{what}; {by_manifest}")
    assert (result.returncode != 0) == bool(errors)
    if kind in CHECKED:
        assert errors
        assert all(path in error or MODEL in error for error in errors)
        assert silently == []
    else:
        assert behind_the_page or not silently


def test_altered_results_are_made_again(finished, copy, seen):
    """What the manifest finds, and all that was made from it."""
    path = f"{PAIR}/rescore/nlm/run1/weights.json"
    content = (copy / path).read_text()
    (copy / path).write_text(content.replace("0.1", "0.9").replace("0.0", "0.8"))
    assert in_manifest(copy) == [path]
    recovered(copy)
    assert differences(finished.folder, copy) != []
    recovered(copy, "reports", "--forcerun", path)
    unchanged(finished, copy)
    seen("altered weights, reports made from them", "--forcerun: the same bytes")


@pytest.mark.parametrize("file", ["config.json", "vocabulary.txt"])
@pytest.mark.parametrize("rule", ["rescore_nbest", "decode", "measure_perplexity", "tune_weights"])
def test_truncated_model(finished, copy, seen, file, rule):
    """Cut off in the middle of its last third, by whatever wrote or copied it."""
    path = copy / MODEL / file
    status, content = path.stat(), path.read_bytes()
    outputs = next(
        list(job.outputs)
        for job in finished.jobs()
        if job.rule == rule and f"{MODEL}/{file}" in job.inputs
    )
    for output in outputs:
        (copy / output).unlink()
    path.write_bytes(content[: len(content) * 5 // 6])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    error = error_of(refused(run_snakemake(copy, outputs[0])))
    seen(f"truncated {file}, {rule}", error)
    assert f"{MODEL}/" in error
    assert not [output for output in outputs if (copy / output).exists()]
    assert half_written(copy) == []
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    recovered(copy, outputs[0])
    unchanged(finished, copy)


@pytest.mark.parametrize(
    ("reached", "then"),
    [
        (f"{MODEL}/checkpoint/checkpoint.safetensors", f"{MODEL}/model.safetensors"),
        (
            f"{PAIR}/tune/baseline/run1/checkpoint/state.json",
            f"{PAIR}/tune/baseline/run1/weights.json",
        ),
    ],
    ids=["neural training", "tuning"],
)
def test_flipped_bit_of_a_checkpoint(finished, copy, seen, reached, then):
    """The job goes on from the previous checkpoint, or starts from the beginning."""
    for path in next(list(job.outputs) for job in finished.jobs() if then in job.outputs):
        (copy / path).unlink()
    with started(copy, then, **halting_at(copy, reached)) as process:
        wait_until((copy / reached).exists, copy, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    flip(copy / reached)
    assert run_snakemake(copy, "--unlock").returncode == 0
    result = run_snakemake(copy, then)
    output = result.stdout + result.stderr
    assert "Traceback" not in output
    assert result.returncode == 0, output
    said_of_it = re.search(r"(starting from the beginning|trying the previous).*", logs(copy))
    seen(f"flipped bit, {reached}", said_of_it[0] if said_of_it else "nothing")
    unchanged(finished, copy)


def test_flipped_bit_of_binary_tables(finished, copy, seen):
    tables = f"{PAIR}/tm/filtered/tables.bin"
    change(copy, decoder={"pop_limit": 100, "stack": 100, "tables": "binary"})
    recovered(copy, tables)
    flip(copy / tables)
    output = refused(run_snakemake(copy, f"{PAIR}/decode/baseline/run1/test.hyp"))
    error = error_of(output)
    seen("flipped bit, tm/filtered/tables.bin, read by decode", error)
    assert "tables.bin" in error
    assert half_written(copy) == []


DELETED = [
    "text/train.fr.gz",
    "tm/aligned.gz",
    "lm/nce/run1/vocabulary.txt",
    "tune/baseline/run1/weights.json",
]


@pytest.mark.parametrize("path", DELETED)
def test_deleted_between_runs(finished, copy, seen, path):
    """It is made again when something needs it."""
    (copy / PAIR / path).unlink()
    recovered(copy)
    needed = (copy / PAIR / path).exists()
    if not needed:
        recovered(copy, f"{PAIR}/{path}")
    unchanged(finished, copy)
    seen(f"deleted between runs, {path}", "made again" if needed else "made again when asked for")


def test_deleted_while_others_are_at_work(finished, copy, seen):
    """A text that a later job reads goes while an earlier one runs."""
    lost = copy / PAIR / "text/test.fr.gz"
    outputs = [f"{PAIR}/tune/baseline/run1/{name}" for name in ("weights.json", "log.tsv")]
    outputs += [f"{PAIR}/decode/baseline/run1/test.{name}" for name in ("hyp", "nbest.gz")]
    for path in outputs:
        (copy / path).unlink()
    state = f"{PAIR}/tune/baseline/run1/checkpoint/state.json"
    with started(copy, outputs[2], **halting_at(copy, state)) as process:
        wait_until((copy / state).exists, copy, process)
        lost.unlink()
        go_on(copy, state)
        assert process.wait(600) != 0
    output = said(copy)
    assert "Traceback" not in output
    found = re.search(r"Missing files after 5 seconds", output)
    assert found, output
    assert "text/test.fr.gz (missing" in output
    seen("deleted while an earlier job runs, text/test.fr.gz", f"{found[0]}, and its name")
    recovered(copy, outputs[2])
    unchanged(finished, copy)
