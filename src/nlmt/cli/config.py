"""`nlmt config`: check configuration files; write files generated from definitions."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlmt.cli.commands_page import commands_page
from nlmt.cli.files import IN, IN_FOLDER
from nlmt.cli.parser import Options, Parser
from nlmt.corpora.settings import CorpusError
from nlmt.corpora.sources import RAW_FOLDER
from nlmt.errors import InputError
from nlmt.experiment import Experiment
from nlmt.experiment.config import config_group
from nlmt.io.files import write_text
from nlmt.papers import PAPERS
from nlmt.registry import use_plugins
from nlmt.settings_check import located
from nlmt.settings_texts import json_schema, markdown
from nlmt.text import warn_of_general_rules
from nlmt.workflow.configuration import default_values, laid_over, read_files
from nlmt.workflow.project import project_folder

log = logging.getLogger(__name__)

CHECK = """\
Checks files as Snakemake would with --configfile FILE ...: laid over config.yaml,
config/corpora.yaml, config/papers/*.yaml and the file of the key `scale`, as far as they are there:
those of this folder or, outside of a project, of the checkout that nlmt is installed from. Every
fault is a line with file, line, key and what is allowed; files of your own that are not there are
named, too.
"""
REFERENCE = "# Configuration\n\n" + (
    "Every key of `config.yaml`, `config/corpora.yaml` and `config/papers/*.yaml`, generated\n"
    "from the library. Files of `--configfile` are laid over these; keys that they leave out keep\n"
    "their values. Keys that are *required* have no default; a group of keys has the defaults of\n"
    "its section.\n\n"
)


def generated() -> dict[str, str]:
    """The files generated from definitions, by their paths in the project."""
    group = config_group(dict(PAPERS.items()))
    return {
        "workflow/schemas/config.schema.json": json_schema(group, "configuration file of nlmt"),
        "docs/configuration.md": REFERENCE + markdown(group, "config.yaml"),
        "docs/commands.md": commands_page(),
    }


def run(options: Options) -> None:
    """Run one of the commands."""
    if options.command == "check":
        given = read_files(options.overlays)
        try:
            default, files = default_values(given, project_folder())
        except InputError as error:
            raise located(error, options.overlays) from error
        values = laid_over(default, given)
        if not options.plugins:
            _check_no_plugins(options.overlays)
        use_plugins(values.get("plugins"))
        experiment = Experiment.read(
            values, [*files, *options.overlays], papers=dict(PAPERS.items())
        )
        for language in experiment.languages():
            warn_of_general_rules(language)
        _warn_of_shared_folder(experiment, default)
        _check_files(experiment, options.overlays)
        print("the configuration is valid")
    else:
        for path, text in generated().items():
            write_text(options.project / path, text)


def _warn_of_shared_folder(experiment: Experiment, default: Mapping[str, Any]) -> None:
    """Log a warning where another corpus takes the folder of the default one."""
    task, corpus = experiment.config.task, experiment.config.corpus
    other = default.get("corpus")
    if task == default.get("task") and corpus != other:
        what = "task: the results of %s will replace those of %s in results/%s: name another task"
        log.warning(what, corpus, other, task)


def _check_files(experiment: Experiment, overlays: list[Path]) -> None:
    """Log a warning for each file of the user's own that is not there.

    Raises:
        InputError: a corpus of the user's files lacks a language or part.
    """
    further = [path for paths in experiment.config.monolingual.values() for path in paths]
    decoder = experiment.config.decoder
    further += [decoder.path] if decoder.engine == "moses" and decoder.path else []
    try:
        corpora = [path for path in experiment.files() if RAW_FOLDER not in path.parents]
    except InputError as error:
        own = read_files(overlays).get("corpora", {})
        if isinstance(error, CorpusError) and error.corpus in own:
            fault = InputError(f"corpora.{error.corpus}: {error.what}", hint=error.hint)
            raise located(fault, overlays) from error
        # Of a corpus that the user has to obtain, or that only a paper uses.
        log.warning("%s", error)
        corpora = []
    for path in dict.fromkeys([*corpora, *map(Path, further)]):
        if not path.exists():
            log.warning("%s: no such file, but the workflow will need it", path)


def _check_no_plugins(overlays: list[Path]) -> None:
    """Refuse files that name plugins, which may be a stranger's; the project's plugins are run."""
    for path in overlays:
        if read_files([path]).get("plugins"):
            what = "it names plugins: programs, which a check would run"
            raise InputError(what, path=path, hint="read them, then check with --plugins")


def parser() -> Parser:
    """The arguments."""
    what = "Checks configuration files, and writes generated files."
    parser = Parser(prog="nlmt config", description=what)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", description=CHECK, help="check configuration files")
    check.add_argument("overlays", nargs="*", type=IN, help="files of --configfile")
    check.add_argument("--plugins", action="store_true", help="run the plugins that FILE names")
    generate = commands.add_parser("generate", help="write the files generated from definitions")
    generate.add_argument("project", type=IN_FOLDER, metavar="PROJECT", help="a checkout of nlmt")
    return parser
