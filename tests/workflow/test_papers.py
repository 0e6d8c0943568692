"""Two of the papers on the tiny corpus: their tables, figures and pages."""

import json

import pandas as pd
from conftest import PAIR, SMALL, change, run_snakemake, succeeded, use_auli2013

from nlmt.io.nbest import read_nbest
from nlmt.io.nbest_scores import read_scored
from nlmt.report import read_changes


def test_schwenk2010_and_luong2015_run_together(copy_of_finished):
    """Models of tuples and of the source rescore; what was not asked for is not run."""
    vectors = SMALL | {"source_dim": 20}
    cslm = {"dim": 20, "hidden": [20], "short_list": 50, "epochs": 1}
    found = {"learning_rate": [0.5], "weight_decay": [0.00001]}  # one search, of tuples, is enough
    # No assertion looks at what these make.
    unseen_models = ("cslm_256", "cslm_4096", "cstm", "nist_cslm", "tm3")
    unseen_models += ("bunch1", "bunch8", "bunch128")
    unseen_systems = (
        *("retuned", "class_factored", "tuples_tm3", "neural_tm", "neural_lm"),
        *(f"cslm_{end}" for end in ("alone", "decoder_alone", "mira", "mert", "pro")),
        *(f"cslm_{end}" for end in ("tm", "lm", "both")),
        *("nist", *(f"nist_{end}" for end in ("retuned", "cslm", "cslm_alone", "mixture"))),
    )
    # Their own baselines, as their sentences are not looked at.
    alone = ("cslm_decoder", "tuples", "tuples_cslm", "tuples_retuned")
    change(
        copy_of_finished,
        runs=1,
        papers={
            "schwenk2010": {"test_sets": ["test"], "repetitions": 2},
            "baltescu2015": {"repetitions": 2, "timed_sentences": 4},  # of its times of decoding
        },
        texts={"schwenk2010_background": {"corpora": ["bitext"], "share": 0.5}},
        language_models={
            "schwenk2010_background_cslm": {**cslm, "short_list": 1024, "search": found},
            "schwenk2010_ctm": {"dim": 30, "search": {"learning_rate": [0.1, 0.2], "dropout": [0]}},
            "schwenk2010_cslm": {**cslm, "search": found},
            **dict.fromkeys(f"schwenk2010_{name}" for name in unseen_models),
            "joint": {**SMALL, "source": "window"},
            "lsa": {**vectors, "source": "lsa"},
            "french": {**SMALL, "units": "source", "dim": 20},
            "averaged": vectors
            | {"source": "averaged", "source_window": 0, "source_embeddings": "french"},
        },
        systems={
            **dict.fromkeys(f"schwenk2010_{name}" for name in unseen_systems),
            **{f"schwenk2010_{name}": {"baseline": f"schwenk2010_{name}"} for name in alone},
            "schwenk2010_cslm": {"compared_with": []},
            "schwenk2010_cslm_derivative_free": {"compared_with": []},
            "schwenk2010_nist_mixture_alone": {
                "decoded_by": "schwenk2010_baseline",
                "compared_with": [],
            },
            "schwenk2010_neural_both": {
                "rescored_with": ["schwenk2010_ctm", "nce", "joint", "lsa", "averaged"],
                "compared_with": ["schwenk2010_tuples_retuned"],
            },
        },
    )
    measured = [f"{PAIR}/lm/{name}/run1/perplexity.json" for name in ("nce", "joint", "averaged")]
    succeeded(run_snakemake(copy_of_finished, "schwenk2010", *measured))
    folder = copy_of_finished / "results/papers/schwenk2010"
    rows = pd.read_csv(folder / "table2.tsv", sep="\t")
    assert (pd.to_numeric(rows["value"], errors="coerce") > 20).any()
    first = pd.read_csv(folder / "table1.tsv", sep="\t").set_index(["pair", "row"])["value"]
    for row in ("Phrase-based / CSLM", "N-gram-based / Ref.", "N-gram-based / CSLM"):
        assert float(first["fr-en", row]) > 20
    page = (folder / "index.html").read_text()
    assert "<table" in page
    for system in ("schwenk2010_cslm", "schwenk2010_neural_both"):
        changes = read_changes(copy_of_finished / PAIR / f"report/side-by-side/{system}.json")
        assert changes.sentences == 30
    assert page.count('<details class="changes">') > 1
    succeeded(run_snakemake(copy_of_finished, "--report", "report.html", "schwenk2010"))
    report = (copy_of_finished / "report.html").read_text()
    for name in ("index.html", "table1.tsv", "claims.tsv", "comparisons.tsv"):
        assert f'"results/papers/schwenk2010/{name}": {{' in report
    inside = pd.read_csv(folder / "decoder.tsv", sep="\t").set_index(["row", "column"])["value"]
    assert float(inside["CSLM in the decoder", "BLEU"]) > 20
    assert float(inside["CSLM in the decoder", "Decoding time"]) > 0
    tuned = pd.read_csv(folder / "tuning.tsv", sep="\t").set_index(["row", "column"])["value"]
    for column in ("BLEU", "BLEU of the tuning set"):
        assert float(tuned["derivative-free", column]) > 20
    cells = pd.read_csv(folder / "text.tsv", sep="\t")
    text = cells[cells["pair"] == "fr-en"].set_index(["row", "column"])["value"]
    assert 0 < float(text["short-list of the CSLM", "share of requests"]) < 100
    assert float(text["bunches of 32 words", "Training speed"]) > 0
    for way in ("requests one by one", "equal contexts once"):
        assert float(text[way, "Rescoring speed"]) > 0
    mixed = float(text["NIST / interpolated CSLMs", "test perplexity"])
    assert 1 < mixed < float(text["NIST / back-off LM", "test perplexity"]) * 10
    assert float(text["NIST / interpolated CSLMs in place of the back-off LM", "BLEU"]) > 20
    decoded = copy_of_finished / PAIR / "decode/schwenk2010_tuples/run1/test.nbest.gz"
    path = copy_of_finished / PAIR / "rescore/schwenk2010_neural_both/run1/test.scores.tsv.gz"
    nbest = read_scored(decoded, path)
    labels = [label for label, _ in nbest.feature_names]
    assert "TM0" in labels  # of the search; all others are of rescoring
    assert labels[-5:] == ["NTM0", "NLM0", "NLM1", "NLM2", "NLM3"]
    assert (nbest.features[:, -5:] < 0).all()
    alone, *given = (json.loads((copy_of_finished / path).read_text())["test"] for path in measured)
    for one in given:
        assert one["perplexity"] < alone["perplexity"]
        for count in ("words", "sentences", "oov"):  # the same vocabulary
            assert one[count] == alone[count]


