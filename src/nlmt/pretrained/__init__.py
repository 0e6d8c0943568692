"""Causal and encoder-decoder models in Hugging Face's format, for rescoring n-best lists.

Their libraries are imported when a model is loaded, so that the keys of the configuration can be
checked without them.
"""

from nlmt.pretrained.model import PretrainedModel
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.translation_model import PretrainedTranslationModel

__all__ = ["PretrainedModel", "PretrainedSettings", "PretrainedTranslationModel"]
