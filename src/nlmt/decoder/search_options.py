"""Options of the decoder's search: cube pruning or stacks, and their limits."""

from collections.abc import Mapping
from dataclasses import dataclass

from nlmt.decoder._decoder import MarkupPolicy
from nlmt.errors import InputError

LARGEST = 10**9  # of any count or weight
# policies of -xml-input for tags in the input
MARKUP: Mapping[str, MarkupPolicy] = {
    "pass-through": MarkupPolicy.PASS_THROUGH,
    "ignore": MarkupPolicy.IGNORE,
    "exclusive": MarkupPolicy.EXCLUSIVE,
    "inclusive": MarkupPolicy.INCLUSIVE,
    "constraint": MarkupPolicy.CONSTRAINT,
}


@dataclass(frozen=True)
class SearchOptions:
    """Options of the search; the defaults are Moses', and so is that a negative limit is none.

    Attributes:
        cube_pruning: cube pruning (`-search-algorithm 1`) instead of plain stacks (0).
        stack: hypotheses kept per stack (`-s`); 0: all.
        pop_limit: hypotheses that cube pruning makes per stack (`-cube-pruning-pop-limit`).
        beam_threshold: a hypothesis is kept if its estimated probability is at least this fraction
            of the best one's in its stack (`-b`); 0 keeps all.
        distortion_limit: words from the end of one source phrase to the next (`-dl`); -1: any.
        max_options_per_span: translations per source span, from all tables together
            (`-max-trans-opt-per-coverage`); 0: all.
        drop_unknown: leave out unknown words instead of copying them; numbers stay
            (`-drop-unknown`).
        xml_input: treatment of tags in the input (`-xml-input`). `pass-through`: as words;
            `ignore`: dropped; else as walls, zones and translations: `exclusive`, no other phrase
            may overlap; `inclusive`, phrases of the tables compete; `constraint`, phrases of the
            tables must contain them.
        monotone_at_punctuation: walls before and after , . ! ? : ; and "
            (`-monotone-at-punctuation`).
        recombination_context: last target words that hypotheses must share to be recombined, if
            more than the language models use; not in Moses (`-recombination-context`).
    """

    cube_pruning: bool = False
    stack: int = 200
    pop_limit: int = 1000
    beam_threshold: float = 1e-5
    distortion_limit: int = -1
    max_options_per_span: int = 5000
    drop_unknown: bool = False
    xml_input: str = "pass-through"
    monotone_at_punctuation: bool = False
    recombination_context: int = 0

    def __post_init__(self) -> None:
        for name in ("stack", "pop_limit", "max_options_per_span"):
            if getattr(self, name) > LARGEST:
                hint = f"at most {LARGEST:,}; -1: no limit"
                raise InputError(f"{name} is {getattr(self, name)}", hint=hint)
        if self.pop_limit == 0:
            raise InputError("pop_limit is 0, which makes no translation", hint="-1: no limit")
        if abs(self.distortion_limit) > LARGEST:
            hint = f"at most {LARGEST:,}; -1: no limit"
            raise InputError(f"distortion_limit is {self.distortion_limit}", hint=hint)
        if not 0 <= self.recombination_context <= LARGEST:
            hint = f"from 0 to {LARGEST:,}"
            raise InputError(f"recombination_context is {self.recombination_context}", hint=hint)
        if not 0 <= self.beam_threshold <= 1:
            raise InputError(f"beam_threshold is {self.beam_threshold}", hint="from 0 to 1")
        if self.xml_input not in MARKUP:
            raise InputError(f"xml_input is {self.xml_input}", hint=f"one of {', '.join(MARKUP)}")

    def flags(self) -> list[str]:
        """These options as Moses' flags, plus `-recombination-context`, if set."""
        return [
            *("-search-algorithm", str(int(self.cube_pruning))),
            *("-stack", str(self.stack)),
            *("-cube-pruning-pop-limit", str(self.pop_limit)),
            *("-beam-threshold", str(self.beam_threshold)),
            *("-distortion-limit", str(self.distortion_limit)),
            *("-max-trans-opt-per-coverage", str(self.max_options_per_span)),
            *(["-drop-unknown"] if self.drop_unknown else []),
            *("-xml-input", self.xml_input),
            *(["-monotone-at-punctuation"] if self.monotone_at_punctuation else []),
            *(
                ["-recombination-context", str(self.recombination_context)]
                if self.recombination_context
                else []
            ),
        ]
