"""Where the papers' texts print the published values: tables, sections, and words of the prose.

All texts, and all strings of this module, are compared in one normal form (`plain`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from nlmt.papers.published import LEVELS

TEXTS = Path(__file__).parents[4] / "shared/papers"
FILES = {
    "auli2013": "auli2013.txt",
    "baltescu2015": "baltescu2015-b.txt",
    "luong2015": "luong2015.txt",
    "schwenk2010": "schwenk2010.txt",
}

# What begins each section in the text, in the order of the text; Auli et al.'s has no numbers.
SECTIONS = {
    "auli2013": {
        "1": "Introduction",
        "2": "Model Structure",
        "3": "Lattice Rescoring with an Unbounded Language Model",
        "4": "Language Model Experiments",
        "5": "Joint Model Experiments",
        "5.1": "Foreign Sentence Representations",
        "5.2": "Results",
        "5.3": "Oracle Experiment",
        "5.4": "Target Language Projections",
        "6": "Related Work",
    },
    "baltescu2015": {
        "5": "5 Training",
        "6": "6 Diagonal Context Matrices",
        "7": "7 Quality vs. Memory Trade-off",
        "8": "8 Conclusion",
        "references": "References",
    },
    "luong2015": {
        "3": "## **3** Experiments",
        "3.1": "#### 3.1 Data",
        "3.2": "## 3.2 NLM Training",
        "3.3": "## 3.3 MT Reranking with NLMs",
        "3.4": "## 3.4 Results",
        "3.5": "#### 3.5 Domain Adaptation",
        "4": "## 4 Analysis",
        "4.1": "#### 4.1 NLM Training",
        "4.2": "## 4.2 Reranking Settings",
        "5": "# 5 Related Work",
    },
    "schwenk2010": {
        "1": "1. Introduction",
        "2": "2. Architecture of the continuous space language model",
        "3": "3. Implementation details",
        "4": "4. Experimental evaluation",
        "5": "5. Conclusion",
    },
}


@dataclass(frozen=True)
class Printed:
    """A table as the text of its paper prints it.

    Attributes:
        heading: the lines above the first row.
        spelling: how the text spells a row, or a level of a column, of ours, where not alike; ""
            for a level that the heading does not print.
        end: what follows the last row, where it is not the caption.
        between_rows: what separates rows.
    """

    heading: str
    spelling: Mapping[str, str] = field(default_factory=dict)
    end: str = ""
    between_rows: str = "\n"


_LUONG_METRICS = {"TER": "T↓", "BLEU": "B↑"}
PRINTED = {
    # The text has lost the caption and the line ends of this table, and one of the two lines of its
    # heading: both columns have p(e|f) removed, the second also the p(f|e) that stands before them.
    ("auli2013", "table6"): Printed(
        "?p( f |e ) ?p( e|f ) ?p( e|f )",
        {"without p(e|f)": "?p( e|f )", "without p(e|f) and p(f|e)": "?p( e|f )"},
        end="model .\nThe lowest perplexity",
        between_rows=" + ",
    ),
    ("baltescu2015", "table1"): Printed("Model Training Exact Decoding"),  # formulas
    ("baltescu2015", "table2"): Printed(
        "Language pairs # tokens # sentences", {"tokens": "# tokens", "sentences": "# sentences"}
    ),
    ("baltescu2015", "table3"): Printed(
        "Language # tokens Vocabulary",
        {
            "tokens": "# tokens",
            "fr-en / English": "English (en)",
            "en-cs / Czech": "Czech (cs)",
            "en-de / German": "German (de)",
        },
    ),
    # The caption says which numbers are perplexities.
    ("baltescu2015", "table4"): Printed("Model fr→en en→cs en→de", {"BLEU": "", "perplexity": ""}),
    ("baltescu2015", "table5"): Printed("Normalisation fr→en en→cs en→de"),
    ("baltescu2015", "table6"): Printed("Normalisation fr→en en→cs en→de"),
    ("baltescu2015", "table7"): Printed("Normalisation Clustering BLEU"),
    ("baltescu2015", "table8"): Printed("Model Average decoding time"),
    ("baltescu2015", "table9"): Printed("Training Perplexity BLEU Duration"),
    ("baltescu2015", "table10"): Printed("Model Training time"),
    ("baltescu2015", "table11"): Printed("Contexts Perplexity BLEU Training time"),
    ("luong2015", "table1"): Printed(
        r"$\mathbf{M}$ lodels Valid Test $ \log Z $", {"abs. log Z": r"\log Z"}
    ),
    ("luong2015", "table2"): Printed(
        "System d ev te st1 tes st2\nSystem T↓ B↑ T↓ B↑ T↓ B↑",
        {**_LUONG_METRICS, "test2": "tes st2"},
    ),
    # The caption says what the numbers beside the rows' names are.
    ("luong2015", "table3"): Printed(
        "System dev test\nT↓ B↑ T↓ B↑", {**_LUONG_METRICS, "perplexity": "", "abs. log Z": ""}
    ),
    ("luong2015", "table4"): Printed("All LMs + WP LMs"),
    ("schwenk2010", "table1"): Printed("Phrase-based N-gram-based\nRef. CSLM Ref. CSLM"),
    ("schwenk2010", "table2"): Printed("Back-off TM+LM neural TM neural LM neural TM+LM"),
}

# Tables that the text of the paper has lost.
LOST = {("auli2013", f"table{number}") for number in (1, 2, 3, 4, 5, 7, 8)}

# Words of the text around each value that no table of the text prints, with no other number; and
# around one of table 6, whose heading does not tell its columns apart.
QUOTES = {
    "auli2013": {
        ("table6", "Baseline", "all channel features"): "all channel model features ( 24.7 BLEU )",
        ("table6", "Baseline without CM", "without p(e|f) and p(f|e)"): (
            "diminishing baseline accuracy to 22.5 BLEU"
        ),
        ("table7", "oracle vs. Baseline", "BLEU"): "up to 4.3 BLEU above the baseline",
        ("table7", "oracle vs. target-only", "perplexity"): "up to 65 % over the target-only model",
        ("table8", "transform vs. Baseline", "best test set"): "improve accuracy by up to 1.5 BLEU",
        ("table8", "transform vs. Baseline", "average"): (
            "by 1.1 BLEU on average across all test sets over the decoder"
        ),
        ("table8", "transform vs. target-only", "average"): (
            "recurrent neural network language model on all test sets and by 0.2 BLEU on average"
        ),
        ("table8", "transform", "cosine, training"): "similarity of 0.816 on the training data",
        ("table8", "transform", "cosine, validation"): "0.757 on the validation data",
        ("table8", "transform", "cosine, test"): "and 0.749 on news",
        ("table1", "lattices / k = 1", "time that rescoring adds"): (
            "adds an overhead of about 54 %"
        ),
        ("table2", "RNN / most text", "gain, best test set"): (
            "accuracy improved by up to 0.7 BLEU on French - English"
        ),
        ("text", "long n-gram context vs. usual context / smallest", "BLEU"): (
            "accuracy dropped by between 0.5"
        ),
        ("text", "long n-gram context vs. usual context / largest", "BLEU"): "- 1.0 BLEU",
        ("text", "fr-en / parallel text", "size"): (
            "102 m words of parallel data for French - English"
        ),
        ("text", "de-en / parallel text", "size"): (
            "91 m words for German-English and English - German"
        ),
        ("text", "en-de / parallel text", "size"): (
            "91 m words for German-English and English - German"
        ),
        ("text", "fr-en / language model text", "size"): (
            "French -English and German- English we use a language model based on 1.15 bn words"
        ),
        ("text", "de-en / language model text", "size"): (
            "French -English and German- English we use a language model based on 1.15 bn words"
        ),
        ("text", "en-de / language model text", "size"): (
            "for English - German we train a model on 327 m words"
        ),
        ("text", "tuning set", "size"): "data set comprising 2525 sentences",
        ("text", "smallest test set", "size"): "containing between 2034",
        ("text", "largest test set", "size"): "- 3003 sentences",
        ("text", "all test sets", "size"): "over all test sets ( 7526 sentences )",
        ("text", "RNN / little text", "training time"): "trained in only about 3.5 hours",
        ("text", "RNN / most text", "training time"): "words took 63 hours to train",
        ("text", "n-gram model text vs. RNN text", "size"): "up to 575 times more data",
    },
    "baltescu2015": {
        ("figure2", "back-off / all text", "memory"): "requires 12 GB of memory",
        (
            "figure2",
            "neural / D of the tables",
            "memory",
        ): "throughout this paper are roughly 400 MB",
        ("figure2", "back-off / all text", "BLEU"): "KenLM 33.01",
        ("figure2", "neural / D of the tables", "BLEU"): "Class Factored 31.55",
        ("figure2", "neural vs. back-off / under 1 GB", "BLEU"): (
            "(over 1 BLEU point) when there is under 1 GB of memory"
        ),
        ("figure2", "back-off vs. neural / largest models", "BLEU"): "over 0.5 BLEU in our",
        ("text", "Diagonal vs. Full / Unnormalised", "decoding speed-up"): (
            "up for unnormalised models is over 100x"
        ),
    },
    "luong2015": {
        ("figure1", "1 layer vs. 2 layers", "mean gap from minibatch 30K on"): "consistently 40.1",
        ("figure1", "2 layers vs. 3 layers", "mean gap from minibatch 30K on"): "1.1, and",
        ("figure1", "3 layers vs. 4 layers", "mean gap from minibatch 30K on"): "and 2.0.",
        ("text", "bitext / sentences", "size"): "with 11.1M parallel sentences",
        ("text", "bitext / source", "size"): "(281M Chinese words",
        ("text", "bitext / target", "size"): "307M English words)",
        ("text", "validation set", "size"): "585 sentences for validation",
        ("text", "test set", "size"): "1124 sentences for testing",
        ("text", "further text", "size"): "16.3-billion-word monolingual corpus",
        ("text", "decoder tuning set", "size"): "tuning set of 396K words",
        ("text", "reranking tuning set", "size"): (
            "second tuning set consists of 33K words of web-forum text"
        ),
        ("text", "sms-chat / decoder tuning set", "size"): (
            "For the sms-chat domain, we use a tune set of 260K words"
        ),
        ("text", "sms-chat / reranking tuning set", "size"): (
            "8K words set to tune reranking weights"
        ),
        ("text", "sms-chat / bitext / sentences", "size"): "consists of 146K sentences",
        ("text", "sms-chat / bitext / source", "size"): "(1.6M Chinese",
        ("text", "sms-chat / bitext / target", "size"): "1.9M English words)",
        ("text", "sms-chat / validation set", "size"): "3000 sentences for validation",
        ("text", "sms-chat / test set", "size"): "3000 sentences for test",
        ("text", "training", "speed"): "is about 1000 target words per second",
        ("text", "deep vs. baseline / mean of test1 and test2", "TER"): (
            "1.0 TER / 1.0 BLEU points over the baseline"
        ),
        ("text", "deep vs. baseline / mean of test1 and test2", "BLEU"): (
            "1.0 TER / 1.0 BLEU points over the baseline"
        ),
        ("text", "deep vs. 1 layer / mean of test1 and test2", "TER"): (
            "0.5 TER / 0.5 BLEU points over the system reranked with the"
        ),
        ("text", "deep vs. 1 layer / mean of test1 and test2", "BLEU"): (
            "0.5 TER / 0.5 BLEU points over the system reranked with the"
        ),
    },
    "schwenk2010": {
        ("text", "Ar-En / NIST / back-off LM", "BLEU"): (
            "reference system achieves a BLEU score of 47.02"
        ),
        ("text", "Ar-En / NIST / CSLM", "BLEU"): "improves the BLEU score to 47.90",
        ("text", "short-list of the CSLM", "share of requests"): (
            "cover about 90% of the LM requests"
        ),
    },
}

_MARKS = re.compile(r"<sup>[†‡]</sup>|\^\{\\dagger\}|[†‡$(),]|\+(?=\d)")
_ARROW = re.compile(r"→|(?<=\w)/(?=\w)")  # between the languages of a pair
_MULTIPLES = {"k": 3, "m": 6, "b": 9, "bn": 9, "billion": 9}  # powers of ten
_MULTIPLE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)[ -]?(k|m|bn?|billion)\b", re.IGNORECASE)
_UNIT = re.compile(r"(?<=\d) (s|days)$")


def plain(text: str) -> str:
    """The normal form: one space between words, no marks beside numbers, numbers written out."""
    text = _ARROW.sub("-", _MARKS.sub(" ", text))
    text = _MULTIPLE.sub(_written_out, text)
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def _written_out(match: re.Match[str]) -> str:
    number, multiple = match.groups()
    return f"{(Decimal(number) * 10 ** _MULTIPLES[multiple.lower()]).normalize():f}"


@cache
def text_of(paper: str) -> str:
    """A paper's text in the normal form; skips the test where the machine has no texts."""
    path = TEXTS / FILES[paper]
    if not path.exists():
        pytest.skip(f"no text of the paper: {path}")
    return plain(path.read_text(encoding="utf-8"))


