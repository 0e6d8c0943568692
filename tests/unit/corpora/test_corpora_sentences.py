"""Where sentences of a paragraph end."""

import pytest

from nlmt.corpora.sentences import sentences


@pytest.mark.parametrize(
    ("language", "paragraph", "expected"),
    [
        ("en", "One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("en", "See e.g. Mr. Smith. No. 5 is it.", ["See e.g. Mr. Smith.", "No. 5 is it."]),
        ("en", "Set a.b to 1.5 or ... so on", ["Set a.b to 1.5 or ... so on"]),
        ("en", 'He said "go." Then (so.) (Yes.)', ['He said "go."', "Then (so.)", "(Yes.)"]),
        ("en", "By J. R. Smith, the U.S. Army. End", ["By J. R. Smith, the U.S. Army.", "End"]),
        ("fr", "M. Roi. «\u00a0Oui.\u00a0» Fin.", ["M. Roi.", "«\u00a0Oui.\u00a0»", "Fin."]),
        ("de", "Das ist z.B. Garn. Ende.", ["Das ist z.B. Garn.", "Ende."]),
        ("zh", "第一。第二。", ["第一。", "第二。"]),
        ("xx", "One. Two.", ["One.", "Two."]),
    ],
)  # fmt: skip
def test_sentences(language: str, paragraph: str, expected: list[str]) -> None:
    assert list(sentences(paragraph, language)) == expected


def test_a_long_list_of_initials_is_one_sentence() -> None:
    """In a moment: the time does not grow with the square of the length."""
    paragraph = "A. " * 30_000 + "End"
    assert list(sentences(paragraph, "en")) == [paragraph]
