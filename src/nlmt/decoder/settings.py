"""The section `decoder` of config.yaml."""

from typing import Annotated, Any, Literal

from nlmt.decoder.engine import ENGINES
from nlmt.decoder.search_options import LARGEST
from nlmt.errors import InputError
from nlmt.settings import NameIn, Settings, setting


class DecoderSettings(Settings):
    """Phrase-based search by cube pruning."""

    engine: Annotated[str, NameIn(ENGINES)] = setting(
        "nlmt", "Translation engine: the embedded decoder (nlmt) or your Moses binary (moses)."
    )
    path: str | None = setting(
        None, "Path of the Moses binary; null: moses in PATH. The engine nlmt does not use it."
    )
    shards: int = setting(
        1,
        "Number of parts into which a text to translate is split; each is a job with its own "
        "tables.",
        ge=1,
    )
    tables: Literal["text", "binary"] = setting(
        "text",
        "Form of phrase and reordering tables: text, loaded whole, or one binary file, of which "
        "the embedded decoder maps what it needs. The translations are the same.",
    )
    pop_limit: int = setting(
        400,
        "Hypotheses taken from the cubes of one stack.",
        source="Huang and Chiang (2007); Moses' -cube-pruning-pop-limit, whose default is 1000",
        ge=1,
        le=LARGEST,
    )
    stack: int = setting(
        400,
        "Hypotheses kept in one stack.",
        source="Moses' -stack, whose default is 200",
        ge=1,
        le=LARGEST,
    )
    table_limit: int = setting(
        20,
        "Translation options kept per source phrase; 0 keeps all.",
        source="Moses' -ttable-limit",
        ge=0,
        le=LARGEST,
    )
    distortion_limit: int = setting(
        6,
        "Longest jump between the source phrases of neighbouring target phrases; 0 is monotone, "
        "-1 without limit.",
        unit="source words",
        source="Moses' -distortion-limit",
        ge=-1,
        le=LARGEST,
    )


def translation_settings(settings: DecoderSettings) -> dict[str, Any]:
    """Settings that determine translations beside the model; finds the engine's program.

    Returns:
        `engine`, `pop_limit`, `stack`, and the engine's facts on its program. Distortion limit and
        table limit are not included: they are written into the moses.ini.

    Raises:
        InputError: the program is missing or not the expected one; the engine cannot read the
            chosen kind of tables.
    """
    engine = ENGINES.get(settings.engine)
    if settings.tables == "binary" and not engine.binary_tables:
        raise InputError(
            f"tables: {settings.engine} cannot read binary tables", hint="tables: text"
        )
    return {
        "engine": settings.engine,
        "pop_limit": settings.pop_limit,
        "stack": settings.stack,
        **engine.find(settings.path),
    }
