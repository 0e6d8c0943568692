"""The tuning loop around a decoder that chooses from a fixed pool."""

import json
import os
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.lattice_builder import LatticeBuilder
from nlmt.io.lattice_file import write_lattices
from nlmt.provenance import present_code
from nlmt.settings_check import read_settings
from nlmt.steps import open_steps
from nlmt.tuning import OBJECTIVES, TUNERS, LatticeTuner, ListTuner, TuningSettings, leave_out
from nlmt.tuning.loop import _finished, tune, write_log
from nlmt.tuning.loop_state import Iteration, model_fingerprint, run_fingerprint
from nlmt.tuning.tuners import names_for

SETTINGS = TuningSettings(method="mert", nbest=5, restarts=3, max_iterations=8)


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


class LatticeDecoder(FixedPoolDecoder):
    """Writes lattices in which each hypothesis is one arc."""

    def translate(self, lines, *, lattices):
        self.runs += 1
        weights = {"UnknownWordPenalty0": [1.0]}
        weights |= {label: self._weights[label] for label in ("LM0", "TM0")}
        assert lattices.density == 50
        made = []
        for line in lines:
            builder = LatticeBuilder(int(line), weights)
            for text, values in self.pool[int(line)]:
                builder.add(0, 1, text.split(), [0.0, *values])
            made.append(builder.build(2, 0, 1))
        write_lattices(lattices.path, made)
        return [Best(lattice.text(lattice.best_path())) for lattice in made]


class Interrupted(FixedPoolDecoder):
    """Falls over in its third run."""

    def translate(self, lines, *, nbest):
        if self.runs == 2:
            raise KeyboardInterrupt
        return super().translate(lines, nbest=nbest)


def tune_with(decoder, folder, seed=2, fingerprint="", threads=1, **changes):
    return tune(
        decoder, decoder.source, [decoder.references], SETTINGS.model_copy(update=changes),
        seed=seed, checkpoint=folder, fingerprint=fingerprint, threads=threads,
    )  # fmt: skip


def plain(result):
    """A result without its times."""
    return [
        (row.hypotheses, row.new_hypotheses, row.decoded, row.foreseen, row.weights)
        for row in result.log
    ], result.weights


def test_loop_finds_better_weights(tmp_path):
    decoder = FixedPoolDecoder()
    result = tune_with(decoder, tmp_path)
    assert result.outcome.final > result.log[0].decoded + 5
    assert result.outcome.final == max(row.decoded for row in result.log)
    assert list(result.weights) == ["LM0", "TM0"]
    assert decoder.weights()["Unknown0"] == [1.0]
    sizes = [row.hypotheses for row in result.log]
    assert sizes == np.cumsum([row.new_hypotheses for row in result.log]).tolist()
    assert len(result.log) <= SETTINGS.max_iterations


def test_the_step_names_iteration_and_best_value(tmp_path):
    said = []

    class Watched(FixedPoolDecoder):
        def translate(self, lines, *, nbest):
            said.append(open_steps()[-1].says)
            return super().translate(lines, nbest=nbest)

    decoder = Watched()
    tuned = tune_with(decoder, tmp_path)
    assert said[0] == "iteration 1 of 8 at most"
    best = max(row.decoded for row in tuned.log[:-1])
    assert said[-1] == f"iteration {len(tuned.log)} of 8 at most, best BLEU {best:.2f}"


# A trust region looks at values alone, whatever they are of, and takes seconds.
GAINING = [
    (method, objective)
    for method in names_for(ListTuner)
    for objective in OBJECTIVES.names()
    if method != "trust-region" or objective == "bleu"
]


@pytest.mark.parametrize(("method", "objective"), GAINING)
def test_every_method_and_objective_gains(tmp_path, method, objective):
    changes = {"method": method, "objective": objective, "interpolation": 0.5}
    result = tune_with(FixedPoolDecoder(), tmp_path, **changes)
    assert result.outcome.final > result.log[0].decoded + 2


