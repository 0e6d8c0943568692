"""A disk that is full, or cannot be written, under the outputs of each rule (root)."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from disturbed import Finished, error_of, recovered, unchanged

from tests.workflow.conftest import (
    differences,
    half_written,
    refused,
    run_snakemake,
    snakemake_command,
)

RULES = [
    *("extract_bitext", "prepare_text", "gather_text", "encode_text", "cluster_words"),
    *("count_texts", "write_corpus_statistics", "train_ngram_lm", "train_neural_lm"),
    *("measure_perplexity", "align_words", "symmetrise_alignments", "extract_phrases"),
    *("filter_tables", "write_moses_ini", "tune_weights", "decode", "rescore_nbest"),
    *("tune_reranking", "rerank_nbest", "evaluate_system", "compare_sentences", "write_report"),
]
# Each writes in another way: Python, the programs of KenLM, eflomal, checkpoints, compiled code.
WRITERS = [
    *("prepare_text", "train_ngram_lm", "align_words", "train_neural_lm", "tune_weights"),
    *("extract_phrases", "decode", "write_report"),
]
KEPT = "kept"  # a file that makes a folder of outputs one that is not empty, nor to be removed
PAGE = os.sysconf("SC_PAGE_SIZE")  # what tmpfs counts in


def outputs_of(rule: str, finished: Finished) -> list[str]:
    """The outputs of one job of a rule."""
    return next(list(job.outputs) for job in finished.jobs() if job.rule == rule)


def remove(outputs: list[str], copy: Path) -> tuple[Path, int]:
    """Remove outputs of a job; the folder that they were in, and how large they were."""
    size = sum((copy / path).stat().st_size for path in outputs)
    for path in outputs:
        (copy / path).unlink()
    return copy / os.path.commonpath([str(Path(path).parent) for path in outputs]), size


def mount(*arguments: object) -> None:
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no right to mount: {done.stderr}")


@contextmanager
def small_disk(folder: Path, room: int) -> Iterator[None]:
    """A folder, with what is in it, on a file system that has so many bytes left."""
    aside = folder.with_name(f"{folder.name}-aside")
    folder.rename(aside)
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=50m", "tmpfs", folder)
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        shutil.rmtree(aside)
        (folder / KEPT).write_bytes(b"x")
        state = os.statvfs(folder)
        pages = state.f_blocks - state.f_bfree + room // PAGE
        make_larger(folder, pages * PAGE)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_larger(folder: Path, size: int = 50 << 20) -> None:
    mount("-o", f"remount,size={size}", folder)


def only_missing(finished: Finished, copy: Path, outputs: list[str]) -> None:
    """All other results are as they were, and there is no half of these."""
    other = {name for name in differences(finished.folder, copy) if Path(name).name != KEPT}
    assert other <= set(outputs)
    assert half_written(copy) == []
    assert not [path for path in outputs if (copy / path).exists()]


def test_these_are_all_rules(finished):
    assert {job.rule for job in finished.jobs()} == set(RULES)
    assert set(WRITERS) < set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_full_disk(finished, copy, seen, rule):
    """There is room for half of what the job writes, in whole pages: none for a small file."""
    outputs = outputs_of(rule, finished)
    folder, size = remove(outputs, copy)
    with small_disk(folder, size // 2):
        output = refused(run_snakemake(copy, outputs[0]))
        error = error_of(output).replace(f"{copy}/", "")
        seen(f"full disk, {rule}", error)
        assert "No space left on device" in error
        assert str(folder.relative_to(copy)) in error
        assert "free some space" in error
        only_missing(finished, copy, outputs)
        make_larger(folder)
        recovered(copy, outputs[0])
        (folder / KEPT).unlink()
        unchanged(finished, copy)


@pytest.mark.parametrize("rule", ["decode", "train_ngram_lm"])
def test_full_disk_of_the_project(finished, copy, seen, rule):
    """There is no room for locks and logs either."""
    outputs = outputs_of(rule, finished)
    remove(outputs, copy)
    results = copy / "results"
    with small_disk(results, 0):
        error = error_of(refused(run_snakemake(copy, outputs[0])))
        seen(f"full disk under all results, {rule}", error)
        assert "No space left on device" in error
        assert "free some space" in error
        only_missing(finished, copy, outputs)
        make_larger(results)
        recovered(copy, outputs[0])
        (results / KEPT).unlink()
        unchanged(finished, copy)


def test_read_only_results(finished, copy, seen):
    """The disk is mounted for reading, as after a fault of its own."""
    outputs = outputs_of("decode", finished)
    remove(outputs, copy)
    results = copy / "results"
    mount("--bind", results, results)
    try:
        mount("-o", "remount,ro,bind", results)
        output = refused(run_snakemake(copy, outputs[0]))
    finally:
        subprocess.run(["umount", "--lazy", str(results)], check=True)
    message = re.search(r"^.*results: nothing can be written there .*$", output, re.MULTILINE)
    assert message, output
    seen("read-only results", message[0].strip())
    only_missing(finished, copy, outputs)
    recovered(copy, outputs[0])
    unchanged(finished, copy)


@pytest.mark.parametrize("rule", WRITERS)
def test_folder_of_another_user(finished, copy, seen, rule):
    """A folder that must not be written; root without its privilege is held to that too."""
    outputs = outputs_of(rule, finished)
    folder, _ = remove(outputs, copy)
    (folder / KEPT).touch()
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        without_privilege = ["setpriv", "--bounding-set", "-dac_override"]
        command = [*without_privilege, *snakemake_command(copy, outputs[0])]
        output = refused(subprocess.run(command, cwd=copy, capture_output=True, text=True))
    finally:
        folder.chmod(mode)
    error = error_of(output)
    seen(f"folder of another user, {rule}", error)
    assert "Permission denied" in error
    assert str(folder.relative_to(copy)) in error
    (folder / KEPT).unlink()
    only_missing(finished, copy, outputs)
    recovered(copy, outputs[0])
    unchanged(finished, copy)


def test_full_place_for_temporary_files(finished, copy, seen, tmp_path):
    """No job of the tiny workflow needs it but for messages of KenLM, which are lost.

    Snakemake's default scheduler does: it ends with a message of its own, and a traceback.
    """
    outputs = outputs_of("train_ngram_lm", finished)
    remove(outputs, copy)
    place = tmp_path / "temporary"
    place.mkdir()
    with small_disk(place, 0):
        result = run_snakemake(copy, "--scheduler", "ilp", outputs[0], TMPDIR=str(place))
        assert result.returncode != 0
        last = result.stderr.strip().splitlines()[-1]
        assert "No space left on device" in last
        seen("full place for temporary files", f"Snakemake's own traceback, ending in {last}")
        recovered(copy, outputs[0], TMPDIR=str(place))
        seen("full place for temporary files, --scheduler greedy", "the same bytes")
    unchanged(finished, copy)
