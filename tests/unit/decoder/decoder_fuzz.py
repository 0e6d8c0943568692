"""Damaged models, input and flags: each run ends well, or in an InputError that names the file.

    python tests/unit/decoder/decoder_fuzz.py --seconds 600 --seed 7

A case is a small model made from a seed by a grammar, with a few structured or random damages. The
same seed and number make the same case. The case at hand lies in the folder, so that one that
crashes or hangs can be looked at.
"""

import argparse
import faulthandler
import gzip
import io
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from decoder_worlds import BIGRAMS

from nlmt.cli import run_command
from nlmt.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.long_runs import Record, add_option, cpu_seconds

PATIENCE = 60  # seconds that a case may take, under sanitizers on a busy machine
SOURCE = [b"le", b"chien", b"noir", b"dort", b"\xc3\xa9t\xc3\xa9", b"7", b"&amp;", b"|"]
TARGET = [b"the", b"dog", b"black", b"sleeps", b"summer", b".", b"</s>", b"<unk>"]
KINDS = {"msd": 3, "mslr": 4, "monotonicity": 2, "leftright": 2}
NUMBERS = [
    *("0", "1", "-1", "2", "-0", "+1", "007", "1e3", "0.5", ".5", "5.", "0x10", "1_000", "1,5"),
    *("nan", "NaN", "inf", "-inf", "infinity", "1e999", "1e-999", "1e-45", "-1e-999", "--1"),
    *("255", "256", "65535", "65536", str(2**31 - 1), str(2**31), str(-(2**31)), str(2**32)),
    *(str(2**63 - 1), str(2**64 - 1), str(2**64), str(10**30), "9" * 5000, "two"),
]
TOKENS = [
    *(number.encode() for number in NUMBERS),
    *b"||| |||||| || [ ] [feature] [weight] [stack] [input-factors] = = == name= path= #".split(),
    *b"0-0 0-1 1-0 255-255 256-0 0-4294967296 -0 0- 0-0-0 - a-b 65536-65536".split(),
    *b"type=msd type= num-features=0 num-features=9999999999 num-features=18446744073709551616 "
    b"table-limit=0 table-limit=-1 path=. path=/ path=nowhere name=LM0 name=TM0 factor=1".split(),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\xef\xbb\xbf"),
    *(b"\0", b"a\0b", b"\t", b"\r", b"\x0b", b"\xc2\xa0", b"x" * 70_000, b"\xc3\xa9" * 300),
    *(b"<s>", b"<wall/>", b"<zone>", b"</zone>", b"<", b">", b"</", b"/>", b"<x>", b"</x>"),
    *(b'<x translation="the dog" prob="0.5"> le </x>', b'<x translation="the||dog" prob="0.5||2">'),
    *(b'<x translation="', b'<x prob="nan" translation="a"> le </x>', b'<x length="99999999999"/>'),
    *(b'<x translation="the" prob="1e999"> noir dort </x>', b'<x translation=""> le </x>'),
    *(b"[decoding-graph-backoff]", b"[mapping]", b"0 T 1", b"1 T 0", b"T", b"[xml-input]"),
    *(b"le " * 300, b"dog " * 260, b"0.5 " * 200, b"0-0 " * 300),
]  # fmt: skip


Damage = Callable[[bytes, random.Random], bytes]
Change = Callable[[list[bytes], int, random.Random], None]  # of the part that has this number


@dataclass
class Case:
    """Files by name, flags of the command, and which of them were damaged."""

    files: dict[str, bytes]
    flags: list[str]
    damaged: set[str]


def make_case(seed: int, number: int) -> Case:
    """The case of this number, damaged or (rarely) not."""
    rng = random.Random(f"{seed} {number}")  # noqa: S311
    case = _grammar(rng)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        name = rng.choice(["table", "table", "order", "moses.ini", "input", "input", "flags"])
        case.damaged.add(name)
        if name == "flags":
            _damage_flags(case.flags, rng)
        else:
            for _ in range(rng.choice([1, 1, 2, 5])):
                case.files[name] = rng.choice(DAMAGES)(case.files[name], rng)
    case.files["input"] = b"\n".join(map(_tractable, case.files["input"].split(b"\n")))
    if rng.random() < 0.1:
        _damage_stream(case, rng)
    return case


def _tractable(line: bytes) -> bytes:
    """At most a hundred words, or too many: without a distortion limit hundreds take their time."""
    words = line.split(b" ")
    return line if len(words) > 4200 else b" ".join(words[:100])


def _phrase(words: list[bytes], rng: random.Random, longest: int) -> bytes:
    return b" ".join(rng.choices(words, k=rng.randint(1, longest)))


def _scores(count: int, rng: random.Random) -> bytes:
    return b" ".join(rng.choice([b"%g" % rng.random(), b"0", b"1", b"1e-40"]) for _ in range(count))


