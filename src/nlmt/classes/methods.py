"""Methods that cluster words, by name.

All of them arrange their classes in a tree in the same way: repeatedly, the two classes are merged
whose merge loses the least mutual information.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.clustering import Clustering
from nlmt.registry import Registry


class Cluster(Protocol):
    """A function that clusters words."""

    def __call__(
        self, text: Iterable[str] | BigramCounts, classes: int | None = None
    ) -> Clustering:
        """Cluster the words of a text.

        Args:
            text: lines of words, or their counts.
            classes: K; None: `default_class_count`; with K >= V each word is a class.

        Raises:
            InputError: a text without words, or K under 1.
        """
        ...


@dataclass(frozen=True)
class ClassMethod:
    """One method.

    Attributes:
        cluster: clusters words.
        summary: one line for the list of methods.
        description: some lines for the help of the method.
        unrefined: clusters without the last step that moves words to better classes, for methods
            that have one.
    """

    cluster: Cluster
    summary: str
    description: str
    unrefined: Cluster | None = None


METHODS: Registry[ClassMethod] = Registry(
    "method of word classes",
    {
        "brown": "nlmt.classes.brown:BROWN",
        "exchange": "nlmt.classes.exchange:EXCHANGE",
        "frequency": "nlmt.classes.bins:FREQUENCY",
        "square-root": "nlmt.classes.bins:SQUARE_ROOT",
    },
)
