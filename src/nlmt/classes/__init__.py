"""Word classes: Brown clustering, exchange, bins of equal frequency; files of classes."""

from nlmt.classes.bigrams import (
    BigramCounts,
    average_mutual_information,
    count_bigrams,
    read_bigrams,
)
from nlmt.classes.bins import frequency_bins
from nlmt.classes.brown import brown_cluster, default_class_count
from nlmt.classes.brown_tree import brown_tree
from nlmt.classes.clustering import Clustering, read_paths, write_paths
from nlmt.classes.exchange import exchange_cluster
from nlmt.classes.measures import class_measures
from nlmt.classes.methods import METHODS, ClassMethod, ClassSettings, cluster_words
from nlmt.classes.speed_regularised import speed_regularised_cluster

__all__ = [
    "METHODS",
    "BigramCounts",
    "ClassMethod",
    "ClassSettings",
    "Clustering",
    "average_mutual_information",
    "brown_cluster",
    "brown_tree",
    "class_measures",
    "cluster_words",
    "count_bigrams",
    "default_class_count",
    "exchange_cluster",
    "frequency_bins",
    "read_bigrams",
    "read_paths",
    "speed_regularised_cluster",
    "write_paths",
]
