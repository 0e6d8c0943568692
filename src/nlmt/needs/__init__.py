"""Needs of the workflow's jobs, from measured points: memory, time and disk by input size."""

from nlmt.needs.curves import Curve, fit
from nlmt.needs.points import PARTS, Point, format_points, read_points
from nlmt.needs.table import base_rule, need, size_mb

__all__ = [
    "PARTS",
    "Curve",
    "Point",
    "base_rule",
    "fit",
    "format_points",
    "need",
    "read_points",
    "size_mb",
]
