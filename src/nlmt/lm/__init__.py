"""Language models of every kind: protocol, interface of a kind, interpolation, perplexity."""

from nlmt.lm.conditioned_text import ConditionedText, read_given
from nlmt.lm.context_stepper import Contexts, ContextStepper
from nlmt.lm.interpolation import Interpolation, TunedInterpolation
from nlmt.lm.joint_vocabulary import JointVocabulary
from nlmt.lm.kinds import ModelKind, ModelSettings, SourceFiles, TrainingData, find_file
from nlmt.lm.perplexity import Perplexity, measure, measure_sentences, measure_text
from nlmt.lm.plan import ModelPlan, SettingsSearch, TrainingResources
from nlmt.lm.protocol import (
    LanguageModel,
    SourceModel,
    SourcePositions,
    SourceWordModel,
    Stepper,
    SteppingModel,
    WordModel,
    is_aligned,
    is_conditioned,
    number_words,
)
from nlmt.lm.vocabulary_facts import VocabularyFacts, vocabulary_facts

__all__ = [
    "ConditionedText",
    "ContextStepper",
    "Contexts",
    "Interpolation",
    "JointVocabulary",
    "LanguageModel",
    "ModelKind",
    "ModelPlan",
    "ModelSettings",
    "Perplexity",
    "SettingsSearch",
    "SourceFiles",
    "SourceModel",
    "SourcePositions",
    "SourceWordModel",
    "Stepper",
    "SteppingModel",
    "TrainingData",
    "TrainingResources",
    "TunedInterpolation",
    "VocabularyFacts",
    "WordModel",
    "find_file",
    "is_aligned",
    "is_conditioned",
    "measure",
    "measure_sentences",
    "measure_text",
    "number_words",
    "read_given",
    "vocabulary_facts",
]
