"""Another size of the experiment, laid over the default configuration: --config scale=full."""

from snakemake.exceptions import WorkflowError

from nlmt.errors import InputError
from nlmt.experiment import scale_file

if config.get("scale") is not None:

    try:
        SCALE_FILE = scale_file(config["scale"])
    except InputError as error:
        raise WorkflowError(str(error))

    configfile: str(SCALE_FILE)
