"""A Slurm cluster of two nodes on this machine, without systemd, for the acceptance tests.

`python slurm_cluster.py FOLDER [--accounting]` starts one and keeps it until Ctrl-C. It needs root,
and Debian's packages slurm-wlm, munge, slurmdbd and mariadb-server.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

# The executor removes SLURM_CONF from its jobs: the file must be where Slurm looks by itself.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
# Clients of slurmdbd look nowhere else.
MUNGE_SOCKET = Path("/run/munge/munge.socket.2")
NODES = ("node1", "node2")
_CONFIGURATION = """\
ClusterName=nlmt
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=27817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
ReturnToService=2
MinJobAge=300
KillWait=10
SlurmdTimeout=120
InactiveLimit=0
SchedulerParameters=sched_interval=2
{accounting}
{nodes}
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
"""
_ACCOUNTING = """\
AuthType=auth/munge
DbdHost=localhost
DbdPort=27819
SlurmUser=root
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=27820
StorageUser=root
StorageLoc=slurm_acct_db
"""


def run(*command: str) -> str:
    """What a command prints; it must end well."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}: {result.stderr or result.stdout}")
    return result.stdout


class Cluster:
    """A running cluster; `nodes_up` and the methods below are all that the tests need."""

    def __init__(self, folder: Path, processors: int, *, accounting: bool) -> None:
        """Name the folder of its state.

        Args:
            folder: empty; keys, sockets, state and logs.
            processors: of each node.
            accounting: whether slurmdbd and MariaDB run too.
        """
        self.folder, self.processors, self.accounting = folder, processors, accounting
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start all daemons and wait until both nodes are idle."""
        self._start_munge()
        CONFIGURATION.parent.mkdir(exist_ok=True)
        CONFIGURATION.write_text(self._configuration())
        for name in ("state", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir()
        if self.accounting:
            self._start_accounting()
        self._daemon("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.start_node(node)
        self.wait_for_nodes()

    def start_node(self, node: str) -> None:
        """Start one node's daemon."""
        self._daemon(node, "slurmd", "-D", "-N", node)

    def stop_node(self, node: str) -> None:
        """Kill a node's daemon and all jobs of this machine; Slurm counts the node as down."""
        self._end(node, signal.SIGKILL)
        run("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        steps = subprocess.run(["pgrep", "slurmstepd"], capture_output=True, text=True, check=False)
        for step in steps.stdout.split():
            os.kill(int(step), signal.SIGKILL)

    def wait_for_nodes(self, seconds: float = 300) -> None:
        """Wait until both nodes take jobs."""
        self._wait(
            "nodes", seconds, lambda: self.states() >= {"idle"} and "down" not in self.states()
        )

    def states(self) -> set[str]:
        """The states of the nodes."""
        return set(run("sinfo", "--noheader", "--Node", "--format", "%T").split())

    def jobs(self, *states: str) -> list[tuple[str, str, str]]:
        """Number, name and comment (the rule) of the jobs in the queue, or of those in a state."""
        chosen = ["--states", ",".join(states)] if states else []
        lines = run("squeue", "--noheader", "--format", "%i\t%j\t%k", *chosen).splitlines()
        return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]

    def stop(self) -> None:
        """End everything by process id, and remove the configuration."""
        if "slurmctld" in self._processes:
            subprocess.run(["scancel", "--user", "root"], check=False, timeout=300)
            time.sleep(1)
        for name in reversed(list(self._processes)):
            self._end(name, signal.SIGTERM)
        CONFIGURATION.unlink(missing_ok=True)
        CONFIGURATION.with_name("slurmdbd.conf").unlink(missing_ok=True)

    def _configuration(self) -> str:
        host = socket.gethostname()
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={27900 + number} "
            f"CPUs={self.processors} RealMemory=8000 State=UNKNOWN"
            for number, name in enumerate(NODES)
        )
        accounting = "AccountingStorageType=accounting_storage/none"
        if self.accounting:
            accounting = (
                "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
                "AccountingStoragePort=27819"
            )
        return _CONFIGURATION.format(
            host=host, folder=self.folder, nodes=nodes, names=",".join(NODES), accounting=accounting
        )

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        files = {
            "key-file": key,
            "socket": MUNGE_SOCKET,
            "pid-file": self.folder / "munge.pid",
            "log-file": self.folder / "munge.log",
            "seed-file": self.folder / "munge.seed",
        }
        MUNGE_SOCKET.parent.mkdir(exist_ok=True)
        options = [f"--{name}={path}" for name, path in files.items()]
        self._daemon("munge", "munged", "--foreground", "--force", *options)
        self._wait("munge", 120, MUNGE_SOCKET.exists)

    def _start_accounting(self) -> None:
        data, database = self.folder / "mariadb", self.folder / "mariadb.socket"
        run("mariadb-install-db", f"--datadir={data}", "--auth-root-authentication-method=normal",
            "--user=root", "--skip-test-db")  # fmt: skip
        self._daemon(
            "mariadb", "mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={database}",
            "--port=27820", "--bind-address=127.0.0.1", "--user=root",
            f"--pid-file={self.folder}/mariadb.pid",
        )  # fmt: skip
        client = ("mariadb", "--no-defaults", f"--socket={database}", "--user=root", "--execute")
        self._wait("MariaDB", 300, lambda: _succeeds(*client, "select 1"))
        run(*client, "create database slurm_acct_db")
        path = CONFIGURATION.with_name("slurmdbd.conf")
        path.write_text(_ACCOUNTING.format(folder=self.folder))
        path.chmod(0o600)
        self._daemon("slurmdbd", "slurmdbd", "-D")
        self._wait("slurmdbd", 300, lambda: _succeeds("sacctmgr", "--immediate", "show", "cluster"))
        run("sacctmgr", "--immediate", "add", "cluster", "nlmt")

    def _daemon(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as out:
            # A session of its own: Ctrl-C is for the tests, which then stop it.
            self._processes[name] = subprocess.Popen(
                command, stdout=out, stderr=out, start_new_session=True
            )

    def _end(self, name: str, how: signal.Signals) -> None:
        process = self._processes.pop(name)
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _wait(self, what: str, seconds: float, ready: Callable[[], object]) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                if ready():
                    return
            except RuntimeError:
                pass
            dead = [name for name, process in self._processes.items() if process.poll() is not None]
            if dead or time.monotonic() > deadline:
                logs = "\n".join(
                    f"{path.name}: {path.read_text(errors='replace')[-800:]}"
                    for path in sorted(self.folder.glob("*.out"))
                    + sorted(self.folder.glob("*.log"))
                )
                raise RuntimeError(f"{what}: not ready ({', '.join(dead) or 'too slow'})\n{logs}")
            time.sleep(0.5)


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


def missing_programs(accounting: bool) -> Sequence[str]:
    """What has to be installed first."""
    programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue"]
    if accounting:
        programs += ["slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db"]
    return [name for name in programs if not shutil.which(name)]


@contextmanager
def cluster(folder: Path, *, processors: int = 2, accounting: bool = False) -> Iterator[Cluster]:
    """A cluster that is stopped at the end, whatever happens."""
    for path in (CONFIGURATION, MUNGE_SOCKET):
        if path.exists():
            raise RuntimeError(f"{path} exists: this machine belongs to a cluster")
    made = Cluster(folder, processors, accounting=accounting)
    try:
        made.start()
        yield made
    finally:
        made.stop()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir()
    with cluster(place, accounting="--accounting" in sys.argv) as one:
        print(run("sinfo"))
        signal.pause()
