"""Training: modified Kneser-Ney smoothing (Heafield et al. 2013) by KenLM's lmplz."""

import logging
from collections.abc import Iterator
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import atomic_path, read_lines, scratch_folder
from nlmt.ngram.tools import run_tool
from nlmt.processes import ToolError

log = logging.getLogger(__name__)

ORDERS = range(2, 7)  # what the tries of a KenLM built as usual hold
SPECIAL = frozenset(["<unk>", "<s>", "</s>"])
MEMORY = "1G"  # for sorting; what does not fit goes to temporary files


def train_arpa(text: Path | str, arpa: Path | str, *, order: int = 5, memory: str = MEMORY) -> None:
    """Estimate an n-gram model of a text, and write it as an ARPA file.

    `<unk>`, `<s>` and `</s>` in the text count as white space (lmplz gives `<unk>` the probability
    that discounting leaves for unseen words). Discounts are those of modified Kneser-Ney; only
    where a small text gives no estimate for them does lmplz fall back to 0.5, 1 and 1.5.

    Args:
        text: sentences, one a line, plain or gzip.
        arpa: where the model goes, its folder also holds lmplz's temporary files.
        order: 2 to 6.
        memory: for sorting, as lmplz's `-S` takes it (`500M`, `50%`).

    Raises:
        InputError: no text, no tool, an order out of range, a full disk: each in one line.
    """
    if order not in ORDERS:
        what = f"order {order} is out of range"
        raise InputError(what, hint=f"choose {ORDERS.start} to {ORDERS.stop - 1}")
    with atomic_path(arpa) as path, scratch_folder(arpa) as folder:
        arguments = ["--order", str(order), "--skip_symbols", "--arpa", str(path)]
        arguments += ["--memory", memory, "--temp_prefix", f"{folder}/"]
        try:
            run_tool("lmplz", arguments, _sentences(text))
        except ToolError as error:
            if "BadDiscountException" not in error.messages:
                raise
            log.warning("the text is too small for Kneser-Ney discounts: using 0.5, 1 and 1.5")
            run_tool("lmplz", [*arguments, "--discount_fallback"], _sentences(text))


def train_binary(
    text: Path | str, model: Path | str, *, order: int = 5, memory: str = MEMORY
) -> None:
    """Estimate an n-gram model of a text (`train_arpa`), and write it as a KenLM trie."""
    with atomic_path(model) as path, scratch_folder(model) as folder:
        arpa = folder / "model.arpa"
        train_arpa(text, arpa, order=order, memory=memory)
        run_tool("build_binary", ["-S", memory, "-T", f"{folder}/", "trie", str(arpa), str(path)])


def _sentences(text: Path | str) -> Iterator[str]:
    """The lines of a text; an error where none of them holds a word that lmplz counts."""
    empty = True
    for line in read_lines(text):
        empty = empty and SPECIAL.issuperset(line.split())
        yield line
    if empty:
        raise InputError("no words to train on: the text is empty", path=text)
