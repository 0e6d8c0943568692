"""`nlmt rescore`: add language-model scores to a Moses n-best list."""

import argparse
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.weights import read_weights
from nlmt.rescoring import load_language_model, rerank, rescore

EPILOG = """\
The scores are natural logs of whole sentences, </s> counted, as Moses writes those of its own
models; everything else in the list stays as it is. Without --model the list is only reranked.

examples:
  nlmt rescore --model lm/oxlm --nbest test.nbest.gz --out test.rescored.gz
  nlmt rescore --model lm/oxlm --model lm/big.binary --label NLM0 --label KEN0 \\
      --nbest test.nbest.gz --out test.rescored.gz
  nlmt rescore --nbest test.rescored.gz --weights weights.json --one-best test.hyp
"""


def run(arguments: list[str]) -> int:
    """Rescore a list, rerank it, or both."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if bool(options.model) != bool(options.out):
        parser.error("--model and --out go together")
    if not options.model and not options.one_best:
        parser.error("nothing to do: give --model and --out, or --one-best, or all of them")
    if options.one_best and not options.weights:
        parser.error("--one-best needs --weights")
    if options.sort and not options.weights:
        parser.error("--sort needs --weights")
    labels = options.label or [f"NLM{i}" for i in range(len(options.model))]
    if len(labels) != len(options.model) or len(set(labels)) != len(labels):
        parser.error("each --model needs a --label of its own")
    weights = None if options.weights is None else read_weights(options.weights)
    nbest = options.nbest
    if options.model:
        if options.out.resolve() == nbest.resolve():
            raise InputError("input and output are the same file", path=nbest)
        models = {
            label: load_language_model(path, threads=options.threads)
            for label, path in zip(labels, options.model, strict=True)
        }
        counts = rescore(nbest, models, options.out, weights=weights, sort=options.sort)
        for label, asked in counts.items():
            print(f"{label}: {asked}")
        nbest = options.out
    if options.one_best:
        write_lines(options.one_best, rerank(nbest, weights or {}, sentences=options.sentences))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nlmt rescore",
        description="Add language-model scores to a Moses n-best list; choose the best hypotheses.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--nbest", type=Path, required=True, help="the list, plain or gzip")
    add(
        "--model",
        type=Path,
        action="append",
        default=[],
        help="folder of a neural model, or a .binary or .arpa file; may be repeated",
    )
    add(
        "--label",
        action="append",
        help="label of the model's feature, in the order of the models (default: NLM0, NLM1, ...);"
        " a label that the list has is replaced",
    )
    add("--out", type=Path, help="the list with the new scores, compressed if it ends in .gz")
    add("--weights", type=Path, help='weights.json ({"weights": {"LM0": [0.5], ...}}): new totals')
    add("--sort", action="store_true", help="order each sentence's list by the new totals")
    add("--one-best", type=Path, help="write the best hypothesis of each sentence; needs --weights")
    add("--sentences", type=int, help="number of input sentences (default: by the list's last)")
    add("--threads", type=int, default=1, help="threads of a neural model (default: 1)")
    return parser
