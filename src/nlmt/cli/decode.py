"""`nlmt decode`: translate with a moses.ini, using Moses' flags."""

import logging
import math
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from nlmt.cli.arguments import fitting_weights, warn_of_unknown_words
from nlmt.cli.decode_flags import flag_parser, minimum_risk, search_options
from nlmt.cli.files import STANDARD, input_lines
from nlmt.cli.parser import Options
from nlmt.decoder import BestTranslation, Decoder, GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.search_options import LARGEST, SearchOptions
from nlmt.errors import UsageError
from nlmt.io.fields import parse_number, split_fields
from nlmt.io.files import atomic_path
from nlmt.io.lattice import is_fixed
from nlmt.io.weights import Weights

log = logging.getLogger(__name__)

parser = flag_parser


def check(flags: Options) -> None:
    """Refuse values that do not fit; set whether the translations are printed."""
    if flags.show_weights:
        flags.input_file = None  # so that the model may be standard input
    flags.threads = _threads(flags.threads)
    _nbest(flags), _graph(flags), _lattices(flags), minimum_risk(flags)
    search_options(SearchOptions(), flags)
    if not 0 <= flags.start_translation_id <= LARGEST:
        what = f"-start-translation-id {flags.start_translation_id}"
        raise UsageError(what, hint=f"from 0 to {LARGEST:,}")
    if flags.ttable_limit is not None and flags.ttable_limit > LARGEST:
        hint = f"at most {LARGEST:,}; 0: all"
        raise UsageError(f"-ttable-limit {flags.ttable_limit}", hint=hint)
    for assignment in flags.weight_overwrite:
        _weights(assignment)
    outputs = (
        *(flags.n_best_list or [])[:1],
        flags.output_search_graph,
        flags.output_search_graph_extended,
        flags.output_lattice,
        flags.alignment_output_file,
        flags.output_unknowns,
    )
    flags.print_translations = not any(path is not None and str(path) == "-" for path in outputs)


def run(flags: Options) -> None:
    """Translate, and write what the flags ask for."""
    weights = {} if flags.weights is None else fitting_weights(flags.weights, flags.config)
    started = time.perf_counter()
    decoder = Decoder(flags.config, table_limit=flags.ttable_limit, threads=flags.threads)
    decoder.search = search_options(decoder.search, flags)
    decoder.set_weights(weights)
    for assignment in flags.weight_overwrite:
        decoder.set_weights(_filled(_weights(assignment), decoder.weights()))
    if flags.show_weights:
        print("\n".join(_weight_lines(decoder)))
        return
    if flags.output_lattice is not None:
        _warn_of_untuneable(decoder)
    loaded = time.perf_counter()
    if flags.verbose > 0:
        log.info("model loaded in %.2f s", loaded - started)
    translations = decoder.translate(
        _lines(flags.input_file),
        nbest=_nbest(flags),
        graph=_graph(flags),
        lattices=_lattices(flags),
        risk=minimum_risk(flags),
        source="standard input" if flags.input_file == STANDARD else flags.input_file,
        first=flags.start_translation_id,
        line=1,
    )
    count, total = _write(translations, flags)
    if flags.verbose > 0 and count:
        seconds = time.perf_counter() - loaded
        log.info("%d sentences in %.2f s, mean model score %.4f", count, seconds, total / count)


def _write(translations: Iterable[BestTranslation], flags: Options) -> tuple[int, float]:
    """Print the translations; return their number and the sum of their model scores."""
    count, total, words, unknown = 0, 0.0, 0, 0
    with ExitStack() as stack:
        alignments = _side_file(flags.alignment_output_file, stack)
        unknowns = _side_file(flags.output_unknowns, stack)
        for best in translations:
            # Moses writes a space after each word.
            line = _with_space(best.traced if flags.report_segmentation else best.text)
            if flags.print_alignment_info:
                line += f"||| {_with_space(best.alignment)}"
            if flags.print_translations:
                print(line)
            if alignments is not None:
                print(_with_space(best.alignment), file=alignments)
            if unknowns is not None:
                print(_with_space(" ".join(best.unknown)), file=unknowns)
            words += best.words
            unknown += len(best.unknown)
            count += 1
            total += best.score
            if flags.verbose > 1:
                facts = (best.words, best.options, best.hypotheses, best.score)
                log.info(
                    f"sentence {count}: %d words, %d options, %d hypotheses, score %.4f", *facts
                )
            if not best.found:
                log.warning("sentence %d: walls and zones leave no translation", count)
    hint = "is it prepared as the training text? nlmt translate takes raw text, and nlmt text "
    hint += "tokenise prepares it"
    warn_of_unknown_words(unknown, words, hint)
    return count, total


def _with_space(text: str) -> str:
    return f"{text} " if text else ""


def _side_file(path: Path | None, stack: ExitStack) -> TextIO | None:
    if path is None:
        return None
    place = stack.enter_context(atomic_path(path))
    return stack.enter_context(place.open("w", encoding="utf-8", newline="\n"))


