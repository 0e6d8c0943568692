"""Files of word classes: one module a format, and the registry of them."""

from nlmt.classes.formats.format import FORMATS, ClassFormat, convert_classes, read_classes

__all__ = ["FORMATS", "ClassFormat", "convert_classes", "read_classes"]
