"""The configuration: every fault is named with its key and what is allowed."""

import copy
from pathlib import Path

import pytest
import yaml

from nlmt.classes import METHODS
from nlmt.configuration import check_configuration
from nlmt.errors import InputError
from nlmt.neural import NeuralConfig

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


@pytest.fixture
def config():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    return config | yaml.safe_load((ROOT / "config/corpora.yaml").read_text())


def test_default_configuration_is_valid(config):
    check_configuration(config, SCHEMA)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"tunning": {}}, "top level: unknown key 'tunning'.*did you mean 'tuning'"),
        (
            {"pairs": ["french-english"]},
            r"pairs\.0: 'french-english' does not have the form.*fr-en",
        ),
        ({"seed": "one"}, "seed: 'one' is not of type integer"),
        ({"seed": "1e-3"}, "write 1.0e-3"),
        ({"seed": -1}, "seed: -1 must be at least 0"),
        (
            {"translation_model": {"symmetrisation": "grow", "max_phrase_length": 7}},
            "translation_model.symmetrisation: 'grow' is not allowed .*grow-diag-final-and",
        ),
        ({"classes": {}}, "classes: the key 'count' is missing"),
        (
            {"language_models": {"kn5": {"kind": "ngram", "ordre": 5, "order": 5}}},
            "language_models.kn5: unknown key 'ordre' .*did you mean 'order'",
        ),
        (
            {"language_models": {"kn5": {"kind": "trigram", "order": 3}}},
            "language_models.kn5.kind: 'trigram' is not allowed .*ngram",
        ),
    ],
)
def test_fault_names_key_and_what_is_allowed(config, change, expected):
    with pytest.raises(InputError, match=expected):
        check_configuration(config | copy.deepcopy(change), SCHEMA)


def test_schema_knows_what_the_library_knows_of_neural_models():
    schema = yaml.safe_load(SCHEMA.read_text())["$defs"]["neural"]["properties"]
    before = {
        "kind",
        "classes",
        "units",
        "source_embeddings",
        "processes",
    }  # what training is given
    assert schema.keys() == before | set(NeuralConfig.keys())
    assert schema["classes"]["enum"] == list(METHODS.names())
    defaults = {"kind": "neural", **NeuralConfig().to_dict()}
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    check_configuration(config | {"corpora": {}, "language_models": {"nn": defaults}}, SCHEMA)


def test_every_key_has_a_description():
    def walk(schema, where):
        for name, sub in schema.get("properties", {}).items():
            # A reference is described where it points to, which the loop below looks at.
            assert sub.keys() & {"description", "$ref"}, f"{where}.{name}"
            walk(sub, f"{where}.{name}")
        for name, sub in schema.get("$defs", {}).items():
            assert "description" in sub, name
            walk(sub, name)
        if isinstance(schema.get("additionalProperties"), dict):
            walk(schema["additionalProperties"], f"{where}.*")

    for path in SCHEMA.parent.glob("*.yaml"):
        walk(yaml.safe_load(path.read_text()), path.name)
