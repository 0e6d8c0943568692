"""`nlmt lattice`: inspect, prune and convert files of lattices."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from nlmt.cli.arguments import above_zero, positive, weights_for, weights_from, zero_or_more
from nlmt.cli.files import IN, IN_EITHER, OUT, OUT_EITHER, OUT_FOLDER
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import begins_with, read_lines
from nlmt.io.lattice import Lattice
from nlmt.io.lattice_file import LatticeFile, write_lattices
from nlmt.io.lattice_moses import read_search_graphs, write_search_graphs
from nlmt.io.lattice_nbest import nbest_lines
from nlmt.io.lattice_openfst import is_kaldi, read_kaldi, read_openfst, write_openfst
from nlmt.io.lattice_slf import read_slf, read_slf_folder, slf_files, write_slf_folder
from nlmt.io.lattice_text import value_names
from nlmt.io.weights import Weights

EPILOG = """\
IN is a file of `nlmt decode -output-lattice`, a Moses search graph (extended; it does not name its
features, so give the moses.ini as --weights), a lattice of HTK's format (.slf, .lat; ours, HTK's or
SRILM's) or a folder of them, a folder of OpenFst acceptors, or a text archive of Kaldi's lattices.
docs/formats.md describes the formats. Weights are those of the search unless --weights gives others
(weights.json, or a moses.ini); other features keep theirs.

examples:
  nlmt lattice info test.lattices
  nlmt lattice best test.lattices --weights weights.json > test.hyp
  nlmt lattice best test.lattices --nbest 100 --distinct
  nlmt lattice prune test.lattices small.lattices --beam 3 --density 30
  nlmt lattice convert graphs.osgx.gz test.lattices --weights moses.ini
  nlmt lattice convert test.lattices slf/ --to slf
"""
_WRITERS = {
    "lattice": write_lattices,
    "osgx": write_search_graphs,
    "slf": write_slf_folder,
    "openfst": write_openfst,
}


def check(options: Options) -> None:
    """Refuse options that do not fit together, and an output of another kind than the format."""
    if options.command == "prune" and options.beam is None and options.density is None:
        raise InputError("prune without a limit", hint="give --beam, --density or both")
    if options.command == "best" and options.distinct and not options.nbest:
        raise InputError("--distinct is for --nbest", hint="give both, or none")
    if options.command == "convert":
        folder = options.to in ("slf", "openfst")
        (OUT_FOLDER if folder else OUT).check(options.output)
        if options.input.is_dir() and options.input.resolve() == options.output.resolve():
            what = "input and output are the same folder"
            raise InputError(what, path=options.output, hint="give another one")


def run(options: Options) -> None:
    """Run one of the commands."""
    lattices = _read(options.input, options.weights)
    if options.command == "info":
        _info(options.input, lattices)
    elif options.command == "best":
        for lattice in lattices:
            if options.nbest:
                print("\n".join(nbest_lines(lattice, options.nbest, distinct=options.distinct)))
            else:
                print(lattice.text(lattice.best_path()))
    elif options.command == "prune":
        pruned = (some.prune(beam=options.beam, density=options.density) for some in lattices)
        write_lattices(options.output, pruned)
    else:
        _WRITERS[options.to](options.output, lattices)


def _read(path: Path, weights: Path | None) -> Iterator[Lattice]:
    """The lattices of a file or folder in any format, with the weights of a file if given."""
    if path.is_dir():
        if slf_files(path):
            found = read_slf_folder(path)
        elif any(path.glob("*.fst.txt")):
            found = read_openfst(path)
        else:
            raise InputError(
                "a folder without lattices", path=path, hint="*.slf, *.lat or *.fst.txt"
            )
    elif begins_with(path, b"nlmtlat"):
        found = iter(LatticeFile(path))
    elif _is_slf(path):
        found = iter([read_slf(path)])
    elif is_kaldi(path):
        found = read_kaldi(path)
    elif not _is_search_graph(path):
        hint = "a file of nlmt decode -output-lattice, an extended search graph, or a folder"
        raise InputError("neither lattices nor a search graph", path=path, hint=hint)
    elif weights is None:
        hint = "give --weights moses.ini"
        raise InputError("a search graph does not name its features", path=path, hint=hint)
    else:
        return read_search_graphs(path, weights_from(weights))
    return found if weights is None else _under(weights, found, path)


def _under(weights: Path, lattices: Iterator[Lattice], path: Path) -> Iterator[Lattice]:
    fitting: Weights | None = None
    for lattice in lattices:
        if fitting is None:
            fitting = weights_for(lattice.weights, weights, path)
        yield lattice.with_weights(fitting)


def _is_slf(path: Path) -> bool:
    lines = (line for line in read_lines(path) if not line.startswith("#"))
    return re.match("[A-Za-z]+=", next(lines, "")) is not None


def _is_search_graph(path: Path) -> bool:
    first = next(read_lines(path), "")
    return re.match("[0-9]+ hyp=", first) is not None


def _info(path: Path, lattices: Iterable[Lattice]) -> None:
    """Print counts over all lattices."""
    count = nodes = arcs = words = 0
    log_paths: list[float] = []
    names: list[str] = []
    for lattice in lattices:
        names = value_names(lattice.feature_names)
        count += 1
        nodes += lattice.nodes
        arcs += len(lattice)
        words += len(split_fields(lattice.text(lattice.best_path())))
        log_paths.append(lattice.log10_paths())
    print(f"lattices: {count}")
    print(f"nodes: {nodes}")
    print(f"arcs: {arcs} ({arcs / max(words, 1):.1f} for each word of the best paths)")
    print(f"paths: 10^{np.median(log_paths) if log_paths else 0:.1f} a lattice (median)")
    if path.is_file():
        print(f"bytes: {path.stat().st_size} ({path.stat().st_size / max(arcs, 1):.1f} an arc)")
    print(f"features: {' '.join(names)}")


def parser() -> Parser:
    """The arguments."""
    parser = Parser(
        prog="nlmt lattice", description="Inspect, prune and convert lattices.", epilog=EPILOG
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in (
        ("info", "print the sizes of the lattices"),
        ("best", "print the best translations, or n-best lists"),
        ("prune", "write a smaller file of lattices"),
        ("convert", "write another format"),
    ):
        command = commands.add_parser(name, help=purpose, description=purpose)
        add = command.add_argument
        add("input", type=IN_EITHER, metavar="IN", help="file or folder of lattices")
        if name in ("prune", "convert"):
            either = OUT_EITHER, "file, or folder for slf and openfst"
            kind, what = (OUT, "file") if name == "prune" else either
            add("output", type=kind, metavar="OUT", help=what)
        add("--weights", type=IN, help="weights.json or moses.ini")
        if name == "best":
            add("--nbest", type=positive, default=0, help="the N best of each sentence")
            add("--distinct", action="store_true", help="no two with equal words")
        if name == "prune":
            add("--beam", type=zero_or_more, help="keep paths at most X below the best one")
            add("--density", type=above_zero, metavar="N", help="arcs per word of the best path")
        if name == "convert":
            add("--to", choices=list(_WRITERS), default="lattice", help="format (lattice)")
    return parser
