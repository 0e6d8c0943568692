"""Handlers that run before the first job, and after a failure."""

from snakemake.logging import logger

from nlmt.experiment import estimate, most_scratch_mb, planned_jobs
from nlmt.workflow.job import check_writable, failure_hint, space_warning
from nlmt.workflow.slurm import slurm_warnings


onstart:
    try:
        check_writable(Path("results"))
    except InputError as error:
        raise WorkflowError(str(error))
    estimates = estimate(
        EXPERIMENT, planned_jobs(workflow.dag, threads=False), cores=1
    )
    results_mb = sum(one.written_mb for one in estimates)
    at_once = workflow.resource_settings.nodes or ALL_CORES  # jobs
    scratch_mb = most_scratch_mb(estimates, at_once)
    if warning := space_warning(results_mb, scratch_mb, Path()):
        logger.warning(warning)
    if workflow.executor_plugin.name == "slurm":
        for warning in slurm_warnings(workflow.executor_settings.status_command):
            logger.warning(warning)
    # Snakemake 9.27 chooses jobs again a second after each choice, in one more timer each time (its pull
    # request 3744): after hundreds of jobs that is a core's work. The timers serve the limit of jobs
    # started a second, which stays where the user sets one lower than the default.
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and limit.max_jobs >= 100:
        workflow.scheduler.job_rate_limiter = None


onerror:
    hint = failure_hint(Path(log[0]))
    if hint:
        logger.error(hint)
