"""`nlmt config`: check configuration files; write files generated from definitions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from nlmt.cli.files import IN, OUT, OUT_FOLDER
from nlmt.cli.parser import Parser, parsed
from nlmt.cli.reference import commands_page
from nlmt.corpora.settings import Catalogue
from nlmt.errors import InputError
from nlmt.experiment import Experiment, scale_file
from nlmt.experiment.config import config_group
from nlmt.io.files import write_text
from nlmt.reference import json_schema, markdown
from nlmt.registry import use_plugins

CHECK = """\
Checks files as Snakemake would with --configfile FILE ...: they override config.yaml,
config/corpora.yaml, config/papers/*.yaml and the file of the key `scale` in this folder, if these
exist. Every fault is reported in a line with file, line, key and what is allowed.
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
    with parsed(parser(), arguments) as options:
        if options.command == "check":
            values, files = read_files(with_scale(options.overlays))
            if isinstance(plugins := values.get("plugins"), list):
                use_plugins(map(str, plugins))
            Experiment.read(values, files)
            print("the configuration is valid")
        elif options.command == "schemas":
            for name, text in schemas().items():
                write_text(options.folder / name, text)
        elif options.command == "commands":
            write_text(options.file, commands_page())
        else:
            write_text(options.file, reference())
    return 0


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt config", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", description=CHECK, help="check configuration files")
    check.add_argument("overlays", nargs="*", type=IN, metavar="FILE")
    generate = commands.add_parser("schemas", help="write the JSON schemas into a folder")
    generate.add_argument("folder", type=OUT_FOLDER, metavar="FOLDER")
    document = commands.add_parser("reference", help="write docs/configuration.md")
    document.add_argument("file", type=OUT, metavar="FILE")
    document = commands.add_parser("commands", help="write docs/commands.md")
    document.add_argument("file", type=OUT, metavar="FILE")
    return parser


def default_files() -> list[Path]:
    """The configuration files of the present folder, in the order of reading."""
    papers = sorted(Path("config/papers").glob("*.yaml"))
    files = [Path("config.yaml"), Path("config/corpora.yaml"), *papers]
    return [path for path in files if path.exists()]


def with_scale(files: list[Path]) -> list[Path]:
    """The default files, the file of the scale that any of these files names, and these files.

    Raises:
        InputError: as in `read_files`, or there is no such scale.
    """
    scale = read_files([*default_files(), *files])[0].get("scale")
    return [*default_files(), *([] if scale is None else [scale_file(scale)]), *files]


def read_files(paths: list[Path]) -> tuple[dict[str, Any], list[Path]]:
    """The merged values of files, of which later ones take precedence, and the files.

    Raises:
        InputError: no such file, or not a YAML mapping.
    """
    values: dict[str, Any] = {}
    for path in paths:
        try:
            read = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(str(error.strerror), path=path) from error
        except UnicodeDecodeError as error:
            raise InputError("not YAML: not UTF-8", path=path) from error
        except (ValueError, RecursionError) as error:  # no such date, nested too deeply
            raise InputError(f"not YAML: {error}", path=path) from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = None if mark is None else mark.line + 1
            raise InputError("not YAML", path=path, line=line) from error
        if not isinstance(read, dict):
            raise InputError("not a mapping of keys to values", path=path)
        _lay_over(values, read)
    return values, paths


def _lay_over(values: dict[str, Any], others: Mapping[str, Any]) -> None:
    """Override values by others, mappings key by key, as Snakemake does."""
    for key, value in others.items():
        if isinstance(value, Mapping) and isinstance(values.get(key), dict):
            _lay_over(values[key], value)
        else:
            values[key] = dict(value) if isinstance(value, Mapping) else value
