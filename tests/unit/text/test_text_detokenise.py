"""Text of tokens, by Moses' rules."""

import pytest

from nlmt.text import Detokeniser


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("v roce 1995 .", "v roce 1995."),  # sacremoses: "v roce1995."
        ("5 ks a 7 .", "5 ks a 7."),
        ("3 , 5 m", "3,5 m"),
        ("1 . 2 , 3 , a4 , 5", "1.2,3, a4, 5"),
        ('" je-li " , e-mail !', '"je-li", e-mail!'),
        ("je' - li to", "je' - li to"),  # sacremoses: TypeError
    ],
)
def test_czech_is_that_of_moses(tokens: str, text: str) -> None:
    assert Detokeniser("cs")(tokens) == text
