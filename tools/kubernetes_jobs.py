"""Jobs of the workflow on Kubernetes: profiles/kubernetes submits, queries and cancels by this.

kubernetes_jobs.py submit [options] SCRIPT   prints the name of the new job
kubernetes_jobs.py status NAME               prints success, failed or running
kubernetes_jobs.py cancel NAME [NAME ...]

A job is a pod that mounts the persistent volume with the project's folder and runs Snakemake's job
script there. Snakemake's own executor for Kubernetes is no choice here: it moves files through an
object store, of whose file names Snakemake 9.27 forgets the wildcard constraints.
"""

import argparse
import json
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

KUBECTL = "kubectl"
KEPT = 24 * 3600  # seconds that Kubernetes remembers a job after its end


def manifest(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The Kubernetes object of a job, whose script runs in a folder on the volume."""
    rule = options.rule.replace("_", "-")
    needs = {"cpu": str(options.cpus), "memory": f"{options.mem_mb}M"}
    limits = {"memory": needs["memory"]}
    if options.gpus:
        limits["nvidia.com/gpu"] = str(options.gpus)
    container = {
        "name": "job",
        "image": options.image,
        "command": ["/bin/sh", options.script],
        "workingDir": str(folder),
        "resources": {"requests": needs, "limits": limits},
        "volumeMounts": [{"name": "project", "mountPath": options.mount}],
    }
    labels = {"app": "nlmt", "rule": rule}
    pod = {
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "project", "persistentVolumeClaim": {"claimName": options.claim}}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        # A name has at most 63 characters.
        "metadata": {"name": f"nlmt-{rule[:40]}-{uuid.uuid4().hex[:12]}", "labels": labels},
        "spec": {
            "backoffLimit": 0,  # Snakemake submits a failed job again, with more memory and time
            "activeDeadlineSeconds": 60 * options.minutes,
            "ttlSecondsAfterFinished": KEPT,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def submit(options: argparse.Namespace) -> str:
    """Create a job; its name."""
    job = manifest(options, Path.cwd())
    command = [KUBECTL, "create", "--namespace", options.namespace, "--filename", "-"]
    subprocess.run(command, input=json.dumps(job), text=True, stdout=subprocess.DEVNULL, check=True)
    return str(job["metadata"]["name"])


def status(options: argparse.Namespace) -> str:
    """The status of a job for Snakemake: `success`, `failed` or `running`.

    A job that is not there, as after `kubectl delete job`, has failed. Where kubectl gets no
    answer, nothing is known, and Snakemake asks again.
    """
    command = [KUBECTL, "get", "job", options.name, "--namespace", options.namespace]
    found = subprocess.run([*command, "--output", "json"], capture_output=True, text=True)
    if found.returncode:
        print(found.stderr, file=sys.stderr, end="")
        return "failed" if "NotFound" in found.stderr else "running"
    conditions = json.loads(found.stdout).get("status", {}).get("conditions", [])
    kinds = {condition["type"] for condition in conditions if condition["status"] == "True"}
    return "success" if "Complete" in kinds else "failed" if "Failed" in kinds else "running"


def cancel(options: argparse.Namespace) -> None:
    """Delete jobs with their pods."""
    command = [KUBECTL, "delete", "job", *options.names, "--namespace", options.namespace]
    subprocess.run([*command, "--ignore-not-found", "--wait=false"], check=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line's action."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--namespace", default="default")
    commands = parser.add_subparsers(required=True)
    submitting = commands.add_parser("submit")
    submitting.add_argument("--image", required=True)
    submitting.add_argument("--claim", required=True, help="name of the persistent volume claim")
    submitting.add_argument("--mount", required=True, help="where the volume is mounted")
    submitting.add_argument("--rule", required=True)
    submitting.add_argument("--cpus", type=int, required=True)
    submitting.add_argument("--mem-mb", type=int, required=True)
    submitting.add_argument("--minutes", type=int, required=True)
    submitting.add_argument("--gpus", type=int, default=0)
    submitting.add_argument("script")
    submitting.set_defaults(run=lambda options: print(submit(options)))
    asking = commands.add_parser("status")
    asking.add_argument("name")
    asking.set_defaults(run=lambda options: print(status(options)))
    cancelling = commands.add_parser("cancel")
    cancelling.add_argument("names", nargs="+")
    cancelling.set_defaults(run=cancel)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except FileNotFoundError:
        sys.exit(f"error: {KUBECTL} is not installed (put it into PATH)")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


if __name__ == "__main__":
    main()