def printed_body(text: str, table: str, printed: Printed) -> str:
    """What the text has between a table's heading and its end."""
    caption = rf"^Table {table.removeprefix('table')}[:.]"
    end = re.escape(plain(printed.end)) or caption
    (match,) = re.finditer(end, text, re.MULTILINE)
    before = text[: match.start()]
    heading = plain(printed.heading)
    return before[before.rindex(heading) + len(heading) :]


def printed_rows(text: str, table: str, printed: Printed) -> list[str]:
    """Each part of a table's body that has a number: label and values."""
    rows = printed_body(text, table, printed).split(printed.between_rows)
    return [_UNIT.sub("", row.strip()) for row in rows if re.search(r"\d", row)]


def spelled_row(row: str, values: list[str], printed: Printed) -> str:
    """A row of ours as `printed_rows` has it."""
    label = printed.spelling.get(row, row.replace(LEVELS, " "))
    return " ".join([plain(label), *values])


def printed_heading(printed: Printed) -> list[str]:
    """The lines of a table's heading without white space, which the texts have inside words."""
    return ["".join(line.split()) for line in plain(printed.heading).splitlines()]


def spelled_heading(columns: list[str], printed: Printed) -> list[str]:
    """How columns of ours are printed, a line a level; a level over several columns stands once."""
    paths = [column.split(LEVELS) for column in columns]
    lines = []
    for depth in range(1, max(map(len, paths)) + 1):
        labels = groupby(path[:depth] for path in paths if len(path) >= depth)
        spelled = (printed.spelling.get(label, label) for (*_, label), _ in labels)
        lines.append("".join(plain("".join(spelled)).split()))
    return [line for line in lines if line]


def places(paper: str, where: str) -> list[str]:
    """The parts of a text that `where` names, such as `page 824` or `section 7, table 6`."""
    text = text_of(paper)
    parts = []
    for place in where.split(", "):
        kind, number = place.split(" ")
        if kind == "page":
            part = text.split(f"\n{int(number) - 1}\n")[1].split(f"\n{number}\n")[0]
        elif kind == "footnote":
            (part,) = re.findall(rf"^<sup>\S*>{number}</sup>.*$", text, re.MULTILINE)
        elif kind == "table":
            part = printed_body(text, f"table{number}", PRINTED[paper, f"table{number}"])
        else:
            part = _section(text, SECTIONS[paper], number)
        parts.append(" ".join(part.split()))
    return parts


def _section(text: str, headings: Mapping[str, str], wanted: str) -> str:
    """A section with those inside it."""
    begins: dict[str, int] = {}
    begin = 0
    for number, heading in headings.items():
        begin = text.index(f"\n{plain(heading)}", begin)
        begins[number] = begin
        begin += 1
    inside = [number for number in begins if f"{number}.".startswith(f"{wanted}.")]
    ends = [at for number, at in begins.items() if at > begins[inside[-1]]]
    return text[begins[wanted] : min(ends)]