def test_auli2013_on_lattices(copy_of_finished):
    use_auli2013(copy_of_finished)
    paper = "results/papers/auli2013"
    made = [f"{paper}/{name}" for name in ("figure3.svg", "table6.tsv", "table7.tsv")]
    succeeded(run_snakemake(copy_of_finished, *made))
    folder = copy_of_finished / paper
    assert (folder / "figure3.svg").read_text().count("<svg") == 1
    table6 = pd.read_csv(folder / "table6.tsv", sep="\t").set_index(["row", "column"])["value"]
    assert float(table6["ww-rnn-dim50.n5", "without p(e|f)"]) > 20
    table7 = pd.read_csv(folder / "table7.tsv", sep="\t").set_index(["row", "column"])["value"]
    assert float(table7["oracle, 80 numbers", "BLEU"]) > 20
    nbest = copy_of_finished / PAIR / "rescore/auli2013_rnn_lattice10/run1/dev.nbest.gz"
    names = read_nbest(nbest).feature_names
    assert [name for name in names if "LM" in name[0]] == [
        *(("LM0", 1), ("LM1", 1), ("NLM0", 1), ("NLM1", 1))
    ]
    searches = copy_of_finished / PAIR / "rescore/auli2013_rnn_lattice10/run1/test.searches.json"
    scores = {(s["kind"], s["size"]): sum(s["scores"]) for s in json.loads(searches.read_text())}
    assert scores["list", 1] <= scores["list", 20] + 1e-6
    assert scores["states", 1] <= scores["states", 20] + 1e-6
    dry = run_snakemake(copy_of_finished, "--dry-run", *made)
    assert "Nothing to be done" in dry.stdout + dry.stderr