@pytest.mark.threads
@pytest.mark.parametrize("method", names_for(LatticeTuner))
def test_lattices_in_the_loop(tmp_path, method):
    result = tune_with(LatticeDecoder(), tmp_path / "a", method=method)
    assert result.outcome.final > result.log[0].decoded + 4
    assert list(result.weights) == ["LM0", "TM0"]
    # A lattice holds all hypotheses: what is foreseen is what is decoded.
    assert result.log[1].decoded == pytest.approx(result.log[0].foreseen, abs=0.01)
    again = tune_with(LatticeDecoder(), tmp_path / "b", method=method, threads=3)
    assert plain(again) == plain(result)


def test_pro_takes_a_share_of_what_it_finds(tmp_path):
    def weights(interpolation):
        changes = {"method": "pro", "interpolation": interpolation, "max_iterations": 2}
        result = tune_with(FixedPoolDecoder(), tmp_path / str(interpolation), **changes)
        return [np.array(row.weights) for row in result.log]

    start, found = weights(1.0)
    _, mixed = weights(0.25)
    expected = 0.25 * found + 0.75 * start / np.abs(start).sum()
    assert mixed == pytest.approx(expected / np.abs(expected).sum())


def test_only_the_language_model_is_tuned(tmp_path):
    result = tune_with(FixedPoolDecoder(), tmp_path, tuned=("LM", "NLM"))
    assert result.weights["TM0"][1] / result.weights["TM0"][0] == pytest.approx(3)
    with pytest.raises(InputError, match="no feature NLM0 to tune"):
        tune_with(FixedPoolDecoder(), tmp_path / "b", tuned=("NLM0",))
    with pytest.raises(InputError, match="no feature NLM or LN to tune"):
        tune_with(FixedPoolDecoder(), tmp_path / "c", tuned=("NLM", "LN"))


@pytest.mark.parametrize("method", TUNERS.names())
def test_features_left_out_have_weights_of_0(tmp_path, method):
    decoder = LatticeDecoder() if "lattice" in method else FixedPoolDecoder()
    result = tune_with(decoder, tmp_path, method=method, left_out=("TM0.1",))
    assert {row.weights[2] for row in result.log} == {0.0}
    assert result.weights["TM0"][1] == 0
    assert result.weights["TM0"][0] > 0
    assert result.outcome.final > result.log[0].decoded + 2
    with pytest.raises(InputError, match=r"no feature TM0\.2 to leave out .*TM0\.0 to TM0\.1"):
        tune_with(decoder, tmp_path / "b", method=method, left_out=("TM0.2",))
    with pytest.raises(InputError, match="no feature is left to tune"):
        tune_with(decoder, tmp_path / "c", method=method, left_out=("TM", "LM"))


def test_weights_without_some_features():
    weights = {"LM0": [0.5], "TM0": [0.3, -0.2], "WordPenalty0": [-1.0]}
    left = leave_out(weights, ("TM0.1", "WordPenalty"))
    assert left == {"LM0": [0.5], "TM0": [0.3, 0.0], "WordPenalty0": [0.0]}
    with pytest.raises(InputError, match="no feature NLM0 to leave out"):
        leave_out(weights, ("NLM0",))


@pytest.mark.parametrize("changes", [{}, {"objective": "ter"}, {"left_out": ("LM0",)}])
def test_interrupted_run_goes_on(tmp_path, changes):
    whole = tune_with(FixedPoolDecoder(), tmp_path / "a", **changes)
    with pytest.raises(KeyboardInterrupt):
        tune_with(Interrupted(), tmp_path / "b", **changes)
    decoder = FixedPoolDecoder()
    resumed = tune_with(decoder, tmp_path / "b", **changes)
    assert plain(resumed) == plain(whole)
    assert decoder.runs == len(whole.log) - 2
    # Once more: nothing is left to do.
    decoder = FixedPoolDecoder()
    assert plain(tune_with(decoder, tmp_path / "b", **changes)) == plain(whole)
    assert decoder.runs == 0
    suffixes = sorted(path.suffix for path in (tmp_path / "b").iterdir())
    assert suffixes == [".json", ".json", ".npz", ".npz"]


