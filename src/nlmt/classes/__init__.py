"""Word classes: Brown clustering, and the file of classes and their tree."""

from nlmt.classes.bigrams import (
    BigramCounts,
    average_mutual_information,
    count_bigrams,
    read_bigrams,
)
from nlmt.classes.brown import brown_cluster, default_class_count
from nlmt.classes.clustering import Clustering, read_paths, write_paths

__all__ = [
    "BigramCounts",
    "Clustering",
    "average_mutual_information",
    "brown_cluster",
    "count_bigrams",
    "default_class_count",
    "read_bigrams",
    "read_paths",
    "write_paths",
]
