"""What makes jobs of one rule differ in their needs."""

import pytest
from default_experiment import default_experiment

from nlmt.experiment import kind_of_job, score_seconds


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


def test_the_time_of_a_score_follows_the_models() -> None:
    def seconds(system: str, *overlays: str, rule: str = "rescore_nbest") -> float:
        pair = {"task": "wmt14", "src": "fr", "tgt": "en", "system": system}
        return score_seconds(default_experiment(*overlays), rule, pair)

    # Fifteen vectors of 64, a layer of 200, 3,000 words; two operations a product.
    small = 2 * (15 * 64 * 200 + 200 * 3000) / 8e10
    assert seconds("luong2015_1layer") == pytest.approx(small)
    large = 2 * (15 * 256 * 512 + 2 * 512**2 + 512 * 40_000) / 8e10
    assert seconds("luong2015_3layer", "full.yaml") == pytest.approx(large)
    assert seconds("luong2015_3layer", rule="decode") == 0
    names = ("nce", "auli2013_transform", "luong2015_1layer_adagrad", "schwenk2010_cslm")
    each = [default_experiment().models[name].plan.score_seconds for name in names]
    assert min(each) > 0
    assert seconds("combined_all") == pytest.approx(sum(each))