def _grammar(rng: random.Random) -> Case:
    """A model, input and flags without fault."""
    width = rng.randint(1, 4)
    kind = rng.choice(list(KINDS))
    direction = rng.choice(["bidirectional", "forward", "backward"])
    condition = rng.choice(["fe", "f"])
    orientations = KINDS[kind] * (1 + (direction == "bidirectional"))
    table, order = [], []
    for _ in range(rng.randint(1, 12)):
        source, target = _phrase(SOURCE, rng, 3), _phrase(TARGET, rng, 3)
        tail = rng.choice([b"", b" |||", b" ||| 0-0", b" ||| 0-0 ||| 1 1 1 ||| |||"])
        table.append(b"%s ||| %s ||| %s%s\n" % (source, target, _scores(width, rng), tail))
        key = source if condition == "f" else b"%s ||| %s" % (source, target)
        if rng.random() < 0.8:
            order.append(b"%s ||| %s\n" % (key, _scores(orientations, rng)))
    values = " ".join(f"{rng.uniform(-1, 1):.3g}" for _ in range(orientations))
    scores = " ".join(f"{rng.uniform(-1, 1):.3g}" for _ in range(width))
    ini = f"""[input-factors]
0
[mapping]
0 T 0
[distortion-limit]
{rng.randint(-1, 6)}
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM0 num-features={width} path=table input-factor=0 output-factor=0
LexicalReordering name=LR0 num-features={orientations} type=wbe-{kind}-{direction}-{condition}-allff path=order
Distortion
KENLM name=LM0 path=lm order=2
[weight]
WordPenalty0= -1
PhrasePenalty0= 0.2
TM0= {scores}
LR0= {values}
Distortion0= 0.3
LM0= 0.5
"""  # noqa: E501
    lines = [_phrase([*SOURCE, b"neu"], rng, 9) + b"\n" for _ in range(rng.randint(0, 4))]
    flags = ["-f", "moses.ini", "-i", "input"]
    for choice in CHOICES:
        if rng.random() < 0.2:
            flags += choice
    files = {"table": b"".join(table), "order": b"".join(order), "lm": BIGRAMS.encode()}
    return Case({**files, "moses.ini": ini.encode(), "input": b"".join(lines)}, flags, set())


CHOICES = [
    ["-threads", "3"], ["-search-algorithm", "1"], ["-s", "7"], ["-cube-pruning-pop-limit", "30"],
    ["-b", "0"], ["-dl", "2"], ["-drop-unknown"], ["-recombination-context", "3"], ["-t"],
    ["-ttable-limit", "0"], ["-max-trans-opt-per-coverage", "2"],
    ["-n-best-list", "list.gz", "20", "distinct"], ["-include-segmentation-in-n-best"],
    ["-print-alignment-info-in-n-best"], ["-weight-overwrite", "LM0= 0.1 WordPenalty0= 0"],
    ["-output-search-graph", "graph"], ["-output-search-graph-extended", "graph.gz"],
    ["-output-search-graph-hypergraph", "true", "gz", "hypergraphs"],
    ["-output-search-graph-slf", "slf"], ["-print-alignment-info"],
    ["-alignment-output-file", "aligned"], ["-output-unknowns", "unknown"], ["-show-weights"],
    ["-xml-input", "exclusive"], ["-xml-input", "inclusive"], ["-xml-input", "constraint"],
    ["-xml-input", "ignore"], ["-output-lattice", "lattice"],
    ["-output-lattice", "lattice", "-lattice-beam", "1.5", "-lattice-density", "3"], ["-lmbr"],
    ["-lmbr", "-mbr-size", "20", "-lmbr-p", "0.5", "-lmbr-pruning-factor", "2"],
    ["-start-translation-id", "7"],
]  # fmt: skip


def _damage_flags(flags: list[str], rng: random.Random) -> None:
    match rng.randrange(4):
        case 0:
            del flags[rng.randrange(len(flags))]
        case 1:
            flags.insert(rng.randrange(len(flags) + 1), rng.choice(["-foo", "-", "", "\xe9", "x"]))
        case 2:
            flags += [rng.choice(CHOICES)[0], rng.choice(NUMBERS)]
        case 3:
            numbers = [i for i, flag in enumerate(flags) if flag.lstrip("-").isdecimal()]
            if numbers:
                flags[rng.choice(numbers)] = rng.choice(NUMBERS)


def _on_parts(change: Change, separators: bytes, joint: bytes = b"") -> Damage:
    def damage(text: bytes, rng: random.Random) -> bytes:
        parts = re.split(separators, text)
        change(parts, rng.randrange(len(parts)), rng)
        return joint.join(parts)

    return damage


def _replace(parts: list[bytes], at: int, rng: random.Random) -> None:
    parts[at] = rng.choice(TOKENS)


def _insert(parts: list[bytes], at: int, rng: random.Random) -> None:
    parts.insert(at, b" " + rng.choice(TOKENS) + b" ")


def _delete(parts: list[bytes], at: int, rng: random.Random) -> None:
    del parts[at]


def _swap(parts: list[bytes], at: int, rng: random.Random) -> None:
    other = rng.randrange(len(parts))
    parts[at], parts[other] = parts[other], parts[at]


def _repeat(parts: list[bytes], at: int, rng: random.Random) -> None:
    parts[at:at] = [parts[at]] * rng.choice([1, 2, 40])


