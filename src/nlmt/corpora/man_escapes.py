"""Characters and other escapes of groff(7) in a line of text."""

import re
import unicodedata

from nlmt.characters import BREAKING

# The names of groff_char(7), but for letters with accents (`_MARKS`) and Greek ones. A hyphen and a
# minus sign are those of the keyboard.
_CHARACTERS = r"""
    aq '  ha ^  ga `  ti ~  -D Ð  Sd ð  TP Þ  Tp þ  ss ß  ff ff  fi fi  fl fl  Fi ffi  Fl ffl
    /L Ł  /l ł  /O Ø  /o ø  AE Æ  ae æ  OE Œ  oe œ  IJ Ĳ  ij ĳ  .i ı  .j ȷ  a" ˝  a- ¯  a. ˙  a^ ^
    aa ´  ab ˘  ac ¸  ad ¨  ah ˇ  ao ˚  a~ ~  ho ˛  Bq „  bq ‚  lq “  rq ”  oq ‘  cq ’  dq "  Fo «
    Fc »  fo ‹  fc ›  r! ¡  r? ¿  em —  en –  hy -  lB [  rB ]  lC {  rC }  la ⟨  ra ⟩  bv ⎪
    braceex ⎪  bracketlefttp ⎡  bracketleftbt ⎣  bracketleftex ⎢  bracketrighttp ⎤
    bracketrightbt ⎦  bracketrightex ⎥  lt ⎧  bracelefttp ⎧  lk ⎨  braceleftmid ⎨  lb ⎩
    braceleftbt ⎩  braceleftex ⎪  rt ⎫  bracerighttp ⎫  rk ⎬  bracerightmid ⎬  rb ⎭
    bracerightbt ⎭  bracerightex ⎪  parenlefttp ⎛  parenleftbt ⎝  parenleftex ⎜  parenrighttp ⎞
    parenrightbt ⎠  parenrightex ⎟  <- ←  -> →  <> ↔  da ↓  ua ↑  va ↕  lA ⇐  rA ⇒  hA ⇔  dA ⇓
    uA ⇑  vA ⇕  an ⎯  ba |  br │  ul _  rn ‾  bb ¦  sl /  rs \  ci ○  bu •  dd ‡  dg †  lz ◊  sq □
    ps ¶  sc §  lh ☜  rh ☞  at @  sh #  CR ↵  OK ✓  co ©  rg ®  tm ™  Do $  ct ¢  eu €  Eu €  Ye ¥
    Po £  Cs ¤  Fn ƒ  de °  %0 ‰  fm ′  sd ″  mc µ  Of ª  Om º  AN ∧  OR ∨  no ¬  tno ¬  te ∃
    fa ∀  st ∋  3d ∴  tf ∴  or |  12 ½  14 ¼  34 ¾  18 ⅛  38 ⅜  58 ⅝  78 ⅞  S1 ¹  S2 ²  S3 ³  pl +
    mi -  -+ ∓  +- ±  t+- ±  pc ·  md ⋅  mu ×  tmu ×  c* ⊗  c+ ⊕  di ÷  tdi ÷  f/ ⁄  ** ∗  <= ≤
    >= ≥  << ≪  >> ≫  eq =  != ≠  == ≡  ne ≢  =~ ≅  |= ≃  ap ∼  ~~ ≈  ~= ≈  pt ∝  es ∅  mo ∈  nm ∉
    sb ⊂  nb ⊄  sp ⊃  nc ⊅  ib ⊆  ip ⊇  ca ∩  cu ∪  /_ ∠  pp ⊥  is ∫  integral ∫  sum ∑  product ∏
    coproduct ∐  gr ∇  sr √  sqrt √  lc ⌈  rc ⌉  lf ⌊  rf ⌋  if ∞  Ah ℵ  Im ℑ  Re ℜ  wp ℘  pd ∂
    -h ℏ  hbar ℏ  ts ς  +h ϑ  +f φ  +p ϖ  +e ϵ  CL ♣  SP ♠  HE ♥  DI ♦
    radicalex ‾  sqrtex ‾
"""  # noqa: RUF001
_NAMED = dict(entry.split(" ") for entry in re.split(r"\s{2,}", _CHARACTERS.strip()))
_GREEK = (
    "ABGDEZYHIKLMNCOPRSTUFXQWabgdezyhiklmncoprstufxqw",
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυϕχψω",
)
_NAMED |= {f"*{latin}": greek for latin, greek in zip(*_GREEK, strict=True)}
# Accents before the letter in a name (`'e`), or characters after it in another (`e '`).
_MARKS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327",
    "o": "\u030a", "v": "\u030c", "ˇ": "\u030c", "-": "\u0304", ".": "\u0307", '"': "\u030b",
}  # fmt: skip
_SINGLE = {"-": "-", "e": "\\", "E": "\\", " ": "\u00a0", "~": "\u00a0", "0": " ", "t": " "}
_SINGLE |= {"'": "\u00b4", **dict.fromkeys("|^&):/,%acdpru{}", "")}
# No text when alone: the beginnings of longer escapes, and those that overprint (z), switch output
# off or print what is not in the page.
_NOT_ALONE = frozenset("ABCDFHLMNRSXYZbfhklmnosvwx([*z!?O$Vg")
_STRINGS = {"lq": "\u201c", "rq": "\u201d", "Tm": "\u2122", "R": "\u00ae", "S": ""}  # of man(7)
# Strings of pages by Pod::Man, which define them for terminals and printers by turns, accents as
# movements of the printer's head.
_POD_STRINGS = {
    'L"': "\u201c", 'R"': "\u201d", "Aq": "'", "C`": "", "C'": "", "--": "\u2014", "PI": "π",
    "'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327",
    "o": "\u030a", "/": "\u0338", "8": "ß", "d-": "ð", "D-": "Ð", "th": "þ", "Th": "Þ",
    "ae": "æ", "Ae": "Æ", "oe": "œ", "Oe": "Œ",
}  # fmt: skip

