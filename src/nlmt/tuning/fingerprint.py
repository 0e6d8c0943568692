"""The fingerprint of a decoder's models in the identity of a tuning run."""

from pathlib import Path

from nlmt.io.moses_ini import format_ini, read_ini


def model_fingerprint(ini: Path | str) -> str:
    """Fingerprint of a moses.ini, and of size and time of the files that it names.

    Raises:
        InputError: no such file, or it does not parse.
    """
    parts = [format_ini(read_ini(ini))]
    for feature in read_ini(ini).features:
        given = feature.arguments.get("path")
        for place in (Path(given), Path(ini).parent / given) if given else ():
            # A neural model is a folder.
            for path in (place, *sorted(place.glob("*"))):
                if path.is_file():
                    status = path.stat()
                    parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts)
