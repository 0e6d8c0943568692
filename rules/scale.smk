"""Another size of the experiment, laid over the default configuration: --config scale=full."""

from nlmt.workflow.configuration import over_defaults, scale_file

# For a module with `config:` Snakemake reads no files: here that is laid over the defaults.
if workflow.modifier.skip_configfile:

    try:
        config = over_defaults(config, PROJECT)
    except InputError as error:
        raise WorkflowError(str(error))

elif config.get("scale") is not None:

    try:
        SCALE_FILE = scale_file(config["scale"], PROJECT)
    except InputError as error:
        raise WorkflowError(str(error))

    configfile: str(SCALE_FILE)