_NAME = r"(?:\[[^]]*\]|\(..|.)"
_ESCAPE = re.compile(
    rf"\\(?:[fmMFYk]{_NAME}"  # fonts, colours, positions
    r"|s(?:[+-]?\[[^]]*\]|[+-]?\(..|\([+-]..|[+-]?'[^']*'|[123]\d|[+-]?\d)"  # sizes
    r"|(?P<letter>[ABCDHLNRSXZbhlovwx])(?P<mark>[^\s\\])"
    r"(?P<argument>(?:\\.|(?!(?P=mark))[^\\])*)(?P=mark)"
    rf"|(?P<number>n)[+-]?{_NAME}"
    rf"|\*(?P<string>{_NAME})"
    r"|(?P<character>\[[^]]*\]|\(..)"
    r"|(?P<single>.))"
)
_MOTION = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([imncpP]?)")
_LETTERS = {"": 1, "m": 1, "n": 1, "i": 10, "c": 10 / 2.54, "p": 10 / 72, "P": 10 / 6}  # per unit


class UnknownCharacterError(Exception):
    """An escape whose character is not known."""


class ManText:
    """The text of a page's lines, with the strings that the page defines.

    Args:
        of_pod: the page is made by Pod::Man.
    """

    def __init__(self, *, of_pod: bool) -> None:
        self._fixed = _POD_STRINGS if of_pod else {}
        self._strings = dict(_STRINGS)

    def define(self, definition: str) -> None:
        """Define a string by the arguments of `.ds`; one whose characters are unknown stays so."""
        name, _, value = definition.partition(" ")
        try:
            value = self.plain(value.strip(" \t").removeprefix('"').replace("\\\\", "\\"))
        except UnknownCharacterError:
            self._strings.pop(name, None)
        else:
            self._strings[name] = value

    def plain(self, line: str) -> str:
        """The text of a line without escapes and control characters.

        Raises:
            UnknownCharacterError: it names a character, string or number that is not known, or
                draws or moves in a way that text does not show.
        """
        plain = BREAKING.sub(" ", _ESCAPE.sub(self._text, line))
        return unicodedata.normalize("NFC", plain)

    def _text(self, escape: re.Match[str]) -> str:
        text: str | None = ""
        match escape.lastgroup:
            case "number":
                text = None
            case "string":
                name = _name(escape["string"])
                text = self._fixed.get(name, self._strings.get(name))
            case "argument":
                text = self._delimited(escape["letter"], escape["argument"])
            case "character":
                text = _character(_name(escape["character"]))
            case "single":
                letter = escape["single"]
                text = None if letter in _NOT_ALONE else _SINGLE.get(letter, letter)
        if text is None:
            raise UnknownCharacterError(escape[0])
        return text

    def _delimited(self, letter: str, argument: str) -> str | None:
        """The text of an escape whose argument is delimited; None for what text does not show."""
        match letter:
            case "C":
                return _character(argument)
            case "N":
                return _code_point(int(argument)) if re.fullmatch(r"\d{1,7}", argument) else None
            case "h":
                return _motion(argument)
            case "o" if "\\o" not in argument:
                return _overstruck(self.plain(argument))
            case "H" | "R" | "S" | "X" | "v" | "x" if "\\" not in argument:
                return ""
        return None


