"""The network of a pretrained model, which gives log-probabilities of sub-words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.pretrained.batches import Window
from nlmt.pretrained.libraries import Libraries

_TOLERANCE = 1e-2  # of logits, far more than rounding


class Network:
    """A causal language model of transformers, from a folder."""

    def __init__(
        self, folder: Path, libraries: Libraries, *, precision: str, device: str, threads: int
    ) -> None:
        """Load a network.

        Args:
            folder: checked by `nlmt.pretrained.folder.model_files`.
            libraries: imported.
            precision: `float32` or `bfloat16`.
            device: `cpu` or `gpu`.
            threads: of the CPU.

        Raises:
            InputError: damaged or incomplete files; a model that transformers does not support, or
                that is not causal; no GPU.
        """
        self._torch = torch = libraries.torch
        self._threads = threads
        if device == "gpu" and not torch.cuda.is_available():
            raise InputError("device: gpu, but torch finds none", hint="device: cpu")
        try:
            model, loading = libraries.transformers.AutoModelForCausalLM.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
                dtype=getattr(torch, precision),
            )
        except MemoryError:
            raise
        except Exception as error:  # of many classes: damaged files, unknown architectures
            message = " ".join(str(error).split())
            raise InputError(f"transformers cannot load it: {message}", path=folder) from error
        missing = sorted(loading["missing_keys"])
        if missing:
            what = f"{len(missing)} parameters are missing, first {missing[0]}"
            raise InputError(what, path=folder, hint="it is not a language model, or incomplete")
        self._device = "cuda" if device == "gpu" else "cpu"
        model.config.use_cache = False
        self._model: Any = model.to(self._device).eval()
        self.most = self._most_positions()
        self.size = int(self._model.get_input_embeddings().num_embeddings)
        self._check_causal(folder)

    def score(self, batch: Sequence[Window], pad: int) -> list[NDArray[np.float64]]:
        """Natural-log probabilities of the sub-words of each window, from its first one.

        Args:
            batch: windows.
            pad: id for padding on the right, where a causal model does not see it.
        """
        torch = self._torch
        length = len(batch[0].ids)
        rows = [[*row.ids, *[pad] * (length - len(row.ids))] for row in batch]
        threads = torch.get_num_threads()
        torch.set_num_threads(self._threads)
        try:
            scores = self._log_probabilities(rows)
        finally:
            torch.set_num_threads(threads)
        return [
            scores[number, row.first - 1 : len(row.ids) - 1] for number, row in enumerate(batch)
        ]

    def _log_probabilities(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Log-probabilities (batch, length - 1) of every id but the first, given those before."""
        torch = self._torch
        with torch.inference_mode():
            ids = torch.tensor(rows, device=self._device)  # (batch, length)
            logits = self._model(input_ids=ids).logits  # (batch, length, V)
            scores = []
            # Row by row, to avoid a second array of this size.
            for own, words in zip(logits, ids[:, 1:], strict=True):
                exact = own[:-1].float()  # (length - 1, V)
                chosen = exact.gather(1, words[:, None])[:, 0]
                scores.append(chosen.double() - exact.logsumexp(1).double())
            result: NDArray[np.float64] = torch.stack(scores).cpu().numpy()
        return result

    def _most_positions(self) -> int | None:
        """Largest number of ids that the model can see at once; None: any number."""
        config = self._model.config.get_text_config()
        most = getattr(config, "max_position_embeddings", None)
        return most if isinstance(most, int) and most >= 2 else None

    def _check_causal(self, folder: Path) -> None:
        """Refuse a model whose predictions depend on later words.

        Raises:
            InputError: they do.
        """
        torch = self._torch
        last = min(self.size - 1, 2)
        with torch.inference_mode():
            ids = torch.tensor([[0, 1, 0, 0], [0, 1, 0, last]], device=self._device)
            logits = self._model(input_ids=ids).logits.float()
        if not torch.allclose(logits[0, :3], logits[1, :3], rtol=_TOLERANCE, atol=_TOLERANCE):
            what = "not a causal language model: its predictions depend on later words"
            raise InputError(what, path=folder, hint="use a decoder-only model")
