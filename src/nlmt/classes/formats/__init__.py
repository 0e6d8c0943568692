"""Files of word classes: one module per format, and their registry."""

from nlmt.classes.formats.format import FORMATS, ClassFormat, convert_classes, read_classes

__all__ = ["FORMATS", "ClassFormat", "convert_classes", "read_classes"]
