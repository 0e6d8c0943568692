"""`nlmt resources`: estimate the needs of a configuration before anything runs."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from nlmt.cli.arguments import add_configuration, positive
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.experiment import (
    Estimate,
    Experiment,
    Pace,
    PlannedJob,
    estimate,
    measure_pace,
    most_scratch_mb,
    planned_jobs,
)
from nlmt.progress.stages import STAGES, stage_of
from nlmt.provenance import Store
from nlmt.workflow.project import project_folder

DESCRIPTION = """\
Prints what the jobs will need that Snakemake would run in this folder: hours of processors, memory
and disk, stage by stage. Nothing is run, and no data need be there. Outside of a project the
Snakefile is that of the checkout that nlmt is installed from.
"""
EPILOG = """\
Memory is the request of the most demanding job at its first attempt; disk is all results, beside
which n-gram models, phrases and binary tables take temporary files. Hours of processors follow from
measured points (docs/needs.md), scaled by what the finished jobs of the same rule in this folder
took over their estimates, or all finished jobs where the rule has none. The time on a number of
cores cannot be less than the longest chain of jobs. Each number is an extrapolation from
experiments with the help corpus and parts of it: for much larger texts, it is an order of
magnitude. Hours of GPUs are those of one NVIDIA H100 (docs/gpus.md).

examples:
  nlmt resources
  nlmt resources papers reports --config scale=full
  nlmt resources reports --config pairs=[fr-en] --configfile mine.yaml --cores 32
"""
_HOUR = 3600
# A message of the rules' functions, as Snakemake wraps it.
_SAID = re.compile(r"Error:\n  WorkflowError:\n    (.+)\nWildcards:")


def run(options: Options) -> None:
    """Print the table."""
    snakefile = project_folder() / "Snakefile"
    if not snakefile.exists():
        raise InputError("no Snakefile here", hint="run it in a checkout of nlmt")
    config = dict(options.config)
    experiment, jobs = planned(snakefile, options.targets, config, options.configfile)
    pace = measure_pace(experiment, _finished())
    estimates = estimate(experiment, jobs, options.cores, pace)
    print("\n".join(table(estimates, options.cores, pace)))


def _finished() -> Iterator[tuple[PlannedJob, float]]:
    """The jobs of which this folder has records, and their processor time."""
    for job in Store().jobs().values():
        inputs, outputs = tuple(job.inputs), tuple(job.outputs)
        yield PlannedJob(job.rule, job.wildcards, inputs, outputs, job.threads), job.cpu_seconds


def planned(
    snakefile: Path, targets: list[str], config: dict[str, Any], files: list[Path]
) -> tuple[Experiment, list[PlannedJob]]:
    """The jobs that Snakemake would run, each after those that make its inputs.

    Raises:
        InputError: Snakemake is missing, or refuses the configuration or a target.
    """
    try:
        from snakemake.api import SnakemakeApi
        from snakemake.exceptions import print_exception
        from snakemake.settings.types import (
            ConfigSettings,
            DAGSettings,
            OutputSettings,
            Quietness,
            ResourceSettings,
        )
    except ImportError as error:
        raise InputError("Snakemake is not installed", hint="pip install nlmt[workflow]") from error
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as snakemake:
        try:
            of_folder = snakemake.workflow(
                ResourceSettings(),
                ConfigSettings(config=config, configfiles=files),
                snakefile=snakefile,
            )
            graph = of_folder.dag(DAGSettings(targets=set(targets)))
            with redirect_stdout(io.StringIO()):
                graph.printrulegraph()
        except Exception as error:  # from any part of Snakemake, which prints it by this function
            if said := _SAID.match(str(error)):
                raise InputError(said[1]) from error
            print_exception(error)
            raise InputError("Snakemake cannot plan these jobs") from error
        workflow = of_folder._workflow
        return workflow.globals["EXPERIMENT"], list(planned_jobs(workflow.dag))


def table(estimates: list[Estimate], cores: int, pace: Pace) -> Iterator[str]:
    """The lines to print."""
    if not estimates:
        yield "nothing is left to do"
        return
    yield f"{'':20} jobs  CPU hours  GPU hours   disk GB  memory MB  of"
    for stage in STAGES:
        some = [one for one in estimates if stage_of(one.job.rule) == stage]
        if some:
            yield _line(stage, some)
    yield _line("all", estimates)
    yield f"{least_hours(estimates, cores):.1f} hours on {cores} cores at least"
    if scratch_mb := most_scratch_mb(estimates, cores):
        yield f"{scratch_mb / 1000:.2f} GB of temporary files at most, of {cores} jobs at once"
    if pace.jobs:
        share = f"{pace.overall:.2g} of their estimates"
        yield f"at the pace of the {pace.jobs} finished jobs of this folder, which took {share}"
    if any(one.gpus for one in estimates):
        yield "hours of GPUs are those of one NVIDIA H100 (docs/gpus.md)"
    others = sorted({one.job.rule for one in estimates if not one.measured})
    if others:
        yield f"not measured, only guessed: {', '.join(others)}"
    yield "an extrapolation from experiments with the help corpus (docs/scale.md)"


def least_hours(estimates: list[Estimate], cores: int) -> float:
    """Hours that jobs take at least on a number of cores: their work, or the longest chain."""
    return max(_cpu(estimates) / cores, max(one.ready for one in estimates) / _HOUR)


def sums(some: list[Estimate]) -> dict[str, float]:
    """Number of some jobs, their hours and disk, and the most memory."""
    return {
        "jobs": len(some),
        "CPU hours": _cpu(some),
        "GPU hours": sum(one.seconds for one in some if one.gpus) / _HOUR,
        "disk GB": sum(one.written_mb for one in some) / 1000,
        "memory MB": max(one.mem_mb for one in some),
    }


def _line(name: str, some: list[Estimate]) -> str:
    jobs, cpu, gpu, disk, memory = sums(some).values()
    rule = max(some, key=lambda one: one.mem_mb).job.rule
    return f"{name:18} {jobs:6} {cpu:10.2f} {gpu:10.2f} {disk:9.2f} {memory:10}  {rule}"


def _cpu(some: list[Estimate]) -> float:
    return sum(one.seconds for one in some if not one.gpus) / _HOUR


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt resources", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help="as Snakemake's (default: all of them)")
    add_configuration(parser)
    add(
        "--cores", type=positive, default=8, help="number of cores, for the least time (default: 8)"
    )
    return parser
