"""The files of a configuration: defaults of a project, a scale's, the user's.

`project` is the folder of the Snakefile.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from nlmt.errors import InputError
from nlmt.io.yaml_files import parse_yaml
from nlmt.registry import nearest

Scale: TypeAlias = Literal["medium", "full", "mini"]


def default_files(project: Path) -> list[Path]:
    """Return the files of the default configuration, in the order in which they are read."""
    papers = sorted((project / "config/papers").glob("*.yaml"))
    return [project / "config.yaml", project / "config/corpora.yaml", *papers]


def scale_file(scale: str, project: Path) -> Path:
    """Return the configuration file of a scale.

    Raises:
        InputError: there is none of this name; names those that there are.
    """
    known = get_args(Scale)
    if scale not in known:
        hint = f"{nearest(str(scale), known)}; left out: the default"
        raise InputError(f"scale: {scale!r} is not allowed", hint=hint)
    return project / f"config/{scale}.yaml"


def scales_of_tasks(project: Path) -> dict[str, str]:
    """Return the scale of each task that the project's configuration has; the default is small."""
    files = {"small": [], **{scale: [scale_file(scale, project)] for scale in get_args(Scale)}}
    found: dict[str, str] = {}
    for scale, over in files.items():
        values = read_files([project / "config.yaml", *over])
        found = dict.fromkeys([values["task"], *values.get("tasks", ())], scale) | found
    return found


def default_values(over: Mapping[str, Any], project: Path) -> tuple[dict[str, Any], list[Path]]:
    """Return the default configuration at its scale, and its files.

    Values laid over it may name the scale. Default files may be missing.

    Raises:
        InputError: as `read_files`, or there is no such scale.
    """
    files = [path for path in default_files(project) if path.exists()]
    values = read_files(files)
    scale = over.get("scale", values.get("scale"))
    if scale is None:
        return values, files
    own = scale_file(scale, project)
    return laid_over(values, read_files([own])), [*files, own]


def over_defaults(
    values: Mapping[str, Any], project: Path, overlays: Iterable[Path] = ()
) -> dict[str, Any]:
    """Return values, laid over files of the user, these over the default configuration.

    Raises:
        InputError: as `default_values`.
    """
    given = laid_over(read_files(overlays), values)
    return laid_over(default_values(given, project)[0], given)


def check_no_other_defaults(project: Path, overlays: Iterable[Path]) -> None:
    """Refuse files of the default configuration in a working directory outside of the project.

    Users of Snakemake expect them to be read. Copies of the project's are let pass, and so are
    files that the user lays over the default configuration.

    Raises:
        InputError: names the first such file that is not among the overlays.
    """
    given = {path.absolute() for path in overlays}
    for path in default_files(project):
        here = path.relative_to(project)
        if here.absolute() in given or not here.exists():
            continue
        if here.read_bytes() != path.read_bytes():
            what = f"not read: the default configuration is {path}"
            hint = f"lay it over that with --configfile {here}, or give it another name"
            raise InputError(what, path=here, hint=hint)


def read_files(paths: Iterable[Path]) -> dict[str, Any]:
    """Return the values of files laid over each other.

    Raises:
        InputError: no such file, no YAML mapping, or as `parse_yaml`.
    """
    values: dict[str, Any] = {}
    for path in paths:
        try:
            read = parse_yaml(path.read_text(encoding="utf-8"), path)
        except OSError as error:
            raise InputError(str(error.strerror), path=path) from error
        except UnicodeDecodeError as error:
            raise InputError("not YAML: not UTF-8", path=path) from error
        if not isinstance(read, dict):
            raise InputError("not a mapping of keys to values", path=path)
        values = laid_over(values, read)
    return values


def with_yaml_types(value: Any) -> Any:
    """Return a value of Snakemake's `--config` with the numbers, booleans and nulls of YAML.

    Snakemake reads lists and mappings there, but leaves all that is in them text.
    """
    if isinstance(value, Mapping):
        return {key: with_yaml_types(one) for key, one in value.items()}
    if isinstance(value, list):
        return [with_yaml_types(one) for one in value]
    if not isinstance(value, str):
        return value
    try:
        read = parse_yaml(value)
    except InputError:  # text that is no YAML, such as a date
        return value
    return value if isinstance(read, str | list | dict) else read


def laid_over(values: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with others put over them, mappings key by key, as Snakemake does."""
    result = {**values, **others}
    for key in values.keys() & others.keys():
        below, above = values[key], others[key]
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            result[key] = laid_over(below, above)
    return result
