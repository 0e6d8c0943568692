"""Where the default configuration is: beside the Snakefile, wherever the workflow is run."""

from pathlib import Path

from snakemake.exceptions import WorkflowError

from nlmt.errors import InputError
from nlmt.experiment import check_no_other_defaults, default_files
from nlmt.project import from_here

PATHS = workflow.modifier.path_modifier
if PATHS.prefix or PATHS.modifies_prefixes:
    raise WorkflowError(
        "prefix and replace_prefix: files of an experiment name each other as results/..., so leave "
        "this out; the key task names the folder below results/ that is the module's own"
    )
PROJECT = from_here(Path(workflow.current_basedir).parent)
DEFAULT_FILES = default_files(PROJECT)
if workflow.modifier.is_main_snakefile():
    try:
        check_no_other_defaults(PROJECT, workflow.config_settings.configfiles)
    except InputError as error:
        raise WorkflowError(str(error))
