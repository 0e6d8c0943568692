"""`nlmt config`: check configuration files, and what is generated from the definitions of keys."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from nlmt.corpora.settings import Catalogue
from nlmt.errors import InputError
from nlmt.experiment import Experiment
from nlmt.experiment.config import config_group
from nlmt.io.files import write_text
from nlmt.reference import json_schema, markdown

CHECK = """\
Checks files as Snakemake would with --configfile FILE ...: laid over config.yaml,
config/corpora.yaml and config/papers/*.yaml of this folder, as far as they are there. Every fault
is a line with file, line, key and what is allowed.
"""
REFERENCE = "# Configuration\n\n" + (
    "Every key of `config.yaml`, `config/corpora.yaml` and `config/papers/*.yaml`. This page is\n"
    "generated from the definitions in the library by `nlmt config reference`.\n\n"
)


def schemas() -> dict[str, str]:
    """The JSON schemas by the names of their files."""
    return {
        "config.schema.json": json_schema(config_group(), "config.yaml"),
        "overlay.schema.json": json_schema(
            config_group(), "keys laid over those of config.yaml", whole=False
        ),
        "corpora.schema.json": json_schema(Catalogue, "config/corpora.yaml"),
    }


def reference() -> str:
    """The text of docs/configuration.md."""
    return REFERENCE + markdown(config_group(), "config.yaml")


def run(arguments: list[str]) -> int:
    """Run the command; 0 where everything is right."""
    parser = argparse.ArgumentParser(prog="nlmt config", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", description=CHECK, help="check configuration files")
    check.add_argument("files", nargs="*", type=Path, metavar="FILE")
    generate = commands.add_parser("schemas", help="write the JSON schemas into a folder")
    generate.add_argument("folder", type=Path)
    document = commands.add_parser("reference", help="write docs/configuration.md")
    document.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "check":
        Experiment.read(*read_files([*default_files(), *options.files]))
        print("the configuration is valid")
    elif options.command == "schemas":
        for name, text in schemas().items():
            write_text(options.folder / name, text)
    else:
        write_text(options.file, reference())
    return 0


def default_files() -> list[Path]:
    """The configuration files of the present folder, in the order in which they are read."""
    papers = sorted(Path("config/papers").glob("*.yaml"))
    files = [Path("config.yaml"), Path("config/corpora.yaml"), *papers]
    return [path for path in files if path.exists()]


def read_files(paths: list[Path]) -> tuple[dict[str, Any], list[Path]]:
    """Files laid over each other, and the files.

    Raises:
        InputError: no such file, or no YAML mapping.
    """
    values: dict[str, Any] = {}
    for path in paths:
        try:
            read = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(str(error.strerror), path=path) from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = None if mark is None else mark.line + 1
            raise InputError("not YAML", path=path, line=line) from error
        if not isinstance(read, dict):
            raise InputError("not a mapping of keys to values", path=path)
        _lay_over(values, read)
    return values, paths


def _lay_over(values: dict[str, Any], others: Mapping[str, Any]) -> None:
    """Put values over others, mappings key by key, as Snakemake does."""
    for key, value in others.items():
        if isinstance(value, Mapping) and isinstance(values.get(key), dict):
            _lay_over(values[key], value)
        else:
            values[key] = dict(value) if isinstance(value, Mapping) else value
