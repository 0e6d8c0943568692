"""Models by their paths: which kind recognises what, and what is imported for it."""

import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.kinds import load_language_model, load_stepping_models
from nlmt.ngram import NgramModel
from nlmt.ngram.files import is_kenlm

GOLDEN = Path(__file__).parents[2] / "golden"
ARPA = GOLDEN / "model" / "lm.arpa.gz"


def imports_after(code: str) -> set[str]:
    """Modules that Python has imported after running some code in a fresh process."""
    program = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_perplexity_of_kenlm_imports_nothing_else() -> None:
    modules = imports_after(
        "from nlmt.kinds import load_language_model\n"
        "from nlmt.lm import measure, vocabulary_facts\n"
        f"model = load_language_model({str(ARPA)!r})\n"
        "measure(model, ['a b']); vocabulary_facts(model)"
    )
    assert "nlmt.ngram.model" in modules
    assert not modules & {"nlmt.rescoring", "nlmt.neural", "nlmt.decoder", "torch", "transformers"}


def test_the_package_imports_no_kind() -> None:
    modules = imports_after("import nlmt.kinds; nlmt.kinds.KINDS.names()")
    assert not {name for name in modules if name.startswith(("nlmt.ngram", "nlmt.neural", "kenlm"))}


def test_kenlm_files_are_recognised(tmp_path: Path) -> None:
    head = b"\n\\data\\\nngram 1=3\n"
    files = {
        "plain": head,
        "comments": b"# a title\n\n# by hand" + head,
        "gzip": gzip.compress(head),
        "damaged-gzip": gzip.compress(head)[:12],
        "bzip2": bz2.compress(head),
        "text": b"a sentence\n",
        "commented-text": b"# a title\na sentence\n",
        "empty": b"",
        "zipped-text": gzip.compress(b"a sentence\n"),
        "numbers": bytes(range(256)) * 100,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = {name for name in files if is_kenlm(tmp_path / name)}
    assert found == {"plain", "comments", "gzip", "damaged-gzip", "bzip2"}


def test_what_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NLMT_PLUGINS", raising=False)
    with pytest.raises(InputError, match="no such file or folder"):
        load_language_model(tmp_path / "none")
    (tmp_path / "text").write_text("a b c\n")
    for path in (tmp_path, tmp_path / "text"):
        with pytest.raises(InputError, match="no language model") as error:
            load_language_model(path)
        hint = str(error.value)
        assert "a model is a file of KenLM" in hint
        assert "a folder with model.safetensors" in hint
        assert "one of a plugin needs NLMT_PLUGINS" in hint
    (tmp_path / "nce/run1").mkdir(parents=True)
    with pytest.raises(InputError, match=rf"give {tmp_path}/nce/run1\)"):
        load_language_model(tmp_path / "nce")
    (tmp_path / "lm.arpa").write_text("\\data\\\n\nnothing\n")
    with pytest.raises(InputError, match=r"lm\.arpa: not a language model, or a damaged one"):
        load_language_model(tmp_path / "lm.arpa")


def test_stepping_models() -> None:
    assert isinstance(load_stepping_models({"LM0": ARPA})["LM0"], NgramModel)
