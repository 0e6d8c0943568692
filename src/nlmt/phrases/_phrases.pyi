LONGEST_PHRASE: int
LONGEST_SENTENCE: int

class EncodedBitext:
    def __init__(self, folder: str, memory: int) -> None: ...
    def add(self, source: str, target: str, alignment: str) -> None: ...
    def finish(self) -> None: ...
    def __len__(self) -> int: ...

class Lexicon:
    def __init__(self, bitext: EncodedBitext, memory: int) -> None: ...
    def format(self, bitext: EncodedBitext, inverse: bool, first: int, count: int) -> str: ...
    def __len__(self) -> int: ...

class TableCounts:
    occurrences: int
    phrase_pairs: int

def extract_spans(
    source_length: int, target_length: int, alignment: str, max_length: int, tuples: bool = False
) -> list[tuple[int, int, int, int, int, int]]: ...
def write_tables(
    bitext: EncodedBitext,
    lexicon: Lexicon,
    tuples: bool,
    max_length: int,
    threads: int,
    memory: int,
    folder: str,
    phrase_table: str,
    reordering_table: str,
) -> TableCounts: ...
