"""What makes jobs of one rule differ in their needs."""

import pytest
from default_experiment import default_experiment

from nlmt.experiment import kind_of_job


@pytest.mark.parametrize(
    ("rule", "wildcards", "kind"),
    [
        # Shards are of the kind of the whole.
        ("filter_tables", {"filtered": "filtered"}, "phrases"),
        ("filter_shard", {"filtered": "filtered"}, "phrases"),
        ("filter_tables", {"filtered": "tuples/filtered"}, "tuples"),
        ("filter_shard", {"filtered": "tuples/filtered"}, "tuples"),
        # Packages hold more than text.
        ("extract_bitext", {}, "packages"),
        ("extract_held_out", {"split": "luong2015_domain"}, "packages"),
        ("extract_reference", {"split": "luong2015_domain"}, ""),
        # The model of the highest cost decides.
        ("decode", {"system": "baseline"}, "n-gram, text tables"),
        ("decode_shard", {"system": "combined_decoder"}, "neural, text tables"),
        ("rescore_nbest", {"system": "combined_all"}, "recurrent"),
        # Models of models cost what their models do.
        ("train_neural_lm_2", {"lm": "nce"}, "feed-forward"),
        ("train_interpolation_lm", {"lm": "schwenk2010_nist_mixture"}, "feed-forward"),
        ("train_ngram_lm", {"lm": "kn5"}, "n-gram"),
        # Joined corpora hold what theirs hold.
        ("prepare_monolingual", {"corpus": "documentation"}, "packages"),
        ("prepare_monolingual", {"corpus": "wmt14"}, "text"),
    ],
)
def test_kinds(rule: str, wildcards: dict[str, str], kind: str) -> None:
    pair = {"task": "help", "src": "fr", "tgt": "en"}
    assert kind_of_job(default_experiment(), rule, pair | wildcards) == kind
