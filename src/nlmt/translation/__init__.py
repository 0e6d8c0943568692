"""Raw text in, text out: a trained system as a translator, and as a folder to carry elsewhere."""

from nlmt.translation.export import export_system
from nlmt.translation.finish import Finisher
from nlmt.translation.folder import Rescoring, SystemFiles, SystemsFolder
from nlmt.translation.recase import Recaser, train_recaser
from nlmt.translation.translator import BATCH, Translation, Translator

__all__ = [
    "BATCH",
    "Finisher",
    "Recaser",
    "Rescoring",
    "SystemFiles",
    "SystemsFolder",
    "Translation",
    "Translator",
    "export_system",
    "train_recaser",
]
