"""The tuning loop around a decoder that chooses from a fixed pool."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.tuning import TuningOptions, model_fingerprint, tune, write_log
from nlmt.tuning.loop import Iteration, _finished

OPTIONS = TuningOptions(nbest=5, restarts=3, max_iterations=8, seed=2)


@dataclass
class Best:
    text: str


class FixedPoolDecoder:
    """Ranks a pool of hypotheses a sentence, whose features say something about their quality."""

    def __init__(self, sentences=25, seed=0):
        rng = np.random.default_rng(seed)
        self.source = [str(i) for i in range(sentences)]
        self.references, self.pool = [], []
        for _ in range(sentences):
            words = [f"w{i}" for i in rng.integers(0, 30, 12)]
            self.references.append(" ".join(words))
            rows = []
            for _ in range(60):
                right = rng.random(12) < rng.uniform(0.3, 1)
                text = " ".join(w if r else "x" for w, r in zip(words, right, strict=True))
                quality = right.sum() + rng.normal(size=3) * [1, 3, 9]
                rows.append((text, [round(float(value), 4) for value in quality]))
            self.pool.append(rows)
        self._weights = {"Unknown0": [1.0], "LM0": [-0.1], "TM0": [0.1, 0.3]}
        self.runs = 0

    def weights(self):
        return dict(self._weights)

    def set_weights(self, weights):
        self._weights |= weights

    def translate(self, lines, *, nbest):
        self.runs += 1
        flat = np.array(self._weights["LM0"] + self._weights["TM0"])
        best, out = [], []
        for line in lines:
            rows = sorted(self.pool[int(line)], key=lambda row: -(np.array(row[1]) @ flat))
            best.append(Best(rows[0][0]))
            for text, (lm, one, two) in rows[: nbest.size]:
                out.append(f"{line} ||| {text}  ||| LM0= {lm} TM0= {one} {two} ||| 0\n")
        nbest.path.write_text("".join(out))
        return best


class Interrupted(FixedPoolDecoder):
    """Falls over in its third run."""

    def translate(self, lines, *, nbest):
        if self.runs == 2:
            raise KeyboardInterrupt
        return super().translate(lines, nbest=nbest)


def tune_with(decoder, folder, options=OPTIONS, **rest):
    return tune(decoder, decoder.source, [decoder.references], options, checkpoint=folder, **rest)


def plain(result):
    """A result without its times."""
    return [
        (row.hypotheses, row.new_hypotheses, row.bleu_decoded, row.bleu_predicted, row.weights)
        for row in result.log
    ], result.weights


def test_loop_finds_better_weights(tmp_path):
    decoder = FixedPoolDecoder()
    result = tune_with(decoder, tmp_path)
    assert result.bleu > result.log[0].bleu_decoded + 5
    assert result.bleu == max(row.bleu_decoded for row in result.log)
    assert list(result.weights) == ["LM0", "TM0"]
    assert decoder.weights()["Unknown0"] == [1.0]
    sizes = [row.hypotheses for row in result.log]
    assert sizes == np.cumsum([row.new_hypotheses for row in result.log]).tolist()
    assert len(result.log) <= OPTIONS.max_iterations


def test_same_seed_same_result_with_any_threads(tmp_path):
    first = tune_with(FixedPoolDecoder(), tmp_path / "a")
    second = tune_with(FixedPoolDecoder(), tmp_path / "b", threads=3)
    assert plain(first) == plain(second)


def test_interrupted_run_goes_on(tmp_path):
    whole = tune_with(FixedPoolDecoder(), tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        tune_with(Interrupted(), tmp_path / "b")
    decoder = FixedPoolDecoder()
    resumed = tune_with(decoder, tmp_path / "b")
    assert plain(resumed) == plain(whole)
    assert decoder.runs == len(whole.log) - 2
    # Once more: nothing is left to do.
    decoder = FixedPoolDecoder()
    assert plain(tune_with(decoder, tmp_path / "b")) == plain(whole)
    assert decoder.runs == 0
    assert sorted(path.suffix for path in (tmp_path / "b").iterdir()) == [".json", ".npz"]


@pytest.mark.parametrize("change", ["options", "fingerprint", "damage", "pool lost"])
def test_checkpoint_of_another_run_is_passed_over(tmp_path, change):
    tune_with(FixedPoolDecoder(), tmp_path)
    options, fingerprint = OPTIONS, ""
    if change == "options":
        options = TuningOptions(nbest=5, restarts=3, max_iterations=8, seed=3)
    elif change == "fingerprint":
        fingerprint = "other tables"
    elif change == "damage":
        (tmp_path / "state.json").write_text("{")
    else:
        next(tmp_path.glob("pool-*.npz")).unlink()
    decoder = FixedPoolDecoder()
    result = tune_with(decoder, tmp_path, options, fingerprint=fingerprint)
    assert decoder.runs == len(result.log)


def test_log_has_a_line_an_iteration(tmp_path):
    result = tune_with(FixedPoolDecoder(), tmp_path / "state")
    write_log(tmp_path / "log.tsv", result)
    header, *lines = (tmp_path / "log.tsv").read_text().splitlines()
    assert header.split("\t")[0] == "iteration"
    assert header.split("\t")[-1] == "weights"
    assert len(lines) == len(result.log)
    assert len(json.loads(lines[0].split("\t")[-1])["TM0"]) == 2


def iteration(number, bleu, new=10, weights=None, foreseen=100):
    weights = [float(number)] if weights is None else weights
    return Iteration(number, 1.0, 1.0, 100, new, bleu, foreseen, weights)


def test_loop_ends_when_it_should():
    options = TuningOptions(max_iterations=6, patience=2, min_gain=0.05)
    rise = [iteration(i, 50 + i) for i in range(1, 7)]
    assert not _finished([], options)
    assert not _finished(rise[:5], options)
    assert _finished(rise, options)
    assert _finished([*rise[:2], iteration(3, 53, new=0)], options)
    assert _finished([*rise[:2], iteration(3, 53, weights=rise[1].weights)], options)
    assert _finished([*rise[:2], iteration(3, 51, foreseen=52.05)], options)
    assert not _finished([*rise[:2], iteration(3, 51, foreseen=52.06)], options)
    flat = [*rise[:2], iteration(3, 52.04)]
    assert not _finished(flat, options)
    assert _finished([*flat, iteration(4, 52.05)], options)
    assert not _finished([*flat, iteration(4, 52.06)], options)


def test_bad_options_are_named(tmp_path):
    with pytest.raises(InputError, match="max_iterations is 0"):
        TuningOptions(max_iterations=0)
    decoder = FixedPoolDecoder()
    with pytest.raises(InputError, match="reference"):
        tune(decoder, decoder.source, [["a"]], OPTIONS, checkpoint=tmp_path)
    with pytest.raises(InputError, match="no hypotheses"):
        tune(decoder, [], [[]], OPTIONS, checkpoint=tmp_path)


def test_fingerprint_sees_every_file_of_a_model(tmp_path):
    ini = tmp_path / "moses.ini"
    model = tmp_path / "lm"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"1")
    (tmp_path / "table").write_text("a")
    lines = ["[feature]", "PhraseDictionaryMemory path=table", f"NeuralLM path={model}"]
    ini.write_text("\n".join([*lines, ""]))
    prints = [model_fingerprint(ini)]
    for path, content in (
        ("lm/config.json", "{}"),
        ("lm/model.safetensors", "22"),
        ("table", "ab"),
    ):
        (tmp_path / path).write_text(content)
        prints.append(model_fingerprint(ini))
    assert len(set(prints)) == 4