def test_a_run_that_other_code_began_says_so(tmp_path, monkeypatch, caplog):
    old, new = {"nlmt.tuning.mert": "0"}, present_code()
    monkeypatch.setattr("nlmt.tuning.loop.present_code", lambda: old)
    with pytest.raises(KeyboardInterrupt):
        tune_with(Interrupted(), tmp_path)
    assert load_code(tmp_path) == [old]
    monkeypatch.undo()
    tune_with(FixedPoolDecoder(), tmp_path)
    assert [code["nlmt.tuning.mert"] for code in load_code(tmp_path)] == [
        old["nlmt.tuning.mert"],
        new["nlmt.tuning.mert"],
    ]
    (warning,) = (one.message for one in caplog.records if one.name == "root")
    assert warning.startswith("the checkpoint was made before a change of the code of nlmt.tuning")
    tune_with(FixedPoolDecoder(), tmp_path, seed=3)  # which begins at the beginning
    assert old not in load_code(tmp_path)


def load_code(folder):
    """The code that a state has."""
    return json.loads((folder / "state.json").read_text())["code"]


@pytest.mark.parametrize(
    "change",
    ["settings", "seed", "fingerprint", "source", "references", "weights", "damage", "pool lost"],
)
def test_checkpoint_of_another_run_is_passed_over(tmp_path, change):
    tune_with(FixedPoolDecoder(), tmp_path)
    decoder, changes = FixedPoolDecoder(), {}
    if change == "settings":
        changes = {"restarts": 4}
    elif change == "seed":
        changes = {"seed": 3}
    elif change == "fingerprint":
        changes = {"fingerprint": "other tables"}
    elif change == "source":
        decoder.source[1] = "01"  # of the same translations
    elif change == "references":
        decoder.references[1] = "w1 w2"
    elif change == "weights":
        decoder.set_weights({"LM0": [-0.2]})
    elif change == "damage":
        for path in tmp_path.glob("state*.json"):
            path.write_text("{")
    else:
        for path in tmp_path.glob("pool-*.npz"):
            path.unlink()
    result = tune_with(decoder, tmp_path, **changes)
    assert decoder.runs == len(result.log)


@pytest.mark.parametrize("part", ["state.json", "pool-*-{}.npz"])
@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty", "lost"])
def test_a_damaged_state_costs_one_iteration(tmp_path, part, damage):
    whole = tune_with(FixedPoolDecoder(), tmp_path)
    path = next(tmp_path.glob(part.format(len(whole.log))))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    kept = {"flipped": content, "truncated": content[:-50], "empty": b"", "lost": None}[damage]
    path.unlink() if kept is None else path.write_bytes(kept)
    decoder = FixedPoolDecoder()
    assert plain(tune_with(decoder, tmp_path)) == plain(whole)
    assert decoder.runs == 1


