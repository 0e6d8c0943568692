"""tools/kubernetes_jobs.py: the manifest that kubectl is given, the status that Snakemake reads."""

import json
import shlex
from pathlib import Path

import pytest
import yaml

from tools import kubernetes_jobs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kubectl(tmp_path, monkeypatch):
    """A kubectl that writes its input to a file and answers what the test says."""

    def make(answer="", message="", status=0):
        program = tmp_path / "kubectl"
        program.write_text(
            f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\n'
            f"[ $1 = create ] && cat > {tmp_path}/job\n"
            f"echo {shlex.quote(answer)}\necho {shlex.quote(message)} >&2\nexit {status}\n"
        )
        program.chmod(0o755)
        return tmp_path

    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return make


def profile_command(**values):
    """The submit command of the profile, as Snakemake completes it."""
    profile = yaml.safe_load((ROOT / "profiles/kubernetes/profile.yaml").read_text())
    words = shlex.split(profile["cluster-generic-submit-cmd"])
    assert words[:2] == [".venv/bin/python", "tools/kubernetes_jobs.py"]
    for name, value in values.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    return words[2:]


def test_submit(kubectl, capsys):
    folder = kubectl()
    needs = {"resources.mem_mb": 1500, "resources.runtime": 30, "resources.gpu": 1}
    command = profile_command(rule="train_neural_lm_2", threads=8, **needs)
    kubernetes_jobs.main([*command, "/nlmt/job; rm -r *.sh"])
    job = json.loads((folder / "job").read_text())
    name = job["metadata"]["name"]
    assert capsys.readouterr().out == f"{name}\n"
    assert name.startswith("nlmt-train-neural-lm-2-")
    assert job["spec"]["activeDeadlineSeconds"] == 1800
    assert job["spec"]["backoffLimit"] == 0
    pod = job["spec"]["template"]["spec"]
    assert pod["volumes"] == [{"name": "project", "persistentVolumeClaim": {"claimName": "nlmt"}}]
    (container,) = pod["containers"]
    assert container["command"] == ["/bin/sh", "/nlmt/job; rm -r *.sh"]
    assert container["workingDir"] == str(Path.cwd())
    assert container["resources"] == {
        "requests": {"cpu": "8", "memory": "1500M"},
        "limits": {"memory": "1500M", "nvidia.com/gpu": "1"},
    }
    assert container["volumeMounts"] == [{"name": "project", "mountPath": "/nlmt"}]


SUBMIT = ["submit", "--image=i", "--claim=c", "--mount=/m", "--cpus=1", "--mem-mb=1", "--minutes=1"]


def test_names_are_short_and_each_their_own(kubectl, capsys):
    kubectl()
    for _ in range(3):
        kubernetes_jobs.main([*SUBMIT, f"--rule={'a_' * 40}", "script"])
    names = capsys.readouterr().out.split()
    assert len(set(names)) == 3
    assert max(map(len, names)) <= 63


def test_no_kubectl(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^error: kubectl is not installed"):
        kubernetes_jobs.main([*SUBMIT, "--rule=decode", "script"])


def test_kubectl_fails(kubectl):
    kubectl(status=3)
    with pytest.raises(SystemExit, match=r"^3$"):
        kubernetes_jobs.main([*SUBMIT, "--rule=decode", "script"])


@pytest.mark.parametrize(
    ("conditions", "answer"),
    [
        ([], "running"),
        ([{"type": "Complete", "status": "True"}], "success"),
        ([{"type": "Failed", "status": "True"}], "failed"),
        ([{"type": "Failed", "status": "False"}], "running"),
        ([{"type": "Suspended", "status": "True"}], "running"),
    ],
)
def test_status(kubectl, capsys, conditions, answer):
    kubectl(json.dumps({"status": {"conditions": conditions}}))
    kubernetes_jobs.main(["status", "nlmt-decode-1"])
    assert capsys.readouterr().out == f"{answer}\n"


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ('Error from server (NotFound): jobs.batch "nlmt-decode-1" not found', "failed"),
        ("Unable to connect to the server: i/o timeout", "running"),
    ],
)
def test_status_without_an_answer(kubectl, capsys, message, answer):
    kubectl("", message, status=1)
    kubernetes_jobs.main(["status", "nlmt-decode-1"])
    printed = capsys.readouterr()
    assert printed.out == f"{answer}\n"
    assert printed.err == f"{message}\n"


def test_cancel(kubectl):
    folder = kubectl()
    kubernetes_jobs.main(["--namespace", "mt", "cancel", "nlmt-a", "nlmt-b"])
    arguments = (folder / "arguments").read_text().split()
    assert arguments[:4] == ["delete", "job", "nlmt-a", "nlmt-b"]
    assert arguments[4:6] == ["--namespace", "mt"]
