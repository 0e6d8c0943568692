"""What a text says of a model beside its perplexity."""

import numpy as np
import pytest

from nlmt.neural import encode, train_folder
from nlmt.neural.text_facts import text_facts


def test_facts_of_a_short_list_and_of_other_outputs(tmp_path, make_task):
    settings = {"dim": 8, "epochs": 1, "objective": "likelihood"}
    for output in ({"output": "short-list", "short_list": 10}, {"output": "full"}):
        task = make_task(**settings, **output)
        model = train_folder(task, tmp_path / output["output"]).model
        lines = [" ".join(model.vocabulary.words[3:9]), model.vocabulary.words[20]]
        (tmp_path / "text").write_text("".join(line + "\n" for line in lines))
        facts, of_sentences = text_facts(model, tmp_path / "text")
        numbered = encode(lines, model.vocabulary)
        assert of_sentences.keys() == {"abs_log_z"}
        of_each = [model.mean_abs_log_z(encode([line], model.vocabulary)) for line in lines]
        sums = [mean * events for mean, events in zip(of_each, (7, 2), strict=True)]
        assert of_sentences["abs_log_z"] == pytest.approx(sums, abs=1e-5)
        assert facts["mean_abs_log_z"] == pytest.approx(sum(sums) / 9, abs=1e-5)
        predicted = model.layout.predicted
        if output["output"] == "full":
            assert facts["predicted_share"] == 1
        else:
            ends = np.array([model.vocabulary.end] * 2)
            words = [*numbered.ids, *ends]
            assert facts["predicted_share"] == pytest.approx(np.mean(predicted[words]))
            assert 0 < facts["predicted_share"] < 1