def test_the_previous_state_of_another_run_finds_no_pool_of_this_one(tmp_path):
    first = tune_with(FixedPoolDecoder(), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        tune_with(Interrupted(), tmp_path, seed=7)
    decoder = FixedPoolDecoder()
    assert plain(tune_with(decoder, tmp_path)) == plain(first)
    assert decoder.runs == len(first.log)


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
    return Iteration(number, 1.0, 1.0, 100, new, bleu, 1.0, foreseen, weights)


def test_loop_ends_when_it_should():
    settings = TuningSettings(max_iterations=6, patience=2, min_gain=0.05)

    def finished(log):
        return _finished(log, settings, exact=True)

    rise = [iteration(i, 50 + i) for i in range(1, 7)]
    assert not finished([])
    assert not finished(rise[:5])
    assert finished(rise)
    assert finished([*rise[:2], iteration(3, 53, new=0)])
    assert finished([*rise[:2], iteration(3, 53, weights=rise[1].weights)])
    assert finished([*rise[:2], iteration(3, 51, foreseen=52.05)])
    assert not finished([*rise[:2], iteration(3, 51, foreseen=52.06)])
    flat = [*rise[:2], iteration(3, 52.04)]
    assert not finished(flat)
    assert finished([*flat, iteration(4, 52.05)])
    assert not finished([*flat, iteration(4, 52.06)])


def test_bad_settings_are_named(tmp_path):
    for values, what in (
        ({"max_iterations": 0}, "max_iterations: 0 must be at least 1"),
        ({"method": "sgd"}, "method: 'sgd' is not allowed .*lattice-mert"),
        ({"objective": "wer"}, "objective: 'wer' is not allowed .*bleu, ter"),
        ({"interpolation": 0.0}, r"interpolation: 0\.0 must be more than 0"),
        ({"options": {"pro": {"kpt": 1}}}, "options: pro.kpt: unknown key .*'kept'"),
        ({"options": {"prx": {}}}, "options: unknown tuner 'prx' .*'pro'"),
    ):
        with pytest.raises(InputError, match=what):
            read_settings(TuningSettings, values)
    decoder = FixedPoolDecoder()
    with pytest.raises(InputError, match="reference"):
        tune(decoder, decoder.source, [["a"]], SETTINGS, checkpoint=tmp_path)
    with pytest.raises(InputError, match="no hypotheses"):
        tune(decoder, [], [[]], SETTINGS, checkpoint=tmp_path)


def test_another_version_of_nlmt_goes_on_and_another_moses_does_not(tmp_path):
    (tmp_path / "moses.ini").write_text("[feature]\nWordPenalty\n")

    def fingerprint(**facts):
        return run_fingerprint(SimpleNamespace(facts=facts), tmp_path / "moses.ini")

    own, other = {"engine": "nlmt", "flags": ["-s"]}, {"engine": "moses", "flags": ["-s"]}
    assert fingerprint(**own, version="1") == fingerprint(**own, version="2")
    assert fingerprint(**own) != fingerprint(**own | {"flags": []})
    assert fingerprint(**other, version="1") != fingerprint(**other, version="2")


def test_lists_of_a_killed_run_do_not_stay(tmp_path):
    class Killed(FixedPoolDecoder):
        def translate(self, lines, *, nbest):
            nbest.path.write_text("half a list")
            os._exit(9)

    if not (child := os.fork()):
        try:
            tune_with(Killed(), tmp_path)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 9 << 8
    assert list(tmp_path.iterdir())
    tune_with(FixedPoolDecoder(), tmp_path)
    suffixes = sorted(path.suffix for path in tmp_path.iterdir())
    assert suffixes == [".json", ".json", ".npz", ".npz"]


def test_fingerprint_sees_every_file_of_a_model(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    ini = tmp_path / "moses.ini"
    model = tmp_path / "lm"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"1")
    (tmp_path / "table").write_text("a")
    tables = ["PhraseDictionaryMemory path=table", "LexicalReordering path=reordering"]
    lines = ["[feature]", *tables, f"NeuralLM path={model}", "KENLM path=lm.arpa"]
    ini.write_text("\n".join([*lines, ""]))
    prints = [model_fingerprint(ini)]
    for path, content in (
        ("lm/config.json", "{}"),
        ("lm/model.safetensors", "22"),
        ("table", "ab"),
        ("reordering.gz", "c"),
        ("here/lm.arpa", "d"),
    ):
        (tmp_path / path).write_text(content)
        prints.append(model_fingerprint(ini))
    os.utime(model / "model.safetensors", ns=(1, 1))  # as large as before
    prints.append(model_fingerprint(ini))
    assert len(set(prints)) == 7
