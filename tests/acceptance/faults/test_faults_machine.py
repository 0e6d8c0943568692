"""A clock that jumps, too little memory, two runs at once, a network or file system that fails."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from disturbed import Finished, error_of, recovered, said, started, unchanged, wait_until

from nlmt.workflow.job import TOUCH
from tests.unit.corpora.web_site import Site, cut, running, stall, status
from tests.workflow.conftest import (
    PAIR,
    change,
    go_on,
    half_written,
    halting_at,
    logs,
    refused,
    run_snakemake,
    snakemake_command,
)

MODEL = f"{PAIR}/lm/nce/run1/model.safetensors"
CHECKPOINT = f"{PAIR}/lm/nce/run1/checkpoint/checkpoint.safetensors"
WEIGHTS = f"{PAIR}/tune/baseline/run1/weights.json"
STATE = f"{PAIR}/tune/baseline/run1/checkpoint/state.json"
LINKS = f"{PAIR}/tm/forward.gz"
HYPOTHESES = f"{PAIR}/decode/baseline/run1/test.hyp"
DAY = 24 * 3600
# Locks of flock and fcntl as a network file system without them has it.
NO_LOCKS = """
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
int flock(int file, int operation) { errno = ENOLCK; return -1; }
static int without_locks(const char* name, int file, int command, void* argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
      command == F_OFD_SETLKW) {
    errno = ENOLCK;
    return -1;
  }
  int (*next)(int, int, void*) = (int (*)(int, int, void*))dlsym(RTLD_NEXT, name);
  return next(file, command, argument);
}
#define FCNTL(NAME)                                   \\
  int NAME(int file, int command, ...) {              \\
    va_list list;                                     \\
    va_start(list, command);                          \\
    void* argument = va_arg(list, void*);             \\
    va_end(list);                                     \\
    return without_locks(#NAME, file, command, argument); \\
  }
FCNTL(fcntl)
FCNTL(fcntl64)
"""
STOP = """
#include <errno.h>
#include <signal.h>
#include <string.h>
__attribute__((constructor)) static void stop(void) {
  if (strcmp(program_invocation_short_name, PROGRAM) == 0) raise(SIGSTOP);
}
"""

# A plugin: a job that goes on after a checkpoint needs more memory than before.
HUNGRY = """\
from pathlib import Path
replace = Path.replace
def replace_and_grow(self, target):
    written = replace(self, target)
    if written.name == "checkpoint.safetensors":
        bytes(64 << 20)
    return written
Path.replace = replace_and_grow
"""


def compiled(folder: Path, source: str) -> Path:
    """A library to preload."""
    text, library = folder / "preloaded.c", folder / "preloaded.so"
    text.write_text(source)
    command = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(text), "-ldl"]
    subprocess.run(command, check=True)
    return library


def without(output: str, finished: Finished, copy: Path) -> Path:
    """The copy without the outputs of the job that makes a file."""
    job = next(job for job in finished.jobs() if output in job.outputs)
    for path in job.outputs:
        (copy / path).unlink()
    return copy


def shift(folder: Path, seconds: float) -> None:
    """Change the times of all files, as if the clock had been wrong when they were written."""
    for path in folder.rglob("*"):
        if path.is_file():
            status = path.stat()
            os.utime(path, (status.st_atime + seconds, status.st_mtime + seconds))


def program_in(folder: Path, pattern: str) -> int | None:
    """The process at work in a folder whose command line fits."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if re.fullmatch(pattern, b" ".join(words[:2]).decode()):
                    return int(entry.name)
        except OSError:  # it has just ended
            continue
    return None


def kill_in(folder: Path, pattern: str, process: subprocess.Popen[str]) -> None:
    """Wait for a program at work in a folder, and kill it alone; Snakemake then fails."""
    wait_until(lambda: program_in(folder, pattern), folder, process)
    number = program_in(folder, pattern)
    assert number is not None
    os.kill(number, signal.SIGKILL)
    assert process.wait(600) != 0


def script(name: str) -> str:
    """The command line of a script of the workflow."""
    return rf"\S*python \S*/scripts/tmp\w+\.{name}\.py"


# --- clocks ---


def test_the_clock_was_ahead(finished, copy, seen):
    """Files of tomorrow: the run stops, its message says what to do, and then it ends well."""
    without(f"{PAIR}/tm/aligned.gz", finished, copy)
    shift(copy / PAIR / "tm", DAY)
    output = refused(run_snakemake(copy, f"{PAIR}/tm/aligned.gz"))
    hint = re.search(r"Some files have timestamps in the future.*", output)
    assert hint, output
    assert TOUCH in hint[0]
    seen("clock was ahead", hint[0])
    subprocess.run(["sh", "-c", TOUCH], cwd=copy, check=True)
    recovered(copy, f"{PAIR}/tm/aligned.gz", "reports")
    unchanged(finished, copy)


def test_the_clock_was_behind(finished, copy, seen):
    """Results that seem older than what they were made from are made again."""
    shift(copy / PAIR / "raw", -10 * 365 * DAY)
    output = recovered(copy, f"{PAIR}/text/train.fr.gz")
    unchanged(finished, copy)
    again = re.findall(r"^\[[\d:]+\] (\w+) [^:\n]*$", output, flags=re.MULTILINE)
    seen("clock was behind by ten years", f"made again: {', '.join(again)}; the same bytes")


def test_the_clock_jumps(finished, copy, seen, tmp_path):
    """A day ahead while a model is trained, which harms nothing; then two days back in tuning."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        pytest.fail("missing: faketime; make acceptance-faults installs it")
    clock = tmp_path / "clock"
    clock.write_text("+0\n")
    variables = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # which no jump changes
        "NO_FAKE_STAT": "1",
    }
    without(MODEL, finished, copy)
    without(WEIGHTS, finished, copy)
    one_by_one = ("--cores", "1", "--prioritize", MODEL)
    halting = halting_at(copy, CHECKPOINT, STATE)
    with started(copy, MODEL, WEIGHTS, *one_by_one, **variables, **halting) as process:
        wait_until((copy / CHECKPOINT).exists, copy, process)
        clock.write_text(f"+{DAY}\n")
        go_on(copy, CHECKPOINT)
        wait_until((copy / STATE).exists, copy, process)
        clock.write_text(f"-{DAY}\n")
        go_on(copy, STATE)
        assert process.wait(600) != 0
    assert "Traceback" not in said(copy)
    hint = re.search(r"Some files have timestamps in the future.*", said(copy))
    assert hint, said(copy)
    seen("clock jumps a day ahead, then two back", hint[0])
    recovered(copy, MODEL, WEIGHTS)  # the clock is right again
    unchanged(finished, copy)


# --- memory ---


@pytest.mark.parametrize(
    ("name", "reached", "output", "goes_on"),
    [
        ("train_language_model", CHECKPOINT, MODEL, r"resuming after \d+ epochs"),
        ("tune_weights", STATE, WEIGHTS, r"resuming after iteration \d+"),
        ("decode", HYPOTHESES, HYPOTHESES, ""),
        ("align_words", LINKS, LINKS, ""),
    ],
    ids=["training", "tuning", "decoding", "alignment"],
)
def test_the_system_kills_a_job(finished, copy, seen, name, reached, output, goes_on):
    """SIGKILL to one job, as the kernel does when memory runs out."""
    without(output, finished, copy)
    with started(copy, output, **halting_at(copy, reached)) as process:
        wait_until((copy / reached).exists, copy, process)
        kill_in(copy, script(name), process)
    go_on(copy, reached)
    assert "Traceback" not in said(copy)
    hint = re.search(r"The system killed a job.*", said(copy))
    assert hint, said(copy)
    seen(f"out of memory, {name}", hint[0])
    recovered(copy, output)
    assert re.search(goes_on, logs(copy))
    unchanged(finished, copy)


@pytest.mark.parametrize(
    ("program", "output"), [("lmplz", f"{PAIR}/lm/kn5/model.binary"), ("eflomal", LINKS)]
)
def test_the_system_kills_a_program(finished, copy, seen, tmp_path, program, output):
    """SIGKILL to a program that a job runs, which stops at its start."""
    without(output, finished, copy)
    library = compiled(tmp_path, f'#define PROGRAM "{program}"\n{STOP}')
    with started(copy, output, LD_PRELOAD=str(library)) as process:
        kill_in(copy, rf"\S*/{program} .*", process)
    assert "Traceback" not in said(copy)
    error = error_of(said(copy))
    seen(f"out of memory, {program}", error)
    assert "run fewer jobs at once" in error
    assert half_written(copy) == []
    recovered(copy, output)
    unchanged(finished, copy)


def test_a_limit_of_memory(finished, copy, seen, tmp_path):
    """`ulimit -v`, reached while a model is trained."""
    without(MODEL, finished, copy)
    plugin = tmp_path / "hungry.py"
    plugin.write_text(HUNGRY)
    variables = halting_at(copy, CHECKPOINT)
    variables["NLMT_PLUGINS"] += f":{plugin}"
    with started(copy, MODEL, **variables) as process:
        wait_until((copy / CHECKPOINT).exists, copy, process)
        number = program_in(copy, script("train_language_model"))
        assert number is not None
        pages = int(Path(f"/proc/{number}/statm").read_text().split()[0])
        # There is some left, to say what is wrong.
        limit = f"--as={pages * os.sysconf('SC_PAGE_SIZE') + (8 << 20)}"
        subprocess.run(["prlimit", "--pid", str(number), limit], check=True)
        go_on(copy, CHECKPOINT)
        assert process.wait(600) != 0
    assert "Traceback" not in said(copy)
    error = error_of(said(copy))
    seen("limit of memory, train_language_model", error)
    assert error.startswith("out of memory")
    recovered(copy, MODEL)
    assert re.search(r"resuming after \d+ epochs", logs(copy))
    unchanged(finished, copy)


# --- two at once ---


@contextmanager
def training_halted(finished: Finished, copy: Path, **variables: str) -> Iterator[None]:
    """The training of a model is halted on its way in the block; after it, it must end well."""
    without(MODEL, finished, copy)
    with started(copy, MODEL, **variables, **halting_at(copy, CHECKPOINT)) as process:
        wait_until((copy / CHECKPOINT).exists, copy, process)
        yield
        go_on(copy, CHECKPOINT)
        assert process.wait(600) == 0, said(copy)


def test_two_runs_in_one_folder(finished, copy, seen):
    with training_halted(finished, copy):
        output = refused(run_snakemake(copy, MODEL))
    found = re.search(r"Directory cannot be locked.*", output)
    assert found, output
    assert "--unlock" in output
    seen("two runs in one folder", found[0])
    unchanged(finished, copy)


@pytest.fixture
def no_locks(tmp_path: Path) -> dict[str, str]:
    """The environment of programs for which files cannot be locked."""
    variables = {"LD_PRELOAD": str(compiled(tmp_path, NO_LOCKS))}
    code = "import fcntl; fcntl.flock(0, fcntl.LOCK_EX)"
    tried = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True
    )
    assert "No locks available" in tried.stderr
    return variables


def test_no_flock(finished, project, seen, no_locks):
    recovered(project, **no_locks)
    unchanged(finished, project)
    seen("a file system without flock", "the same bytes")


def test_two_equal_jobs_without_any_lock_of_the_system(finished, copy, seen, no_locks):
    """Where Snakemake's lock is left out, the second job takes the result of the first."""
    with training_halted(finished, copy, **no_locks):
        second = subprocess.Popen(
            snakemake_command(copy, "--nolock", MODEL),
            cwd=copy,
            env=os.environ | no_locks,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        while not list((copy / "results/logs/train_neural_lm").rglob(".*.wait")):
            assert second.poll() is None
            time.sleep(0.1)
    output = second.communicate(timeout=600)[0]
    assert second.returncode == 0, output
    assert "its result is taken" in output
    seen("two equal jobs without flock", "the second waits and takes the first one's result")
    unchanged(finished, copy)


# --- the network ---


@pytest.fixture
def downloaded(project: Path) -> Iterator[tuple[Path, Site]]:
    """A project whose corpus comes from a web server."""
    corpus = project / "corpus"
    with running() as site:
        downloads, files = {}, {}
        for split in ("train", "dev", "test"):
            files[split] = {language: f"{split}.{language}" for language in ("fr", "en")}
            for name in files[split].values():
                body = (corpus / name).read_bytes()
                site.files[f"/{name}"] = body
                address = f"{site.address}/{name}"
                digest = hashlib.sha256(body).hexdigest()
                downloads[name] = {"url": address, "sha256": digest}
        shutil.rmtree(corpus)
        languages = {"fr": "French", "en": "English"}
        toy = {"kind": "url", "languages": languages, "downloads": downloads, "files": files}
        toy |= {"description": "sentences of a toy grammar", "licence": "none needed"}
        settings = {"retries": 1, "first_pause": 0.1, "timeout": 5}
        change(project, corpora={"toy": toy}, download=settings)
        yield project, site


LOST = "/train.fr"


def ranges(site: Site) -> list[str | None]:
    """What was asked of the file that gets lost on its way."""
    return [headers.get("Range") for path, headers in site.requests if path == LOST]


def raw_text_is_the_same(finished: Finished, project: Path) -> None:
    for name in ("train.fr.gz", "train.en.gz", "test.fr.gz"):
        path = f"{PAIR}/raw/{name}"
        assert (project / path).read_bytes() == (finished.folder / path).read_bytes()
    assert half_written(project) == []
    assert not list((project / "data").rglob(".*.part*"))


RAW = f"{PAIR}/raw/train.fr.gz"


def test_download_cut_off_once(finished, downloaded, seen):
    project, site = downloaded
    site.answers[LOST] = [cut(1000)]
    recovered(project, RAW)
    assert ranges(site) == [None, "bytes=1000-"]
    raw_text_is_the_same(finished, project)
    seen("download cut off once", "goes on from there in the same run")


def test_download_given_up_and_gone_on_with(finished, downloaded, seen):
    project, site = downloaded
    site.answers[LOST] = [cut(1000), *[status(503)] * 3]
    error = error_of(refused(run_snakemake(project, RAW)))
    seen("download cut off, then no server", error)
    assert not (project / "data/raw/toy/train.fr").exists()
    site.answers[LOST].clear()
    recovered(project, RAW)
    assert ranges(site)[-1] == "bytes=1000-"
    raw_text_is_the_same(finished, project)


def test_download_killed_and_gone_on_with(finished, downloaded, seen):
    project, site = downloaded
    change(project, download={"timeout": 60})
    site.answers[LOST] = [stall(1000, 60)]
    with started(project, RAW) as process:
        part = project / f"data/raw/toy/.{LOST[1:]}.part"
        wait_until(part.exists, project, process)  # the server's answer is being written
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert run_snakemake(project, "--unlock").returncode == 0
    recovered(project, RAW)
    raw_text_is_the_same(finished, project)
    seen("download killed", f"the same command gets it; ranges asked: {ranges(site)}")


def test_download_altered_on_the_way(finished, downloaded, seen):
    project, site = downloaded
    body = site.files[LOST]
    site.files[LOST] = bytes([body[0] ^ 1]) + body[1:]
    error = error_of(refused(run_snakemake(project, RAW)))
    seen("download altered on its way", error)
    assert "sha256" in error.lower().replace("-", "")
    assert not (project / "data/raw/toy/train.fr").exists()
    site.files[LOST] = body
    recovered(project, RAW)
    raw_text_is_the_same(finished, project)
