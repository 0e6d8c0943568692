"""The folder in which the snippets of the documentation run: a small real bitext and its models."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from nlmt.io.moses_ini import read_ini
from nlmt.io.weights import write_weights
from tests.workflow.conftest import tiny_configuration

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
CONFIGS = {
    "model.yaml": "dim: 16\norder: 3\nepochs: 1\n",
    "lstm.yaml": "network: lstm\nobjective: likelihood\ndim: 16\nepochs: 1\n",
    "trigram.yaml": "kind: ngram\norder: 3\n",
    "joint.yaml": "source: window\nsource_window: 2\ndim: 16\norder: 3\nepochs: 1\n",
    "french.yaml": "dim: 16\norder: 3\nepochs: 1\n",
    "averaged.yaml": "source: averaged\nsource_dim: 16\ndim: 16\norder: 3\nepochs: 1\n",
    "mine.yaml": "seed: 2\n",
}
ALIGN = """\
nlmt align --source train.fr --target train.en --out train.align --directed train.fwd train.rev
nlmt align --source dev.fr --target dev.en --out dev.align \\
    --like train.fr train.en train.fwd train.rev
gzip -k train.align
"""
MODELS = """\
nlmt classes brown --text train.en --out classes.tsv
nlmt lm train --config model.yaml --train train.en --dev dev.en --classes classes.tsv --out lm/oxlm
nlmt lm train --config lstm.yaml --train train.en --dev dev.en --classes classes.tsv --out lm/lstm
"""
LISTS = """\
nlmt decode -f moses.ini -i dev.fr -n-best-list dev.nbest.gz 100 distinct > dev.hyp
nlmt decode -f moses.ini -i test.fr -n-best-list test.nbest.gz 100 distinct > test.hyp
nlmt nbest sort test.nbest.gz one.nbest.gz --size 50
nlmt nbest sort test.nbest.gz two.nbest.gz --distinct
"""
RUNS = """\
mkdir -p nlm/run1 nlm/run2 base/run1 base/run2
for run in nlm/run1 nlm/run2 base/run1 base/run2; do cp test.hyp $run/test.hyp; done
nlmt nbest oracle test.nbest.gz nlm/run2/test.hyp --reference test.en
"""
TABLE = """\
nlmt classes brown --text train.en --out classes.tsv
cp test.fr text
cp test.fr run1.hyp
cp test.en base1.hyp
"""
COUNTS = """\
FEATURES_TXT_BEGIN_0 0 2 2 LM0_0 TM0_0
-1 -2
-2 -1
FEATURES_TXT_END_0
"""
SCORES = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
1 2 0 1 0 0 0 0 2
2 2 1 1 0 0 0 0 2
SCORES_TXT_END_0
"""
# As Marian and OpenNMT would write them, in the words of the text.
OTHERS = """\
zcat dev.nbest.gz | awk -F ' [|][|][|] ' \\
    '{print $1 " ||| " $2 " ||| 0-0 ||| F0= " $4 " ||| " $4}' > dev.marian
zcat test.nbest.gz | awk -F ' [|][|][|] ' \\
    '$1 != last {n = 0} {last = $1} n++ < 5 {print $2 "\\t" $4}' > test.opennmt
"""
# What each page takes for given: commands that make it, and other steps.
GIVEN: dict[str, tuple[str, ...]] = {
    "embedding.md": (f"ln -s {ROOT} nlmt",),
    "nbest.md": (LISTS, OTHERS, MODELS),
    "lattices.md": (MODELS,),
    "tuning.md": (MODELS,),
    "neural.md": (MODELS,),
    "neural-training.md": (ALIGN,),
    "evaluation.md": (LISTS, RUNS),
}
# Pages of the workflow: they have a project with a tiny corpus in the place of the demo's.
DEMO = "snakemake --cores 2 demo"
PROJECTS: dict[str, tuple[str, ...]] = {
    "own-corpus.md": ("gzip -c corpus/dev.en > corpus/more.en.gz",),
    "provenance.md": (DEMO, "mkdir theirs; cp -r results theirs/"),
    "reading-results.md": (DEMO,),
    "translate.md": (DEMO,),
    "tutorial.md": (DEMO,),
}


def environment(tools: Path) -> dict[str, str]:
    """The environment of snippets: `nlmt` and `python` are those of the tests."""
    tools.mkdir(exist_ok=True)
    start = tools / "nlmt"
    start.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nlmt.cli "$@"\n')
    start.chmod(0o755)
    folders = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(folders)}


def lay_out(folder: Path) -> None:
    """The texts and the translation model that every page has."""
    for path in GOLDEN.iterdir():
        if path.is_file() and path.name != "README.md":
            shutil.copy(path, folder)
    (folder / "tm").symlink_to(GOLDEN / "model")
    ini = (GOLDEN / "moses.ini").read_text()
    (folder / "moses.ini").write_text(ini.replace("path=model/", "path=tm/"))
    for name, text in CONFIGS.items():
        (folder / name).write_text(text)
    for name in ("dev.en", "test.en"):
        for number in (0, 1):
            shutil.copy(folder / name, folder / f"{name}{number}")
            shutil.copy(folder / name, folder / f"{name}.{number}")
    for name in ("train.en", "train.fr", "test.en", "test.fr"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    lines = (folder / "train.en").read_text().splitlines(keepends=True)
    for name, part in (("news", lines[:400]), ("web", lines[400:])):
        (folder / f"{name}.gz").write_bytes(gzip.compress("".join(part).encode()))
    write_weights(folder / "weights.json", read_ini(folder / "moses.ini").weights)
    (folder / "lm").mkdir()
    arpa = gzip.decompress((GOLDEN / "model/lm.arpa.gz").read_bytes())
    (folder / "lm/big.binary").write_bytes(arpa)  # KenLM tells ARPA by its content
    (folder / "run1.features.dat").write_text(COUNTS)
    (folder / "run1.scores.dat").write_text(SCORES)
    (folder / "init.opt").write_text("0.5 0.5\n")


def lay_out_project(folder: Path) -> None:
    """The workflow, with a tiny corpus under the names of the demo."""
    for name in ("rules", "workflow", "profiles", "config", "envs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "Snakefile", folder)
    (folder / "corpus").mkdir()
    for path in GOLDEN.glob("*.??"):
        shutil.copy(path, folder / "corpus")
    values = yaml.safe_load((ROOT / "config.yaml").read_text())
    for key, value in (tiny_configuration(Path("corpus")) | {"task": "help"}).items():
        values[key] = values[key] | value if isinstance(values.get(key), dict) else value
    (folder / "config.yaml").write_text(yaml.safe_dump(values))


def shell(script: str, folder: Path, tools: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a reader would type it, up to the first command that fails."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment(tools),
        capture_output=True,
        text=True,
        check=False,
    )
