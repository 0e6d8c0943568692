"""Methods of word clustering, by name.

All of them arrange their classes in a tree in the same way: repeatedly, the two classes are merged
whose merge loses the least mutual information.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.clustering import Clustering
from nlmt.registry import Registry
from nlmt.settings import NoOptions, OptionsByName, Settings, setting
from nlmt.settings_check import read_settings
from nlmt.steps import step


@dataclass(frozen=True)
class ClassMethod:
    """A method of word clustering.

    Attributes:
        cluster: clusters the words of a text, given its bigrams, the number of classes K and the
            options. None for K means `default_class_count`; with K >= V each word is a class. A
            text without words, or K under 1, is an `InputError`.
        summary: one line for the list of methods.
        description: lines for the help of the method.
        options_type: keys of its own, under `classes.options.<name>`.
        word_tree: whether each word is a leaf of its tree, so that classes are single words.
    """

    cluster: Callable[[BigramCounts, int | None, Any], Clustering]
    summary: str
    description: str
    options_type: type[Settings] = NoOptions
    word_tree: bool = False


METHODS: Registry[ClassMethod] = Registry(
    "method of word classes",
    {
        "brown": "nlmt.classes.brown:BROWN",
        "brown-tree": "nlmt.classes.brown_tree:BROWN_TREE",
        "exchange": "nlmt.classes.exchange:EXCHANGE",
        "speed-regularised": "nlmt.classes.speed_regularised:SPEED_REGULARISED",
        "frequency": "nlmt.classes.bins:FREQUENCY",
        "square-root": "nlmt.classes.bins:SQUARE_ROOT",
    },
)


def class_options(method: str, values: Mapping[str, Any] | None = None) -> Settings:
    """The options of a method.

    Raises:
        InputError: an unknown method, key or value; names what is allowed.
    """
    return read_settings(METHODS.get(method).options_type, values or {}, where=method)


def cluster_words(
    method: str,
    bigrams: BigramCounts,
    classes: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Clustering:
    """Cluster the words of a text by the method of this name.

    Without a number of classes it is `default_class_count`; with K >= V each word is a class.

    Raises:
        InputError: an unknown name, key or value; a text without words, or K under 1.
    """
    with step(f"cluster {len(bigrams.words):,} words"):
        return METHODS.get(method).cluster(bigrams, classes, class_options(method, options))


class ClassSettings(Settings):
    """Word classes."""

    count: int | None = setting(
        None,
        "Number of classes for models that name none; null means 3 sqrt(V), where V is the number "
        "of different words of the clustered text.",
        source="OxLM; Baltescu and Blunsom (2015) choose about sqrt(V)",
        ge=2,
    )
    options: Annotated[
        Mapping[str, Mapping[str, Any]],
        OptionsByName(METHODS, class_options),
    ] = setting(
        {},
        "Options of each method, by its name (docs/classes.md).",
        examples=[{"speed-regularised": {"weight": 1}}],
    )