def _repeat_token(parts: list[bytes], at: int, rng: random.Random) -> None:
    parts[at] = b" ".join([parts[at][:10]] * rng.choice([2, 90, 5000]))


def _truncate(text: bytes, rng: random.Random) -> bytes:
    return text[: rng.randrange(len(text) + 1)]


def _flip(text: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(text) + 1)
    return text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]


def _crlf(text: bytes, rng: random.Random) -> bytes:
    return text.replace(b"\n", b"\r\n")


def _whole(text: bytes, rng: random.Random) -> bytes:
    wide = text.decode("latin1").encode("utf-16")
    return rng.choice([b"", b"\n", b" ", b"\n\n\n", b"\0", b"|||", wide])


TOKEN_CHANGES = [_replace, _replace, _replace, _insert, _delete, _swap, _repeat_token]
LINE_CHANGES = [_replace, _insert, _delete, _swap, _repeat]
DAMAGES: list[Damage] = [
    *(_on_parts(change, rb"([ \n=]+)") for change in TOKEN_CHANGES),
    *(_on_parts(change, b"\n", b"\n") for change in LINE_CHANGES),
    *(_truncate, _flip, _flip, _crlf, _whole),
]


def _damage_stream(case: Case, rng: random.Random) -> None:
    """Compress a file, perhaps badly. Only a name in .gz makes input be decompressed."""
    name = rng.choice(["table", "order", "input"])
    stream = gzip.compress(case.files[name], mtime=0)
    match rng.randrange(4):
        case 0:
            stream = stream[: rng.randrange(1, len(stream))]
        case 1:
            stream = _flip(stream, rng)
        case 2:
            stream += b"trailing"
        case 3:
            stream += stream
    case.damaged.add(name)
    if name == "input":
        case.flags[:] = ["input.gz" if flag == "input" else flag for flag in case.flags]
        case.files["input.gz"] = stream
    else:
        case.files[name] = stream


def check_case(case: Case, folder: Path) -> str:
    """Run a case in `folder`, which is the current one; returns how it ended, or raises."""
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    (folder / "flags").write_text("\n".join(case.flags))
    output = io.StringIO()
    try:
        with (
            redirect_stdout(output),
            redirect_stderr(io.StringIO()),
            mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(b"le\n"))),
        ):
            run_command("decode", case.flags)
    except InputError as error:
        _check_message(str(error), case)
        return "refused"
    except OSError:  # a file that cannot be written, which the command reports
        if "flags" not in case.damaged:
            raise
        return "refused"
    except SystemExit as end:
        if end.code != 0:
            raise
        return "help"
    if not case.damaged:
        lines = 0 if "-show-weights" in case.flags else case.files["input"].count(b"\n")
        assert "-show-weights" in case.flags or output.getvalue().count("\n") == lines
    return "translated"


def _check_message(message: str, case: Case) -> None:
    assert case.damaged, f"nothing is wrong: {message}"
    assert len(message) < 2000, f"too long: {message[:3000]}"
    assert "\n" not in message, f"not one line: {message!r}"
    if "flags" in case.damaged:
        return  # it may name the flag, or any file that the flag leads to
    names = "|".join(map(re.escape, case.files))
    assert re.match(rf"({names}): |({names}):\d+: ", message), f"names no file: {message}"
    if not re.search(
        "is empty|no such file|not UTF-8 text, but|not compressed with gzip", message
    ) and not message.startswith("moses.ini"):
        assert re.match(rf"({names}):\d+: ", message), f"names no line: {message}"


def _empty(folder: Path) -> None:
    """Remove what the last case left, which a damaged path might lead to."""
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()


def run_cases(folder: Path, seed: int, first: int, seconds: float, most: int) -> Counter[str]:
    """Run cases in `folder`, made the current one; returns how many ended in which way."""
    ends: Counter[str] = Counter()
    end = cpu_seconds() + seconds
    with chdir(folder):
        for number in range(first, first + most):
            if cpu_seconds() > end:
                break
            _empty(folder)
            (folder / "case").write_text(f"--seed {seed} --first {number} --cases 1\n")
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            try:
                ends[check_case(make_case(seed, number), folder)] += 1
            except BaseException as error:
                error.add_note(f"case: --seed {seed} --first {number} --cases 1, in {folder}")
                raise
            finally:
                faulthandler.cancel_dump_traceback_later()
    return ends


def main() -> None:
    """Run cases until the time is over; report how they ended."""
    parser = argparse.ArgumentParser(description="Run the decoder on damaged models.")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor (60)")
    parser.add_argument("--seed", type=int, default=1, help="what the cases are made from (1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--cases", type=int, default=10**9, help="how many at most")
    add_option(parser)
    given = parser.parse_args()
    record = Record(given.record, "decoder under sanitizers")
    folder = Path(tempfile.mkdtemp(prefix="nlmt-fuzz-"))
    print(f"seed {given.seed}; the case at hand lies in {folder}", flush=True)
    ends = run_cases(folder, given.seed, given.first, given.seconds, given.cases)
    record.add("damaged models, input and flags", ends.total(), "cases", 0)
    print(f"{ends.total()} cases: " + ", ".join(f"{n} {end}" for end, n in ends.most_common()))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
