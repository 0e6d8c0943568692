"""A Moses binary in place of the embedded decoder, and decoding in shards: the same translations.

No Moses is at hand: the binary is a script that answers with `nlmt decode`, which takes its flags.
"""

import json
import re
import sys
from pathlib import Path

from conftest import PAIR, change, half_written, refused, run_snakemake, succeeded

RUN = f"{PAIR}/decode/baseline/run1"


def put_moses(folder: Path, script: str = 'exec "{python}" -m nlmt.cli decode "$@"') -> None:
    """Configure a Moses that tells its version and otherwise does what `script` says."""
    binary = folder / "moses"
    told = "echo 'Moses code version (git tag or commit hash):'; echo '  RELEASE-9'"
    binary.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then {told}; exit; fi\n'
        + script.format(python=sys.executable)
    )
    binary.chmod(0o755)
    search = {"pop_limit": 100, "stack": 100, "shards": 2}
    decoder = {"engine": "moses", "path": "moses", **search}
    change(folder, decoder=decoder, systems={"nlm_decoder": None})


def test_moses_with_shards_translates_as_the_embedded_decoder(finished, copy_of_finished):
    folder = copy_of_finished
    put_moses(folder)
    succeeded(run_snakemake(folder, f"{RUN}/test.hyp"))
    for name in ("test.hyp", "test.nbest.gz"):
        assert (folder / RUN / name).read_bytes() == (finished / RUN / name).read_bytes()
    decoder = json.loads((folder / RUN / "test.metrics.json").read_text())["decoder"]
    assert (decoder["engine"], decoder["version"]) == ("moses", "RELEASE-9")
    assert "-cube-pruning-pop-limit" in decoder["flags"]
    weights = "tune/baseline/run1/weights.json"
    tuned, embedded = (json.loads((f / PAIR / weights).read_text()) for f in (folder, finished))
    assert tuned.pop("decoder")["engine"] == "moses"
    assert embedded.pop("decoder")["engine"] == "nlmt"
    assert tuned == embedded
    assert not list((folder / PAIR).rglob("*-of-2*"))  # tables among them
    assert half_written(folder) == []


def test_shards_with_binary_tables_are_the_whole(finished, copy_of_finished):
    folder = copy_of_finished
    change(folder, decoder={"pop_limit": 100, "stack": 100, "shards": 3, "tables": "binary"})
    succeeded(run_snakemake(folder, f"{RUN}/test.hyp"))
    assert "tables.bin" in (folder / PAIR / "tm/baseline/moses.ini").read_text()
    assert len(list((folder / "results/logs/decode_shard").iterdir())) == 3
    for name in ("test.hyp", "test.nbest.gz", "test.metrics.json"):
        assert (folder / RUN / name).read_bytes() == (finished / RUN / name).read_bytes()
    assert not list((folder / PAIR).rglob("*-of-3*"))


def test_failing_moses_is_one_clear_message(copy_of_finished):
    put_moses(copy_of_finished, "echo 'Exception: no memory' >&2; exit 1")
    weights = f"{PAIR}/tune/baseline/run1/weights.json"
    result = run_snakemake(copy_of_finished, weights)
    assert result.returncode != 0
    assert re.search(r"error: .*status 1\): Exception: no memory", result.stderr)
    assert "Traceback" not in result.stderr
    assert not (copy_of_finished / weights).exists()
    assert half_written(copy_of_finished) == []


def test_wrong_engine_is_refused_before_any_job(project):
    put_moses(project)
    change(project, decoder={"engine": "moses", "path": "/bin/true"})
    assert "decoder: /bin/true: not Moses" in refused(run_snakemake(project, "reports"))
    assert not (project / "results").exists()