def _name(written: str) -> str:
    """The name in `[name]`, `(xx` or `x`."""
    if written.startswith("["):
        return written[1:-1]
    return written[1:] if len(written) > 1 else written


def _character(name: str) -> str | None:
    """The character of a name, if it is known."""
    if name in _NAMED:
        return _NAMED[name]
    if len(name) == 1:
        return "-" if name == "-" else None
    if codes := re.fullmatch(r"u([0-9A-F]{4,6}(?:_[0-9A-F]{4,6})*)", name):
        return _joined([_code_point(int(code, 16)) for code in codes[1].split("_")])
    if code := re.fullmatch(r"char(\d{1,3})", name):
        return _code_point(int(code[1]))
    if " " in name:
        base, *accents = name.split(" ")
        letter = base if len(base) == 1 else _character(base)
        marks = [_MARKS.get(accent) or _mark(_character(accent)) for accent in accents]
        return _joined([letter, *marks])
    return _composed(name[1], _MARKS.get(name[0])) if len(name) == 2 else None


def _motion(distance: str) -> str | None:
    """A space for half a letter or more to the right, nothing for less, as on a terminal."""
    match = _MOTION.fullmatch(distance)
    letters = float(match[1]) * _LETTERS[match[2]] if match else -1
    if letters <= -0.5:
        return None  # what follows is printed over what is there
    return " " if letters >= 0.5 else ""


def _overstruck(text: str) -> str | None:
    """A letter and an accent, in any order, as one character."""
    if len(text) != 2:
        return None
    return _composed(text[0], _mark(text[1])) or _composed(text[1], _mark(text[0]))


def _mark(accent: str | None) -> str | None:
    """The combining mark of an accent that stands alone."""
    if accent is None or len(accent) != 1:
        return None
    if unicodedata.combining(accent):
        return accent
    return _MARKS.get(accent) or unicodedata.normalize("NFKD", accent)[1:]


def _composed(letter: str, mark: str | None) -> str | None:
    """A letter with a mark, if that is one character."""
    character = unicodedata.normalize("NFC", letter + (mark or ""))
    return character if mark and len(character) == 1 else None


def _joined(parts: list[str | None]) -> str | None:
    known = [part for part in parts if part]
    return "".join(known) if len(known) == len(parts) else None


def _code_point(code: int) -> str | None:
    """The character of a number; none of control characters, which no text has."""
    is_text = 32 <= code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if is_text else None
