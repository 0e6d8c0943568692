"""Moses' mert (MERT=program, `extractor` beside it) on lists of real sentences, and ours."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from held import held
from samples import bitext, edited, seeded

from nlmt.evaluation import BLEU
from nlmt.io.nbest import read_nbest
from nlmt.tuning import mert, read_initial, read_pool

PROGRAM = "Moses' mert"
RESTARTS = 20
SENTENCES, HYPOTHESES, FEATURES = 60, 30, 5


def write_list(folder: Path, language: str) -> list[str]:
    """A list of edited lines with random values of features, and its references."""
    draw = seeded("mert", language)
    lines = [line.lower().replace("|", "") for line in bitext(language, SENTENCES)[1]]
    references = [" ".join(line.split()) for line in lines]
    lines.clear()
    for number, reference in enumerate(references):
        for _ in range(HYPOTHESES):
            words = edited(draw, reference)
            values = " ".join(f"{draw.gauss(0, 3):.2f}" for _ in range(FEATURES))
            lines.append(f"{number} ||| {words} ||| F= {values} ||| 0\n")
    (folder / "list").write_text("".join(lines))
    (folder / "reference").write_text("".join(f"{line}\n" for line in references))
    (folder / "init.opt").write_text(
        "".join(" ".join([value] * FEATURES) + "\n" for value in ("0.2", "-1", "1"))
    )
    return references


@pytest.mark.parametrize("language", ["fr", "de", "ru"])
def test_statistics_and_weights(language: str, tmp_path: Path) -> None:
    if "MERT" not in os.environ:
        pytest.skip("MERT= names no program")
    program = Path(os.environ["MERT"])
    references = write_list(tmp_path, language)
    files = {name: str(tmp_path / name) for name in ("list", "reference", "f", "s", "init.opt")}
    command = [program.with_name("extractor"), "--sctype", "BLEU", "-r", files["reference"]]
    command += ["-n", files["list"], "-F", files["f"], "-S", files["s"]]
    subprocess.run(command, check=True, capture_output=True)
    pool = read_pool([files["f"]], [files["s"]])
    nbest = read_nbest(files["list"])
    ours = BLEU.nbest_statistics(nbest, [references])
    with held(PROGRAM, "extractor: BLEU statistics and features of hypotheses") as case:
        rows = {
            (int(n), tuple(f.round(2))): s.tolist()
            for n, f, s in zip(pool.sentence, pool.features, pool.statistics, strict=True)
        }
        for number, features, counts in zip(nbest.sentence, nbest.features, ours, strict=True):
            key = int(number), tuple(features.round(2))
            case.compare(key, rows[key], counts.tolist())
    command = [program, "--sctype", "BLEU", "-d", str(FEATURES), "-n", str(RESTARTS), "-r", "1"]
    command += ["--ffile", files["f"], "--scfile", files["s"], "--ifile", files["init.opt"]]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    found = re.search(r"Best point: (.*) => (\S+)", done.stderr + done.stdout)
    assert found is not None
    weights, value = np.array(found[1].split(), float), float(found[2])
    initial, lower, upper = read_initial(files["init.opt"])
    tuned = mert(pool, [initial], lower=lower, upper=upper, restarts=RESTARTS, seed=1, threads=1)
    with held(PROGRAM, "mert: BLEU of its weights, and of ours, to 0.01") as case:
        theirs = pool.lists().value(weights)
        case.hold(language, lambda: value, lambda: float(theirs), lambda a, b: abs(a - b) < 1e-3)
        case.hold(language, lambda: value, lambda: tuned.value, lambda a, b: b > a - 0.01)
