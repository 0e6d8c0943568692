"""Where the default configuration is: beside the Snakefile, wherever the workflow is run."""

from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from nlmt.errors import InputError
from nlmt.workflow.configuration import (
    check_no_other_defaults,
    default_files,
    with_yaml_types,
)
from nlmt.workflow.storage import use_prefix

PATHS = workflow.modifier.path_modifier
if PATHS.modifies_prefixes:
    raise WorkflowError(
        "replace_prefix: files of an experiment name each other as results/...; take prefix"
    )
PROJECT = Path(workflow.current_basedir).parent
# Of a module, in whose folder its jobs run; the empty path without one.
PREFIX = Path(PATHS.replace_prefix("results")).parent
if PREFIX == Path():
    if PROJECT.samefile(Path.cwd()):
        PROJECT = Path()  # so that messages and records have short paths
else:
    use_prefix(PREFIX)
DEFAULT_FILES = default_files(PROJECT)
if workflow.modifier.is_main_snakefile():
    given = workflow.config_settings
    # Each `configfile:` lays these over its file.
    update_config(given.overwrite_config, with_yaml_types(given.config))
    try:
        check_no_other_defaults(PROJECT, given.configfiles)
    except InputError as error:
        raise WorkflowError(str(error))