def _lines(path: Path) -> Iterable[str]:
    """A file's lines as a list, so that progress knows their number; a pipe's lines lazily."""
    lines = input_lines(path)
    return list(lines) if path != STANDARD and path.is_file() else lines


def _threads(given: str) -> int:
    if given == "all":
        return len(os.sched_getaffinity(0))
    if not re.fullmatch("[0-9]{1,4}", given) or int(given) < 1:
        raise UsageError(f"-threads {given}", hint="a number from 1 to 9999, or all")
    return int(given)


def _nbest(flags: Options) -> NbestRequest | None:
    if flags.n_best_list is None:
        return None
    given = [str(value) for value in flags.n_best_list]
    size = given[1] if len(given) > 1 else ""
    known = given[2:] in ([], ["distinct"])
    if not re.fullmatch("[0-9]{1,10}", size) or int(size) < 1 or not known:
        raise UsageError(f"-n-best-list {' '.join(given)}", hint="FILE N [distinct]")
    return NbestRequest(
        Path(given[0]),
        int(size),
        distinct=len(given) > 2,
        segmentation=bool(flags.include_segmentation_in_n_best),
        alignment=bool(flags.print_alignment_info_in_n_best),
        labels=flags.labeled_n_best_list is not False,
    )


def _graph(flags: Options) -> GraphRequest | None:
    plain, extended = flags.output_search_graph, flags.output_search_graph_extended
    hypergraph, slf = flags.output_search_graph_hypergraph, flags.output_search_graph_slf
    if plain is extended is hypergraph is slf is None:
        return None
    folder, kind = None, "gz"
    if hypergraph is not None:
        switch, kind, folder = map(str, hypergraph)
        if switch != "true" or kind not in ("gz", "txt"):
            raise UsageError(
                f"-output-search-graph-hypergraph {' '.join(map(str, hypergraph))}",
                hint="true gz FOLDER, or true txt FOLDER",
            )
    return GraphRequest(
        plain=plain,
        extended=extended,
        hypergraphs=None if folder is None else Path(folder),
        compressed=kind == "gz",
        slf=slf,
    )


def _lattices(flags: Options) -> LatticeRequest | None:
    if flags.output_lattice is None:
        for name in ("lattice-beam", "lattice-density"):
            if getattr(flags, name.replace("-", "_")) is not None:
                raise UsageError(f"-{name} without -output-lattice", hint="-output-lattice FILE")
        return None
    beam, density = flags.lattice_beam, flags.lattice_density
    return LatticeRequest(
        flags.output_lattice,
        math.inf if beam is None else beam,
        math.inf if density is None else density,
    )


def _weights(assignment: str) -> dict[str, list[float | None]]:
    """Parse weights such as `LM0= 0.5 TranslationModel0= 0.2 x 0.2 0.2`; x, or None, is kept."""
    weights: dict[str, list[float | None]] = {}
    label = ""
    for word in split_fields(assignment):
        if word.endswith("="):
            label = word[:-1]
            weights[label] = []
            continue
        try:
            weights[label].append(None if word == "x" else parse_number(word))
        except (KeyError, ValueError) as error:
            place = f"is no weight of {label}" if label else "has no label before it"
            what = f"-weight-overwrite: '{word}' {place}"
            raise UsageError(what, hint='"LM0= 0.5 Distortion0= 0.3"') from error
    return weights


def _filled(given: Mapping[str, Sequence[float | None]], present: Weights) -> Weights:
    """The given weights, with the present ones where they are to be kept."""

    def kept(label: str, place: int) -> float:
        try:
            return present[label][place]
        except (KeyError, IndexError) as error:
            what = f"-weight-overwrite: {label} has no weight {place + 1} that x could keep"
            raise UsageError(what, hint="-show-weights prints the weights") from error

    return {
        label: [kept(label, i) if value is None else value for i, value in enumerate(values)]
        for label, values in given.items()
    }


def _warn_of_untuneable(decoder: Decoder) -> None:
    """Log a warning if tuning on lattices, which have all values, would change fixed weights."""
    fixed = [
        label
        for label, values in decoder.tuneable.items()
        if not all(values) and not is_fixed(label)
    ]
    if fixed:
        what = "%s: not all of its values are tuneable, but lattices have them, and nlmt tune "
        what += "--lattice changes their weights, unless --tune names others"
        log.warning(what, " ".join(fixed))


def _weight_lines(decoder: Decoder) -> list[str]:
    """The lines of -show-weights, which tell mert-moses.pl the weights to tune."""
    weights, tuned = decoder.weights(), [label for label, _ in decoder.feature_names]
    lines = []
    for label in tuned:
        values = zip(weights[label], decoder.tuneable[label], strict=True)
        words = (f"{weight:.6f}" if one else "UNTUNEABLECOMPONENT" for weight, one in values)
        lines.append(f"{label}= {_with_space(' '.join(words))}")
    return lines + [f"{label} UNTUNEABLE" for label in weights if label not in tuned]
