"""The networks of pretrained models, which give log-probabilities of sub-words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.pretrained.batches import Window
from nlmt.pretrained.folder import CONFIG
from nlmt.pretrained.libraries import Libraries
from nlmt.pretrained.settings import PretrainedSettings

_TOLERANCE = 1e-2  # of logits, far more than rounding


class Network:
    """A network of transformers, from a folder."""

    def __init__(
        self, settings: PretrainedSettings, libraries: Libraries, kind: str, threads: int
    ) -> None:
        """Load a network.

        The folder of the settings is checked by `nlmt.pretrained.folder.model_files`; `kind` is the
        class of transformers that loads it.

        Raises:
            InputError: damaged or incomplete files; a model that transformers does not support; no
                GPU.
        """
        folder = Path(settings.path)
        self._torch = torch = libraries.torch
        self._threads = threads
        if settings.device == "gpu" and not torch.cuda.is_available():
            raise InputError("device: gpu, but torch finds none", hint="device: cpu")
        try:
            model, loading = getattr(libraries.transformers, kind).from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
                dtype=getattr(torch, settings.precision),
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
        self._device = "cuda" if settings.device == "gpu" else "cpu"
        model.config.use_cache = False
        self._model: Any = model.to(self._device).eval()
        self.most = self._most_positions()
        self.size = int(self._model.get_input_embeddings().num_embeddings)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Let torch compute with our number of threads, and without gradients."""
        threads = self._torch.get_num_threads()
        self._torch.set_num_threads(self._threads)
        try:
            with self._torch.inference_mode():
                yield
        finally:
            self._torch.set_num_threads(threads)

    def _chosen(self, logits: Any, words: Any) -> NDArray[np.float64]:
        """Log-probabilities (batch, length) of words (batch, length) by logits, V for each.

        Logits may have further columns on the right.
        """
        scores = []
        # Row by row, to avoid a second array of this size.
        for own, ids in zip(logits, words, strict=True):
            exact = own[: len(ids)].float()  # (length, V)
            found = exact.gather(1, ids[:, None])[:, 0]
            scores.append(found.double() - exact.logsumexp(1).double())
        result: NDArray[np.float64] = self._torch.stack(scores).cpu().numpy()
        return result

    def _most_positions(self) -> int | None:
        """Largest number of ids that the model can see at once; None: any number."""
        config = self._model.config.get_text_config()
        most = getattr(config, "max_position_embeddings", None)
        return most if isinstance(most, int) and most >= 2 else None


class CausalNetwork(Network):
    """A causal language model."""

    def __init__(self, settings: PretrainedSettings, libraries: Libraries, threads: int) -> None:
        """Load a network.

        Raises:
            InputError: as of `Network`; a model that is not causal.
        """
        folder = Path(settings.path)
        if read_json(folder / CONFIG).get("is_encoder_decoder"):
            what = "an encoder-decoder model: it scores translations given their source"
            raise InputError(what, path=folder / CONFIG, hint="set source_language")
        super().__init__(settings, libraries, "AutoModelForCausalLM", threads)
        self._check_causal(folder)

    def score(self, batch: Sequence[Window]) -> list[NDArray[np.float64]]:
        """Natural-log probabilities of the sub-words of each window, from its first one."""
        length = len(batch[0].ids)
        # A causal model does not see what is on the right, of whatever id.
        rows = [[*row.ids, *[0] * (length - len(row.ids))] for row in batch]
        with self._at_work():
            ids = self._torch.tensor(rows, device=self._device)  # (batch, length)
            scores = self._chosen(self._model(input_ids=ids).logits, ids[:, 1:])
        return [
            scores[number, row.first - 1 : len(row.ids) - 1] for number, row in enumerate(batch)
        ]

    def _check_causal(self, folder: Path) -> None:
        """Refuse a model whose predictions depend on later words."""
        torch = self._torch
        last = min(self.size - 1, 2)
        with self._at_work():
            ids = torch.tensor([[0, 1, 0, 0], [0, 1, 0, last]], device=self._device)
            logits = self._model(input_ids=ids).logits.float()
        if not torch.allclose(logits[0, :3], logits[1, :3], rtol=_TOLERANCE, atol=_TOLERANCE):
            what = "not a causal language model: its predictions depend on later words"
            raise InputError(what, path=folder, hint="use a decoder-only model")


class TranslationNetwork(Network):
    """An encoder-decoder model."""

    def __init__(self, settings: PretrainedSettings, libraries: Libraries, threads: int) -> None:
        """Load a network.

        Raises:
            InputError: as of `Network`; a model without an encoder; a configuration
                whose first symbol the model lacks.
        """
        folder = Path(settings.path)
        if not read_json(folder / CONFIG).get("is_encoder_decoder"):
            what = "source_language: the model is no encoder-decoder model"
            raise InputError(what, path=folder / CONFIG, hint="leave source_language out")
        super().__init__(settings, libraries, "AutoModelForSeq2SeqLM", threads)
        begin = self._model.generation_config.decoder_start_token_id
        if begin is None:
            begin = getattr(self._model.config, "decoder_start_token_id", None)
        self._begin = begin  # None: translations begin with their last symbol, the language (mBART)
        self.target_size = int(self._model.get_output_embeddings().out_features)
        if begin is not None and not (isinstance(begin, int) and 0 <= begin < self.target_size):
            what = f"decoder_start_token_id {begin} is not a sub-word of the network"
            raise InputError(what, path=folder, hint="its configuration is damaged")

    def score(
        self, source: Sequence[int], targets: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float64]]:
        """Natural-log probabilities of the sub-words of translations of one source sentence.

        Args:
            source: ids of its sub-words, with the tokeniser's additions.
            targets: ids of each translation, the longest first; padding on the right is not seen.
        """
        length = len(targets[0])
        begin = targets[0][-1] if self._begin is None else self._begin
        rows = [[*ids, *[begin] * (length - len(ids))] for ids in targets]
        with self._at_work():
            words = self._torch.tensor(rows, device=self._device)  # (batch, length)
            seen = self._torch.full_like(words, begin)
            seen[:, 1:] = words[:, :-1]
            ids = self._torch.tensor([source], device=self._device)
            encoded = self._model.get_encoder()(input_ids=ids)
            encoded.last_hidden_state = encoded.last_hidden_state.expand(len(rows), -1, -1)
            logits = self._model(encoder_outputs=encoded, decoder_input_ids=seen).logits
            scores = self._chosen(logits, words)
        return [scores[number, : len(ids)] for number, ids in enumerate(targets)]
