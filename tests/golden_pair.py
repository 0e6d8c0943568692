"""The folder of a language pair with the golden model, as the workflow leaves it."""

import json
import shutil
from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.io.moses_ini import read_ini
from nlmt.text import Tokenisation
from nlmt.translation import SystemFiles, SystemsFolder, train_recaser

GOLDEN = Path(__file__).parent / "golden"
REORDERING = "reordering-table.wbe-msd-bidirectional-fe.gz"


def golden_pair(folder: Path) -> SystemsFolder:
    """Write models, recaser and weights of a pair; its one system decodes with them."""
    for name in ("tm", "lm"):
        (folder / name).mkdir()
    for name in ("phrase-table.gz", REORDERING):
        shutil.copy(GOLDEN / "model" / name, folder / "tm")
    shutil.copy(GOLDEN / "model/lm.arpa.gz", folder / "lm/model.arpa.gz")
    lines = [line.capitalize() for line in read_lines(GOLDEN / "train.en")]
    train_recaser(lines, folder / "recaser/forms.gz", folder / "recaser/model.binary")
    weights = {
        label: list(values) for label, values in read_ini(GOLDEN / "moses.ini").weights.items()
    }
    (folder / "weights.json").write_text(json.dumps({"weights": weights, "bleu": 30.0}))
    plain = SystemFiles(
        phrase_table="tm/phrase-table.gz",
        reordering_table=f"tm/{REORDERING}",
        language_models=("KENLM name=LM0 path=lm/model.arpa.gz order=3",),
        recombination_context=0,
        weights="weights.json",
        model_files=("lm/model.arpa.gz",),
    )
    return SystemsFolder(
        folder=folder,
        source="fr",
        target="en",
        tokenisation=Tokenisation(),
        search={"pop_limit": 100, "stack": 100, "distortion_limit": 6, "table_limit": 20},
        systems={"plain": {1: plain}},
        compared=("plain",),
    )
