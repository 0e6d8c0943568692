"""Threads, memory and time that jobs request, by the size of their input."""

from snakemake.exceptions import NestedCoroutineError
from snakemake_interface_storage_plugins.exceptions import FileOrDirectoryNotFoundError

from nlmt.corpora import text_sizes
from nlmt.experiment import kind_of_job, score_seconds
from nlmt.needs import need, size_mb

# Cores of the machine; on a cluster those of a node, by the profile's max-threads.
ALL_CORES = workflow.resource_settings.cores or 8
MOST_THREADS = 8  # of a job that does not request all
# For an input that does not exist, or that Snakemake cannot query from a storage while planning.
UNKNOWN_SIZE = (FileNotFoundError, FileOrDirectoryNotFoundError, NestedCoroutineError)
TEXT_SIZES = text_sizes(EXPERIMENT.config.corpora)


def needs(rule, wildcards):
    """The measured needs of a rule, for the kind of the job (docs/needs.md)."""
    return need(rule, kind_of_job(EXPERIMENT, rule, wildcards))


def sizes_of(files):
    """Bytes of input files, by their paths."""
    if any(path.is_storage for path in files):  # a local copy may be missing
        sizes = files.size_files
    else:
        sizes = [Path(path).stat().st_size for path in files]
    # A file may occur twice among the inputs.
    return {path: TEXT_SIZES.get(path, size) for path, size in zip(files, sizes)}


def size_of(files, wanted):
    """Megabytes of the input files with which a need grows."""
    return size_mb(sizes_of(files).items(), wanted)


def most_threads():
    """Threads of a job that does not request all: a system's runs share the machine."""
    if workflow.is_main_process and workflow.local_exec:
        runs = len(SYSTEMS.runs)
        return min(max(1, ALL_CORES // runs), MOST_THREADS)
    return MOST_THREADS


def threads(rule):
    """Threads of a rule's jobs, by the size of their input; the maximum before it exists."""

    def asked(wildcards, input):
        found = needs(rule, wildcards)
        try:
            size = size_of(input, found.reads.time)
        except UNKNOWN_SIZE:  # Snakemake knows no <TBD> for threads
            return most_threads()
        return found.threads(size, most_threads())

    return asked


def requests(rule):
    """Memory and time of a rule's jobs, by the size of their input; more at each new attempt."""

    def mem_mb(wildcards, input, attempt):
        found = needs(rule, wildcards)
        return attempt * found.mem_mb(size_of(input, found.reads.memory))

    def runtime(wildcards, input, attempt):
        found = needs(rule, wildcards)
        size = size_of(input, found.reads.time)
        of_models = score_seconds(EXPERIMENT, rule, wildcards)
        return attempt * found.minutes(size, of_models)

    return {"mem_mb": mem_mb, "runtime": runtime}


def scratch(rule):
    """Disk for the temporary files of a rule's jobs, by the size of their input."""

    def asked(wildcards, input):
        found = needs(rule, wildcards)
        return found.scratch_mb(size_of(input, found.reads.time))

    return asked


def training_minutes(wildcards, input, threads, attempt):
    """Time of training, by the size of its texts and its threads; more at each new attempt."""
    model = MODELS[wildcards.lm]
    size = model.time_mb(wildcards.src, wildcards.tgt, sizes_of(input).items())
    return attempt * model.resources.minutes(size, threads)


def measuring_minutes(wildcards, input, attempt):
    """Time of measuring a training on one thread, of a few million words of its texts."""
    model = MODELS[wildcards.lm]
    size = model.time_mb(wildcards.src, wildcards.tgt, sizes_of(input).items())
    most = need("measure_training").reads.most_time_mb
    return attempt * model.resources.minutes(min(size, most), threads=1)
