"""Stands for kubectl and a cluster: runs each job's command on this machine (test_kubernetes.py).

The folder in FAKE_KUBERNETES keeps a job's manifest, `<name>.json`, the process group that runs its
pod, `<name>.group`, and the exit status, `<name>.status`.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

STATE = Path(os.environ["FAKE_KUBERNETES"])


def create() -> None:
    job = json.load(sys.stdin)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    name = job["metadata"]["name"]
    (STATE / f"{name}.json").write_text(json.dumps(job))
    container = job["spec"]["template"]["spec"]["containers"][0]
    # The status appears at once, not half-written.
    wrapper = '"$@"; echo $? > "$0.new"; mv "$0.new" "$0.status"'
    process = subprocess.Popen(
        ["/bin/sh", "-c", wrapper, STATE / name, *container["command"]],
        cwd=container["workingDir"],
        stdin=subprocess.DEVNULL,
        stdout=(STATE / f"{name}.log").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    (STATE / f"{name}.group").write_text(str(process.pid))
    print(f"job.batch/{name} created")


def get(name: str) -> None:
    if not (STATE / f"{name}.json").exists():
        sys.exit(f'Error from server (NotFound): jobs.batch "{name}" not found')
    conditions = []
    if (STATE / f"{name}.status").exists():
        ended_well = (STATE / f"{name}.status").read_text().strip() == "0"
        conditions = [{"type": "Complete" if ended_well else "Failed", "status": "True"}]
    print(json.dumps({"kind": "Job", "status": {"conditions": conditions}}))


def delete(names: list[str]) -> None:
    for name in names:
        with suppress(FileNotFoundError, ProcessLookupError):
            os.killpg(int((STATE / f"{name}.group").read_text()), signal.SIGKILL)
        (STATE / f"{name}.json").unlink(missing_ok=True)


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    words = words[: words.index("default")]  # the namespace, and what follows it
    if words[0] == "create":
        create()
    elif words[:2] == ["get", "job"]:
        get(words[2])
    elif words[:2] == ["delete", "job"]:
        delete(words[2:])
    else:
        sys.exit(f"unknown command: {words}")


if __name__ == "__main__":
    main()
