"""reStructuredText: the blocks that hold prose."""

import pytest

from nlmt.corpora.page_blocks import page_blocks
from nlmt.errors import InputError

PAGE = """\
.. SPDX-License-Identifier: GPL-2.0
.. _knitting:

========
Knitting
========

A scarf is made of
wool::

    knit --wool

    purl

and of time.  See :ref:`the shop <shop>`.

.. note::
   :class: small

   Wash it cold.

   .. code-block:: c

      wash(cold);

.. image:: scarf.png
   :alt: A picture of it

* One item
  in two lines
* Another item

  with a second paragraph

=====  =====
a      b
=====  =====
Some   cells
=====  =====

+---+---+
| a | b |
+---+---+

Term of a list
    Its explanation.

.. c:function:: int knit(int wool)

   Knit something.

   :param wool: how much

>>> knit(1)
2

The end
-------
"""


def test_blocks() -> None:
    assert [(block.element, block.text) for block in page_blocks(PAGE.encode(), "rst", "page")] == [
        ("title", "Knitting"),
        ("p", "A scarf is made of wool:"),
        ("p", "and of time. See the shop."),
        ("p", "Wash it cold."),
        ("p", "One item in two lines"),
        ("p", "Another item"),
        ("p", "with a second paragraph"),
        ("p", "Term of a list"),
        ("p", "Its explanation."),
        ("p", "Knit something."),
        ("title", "The end"),
    ]


def test_text_on_the_line_of_a_directive() -> None:
    page = """\
.. note:: Wash it
   cold, and
   :ref:`dry <dry>` it.

   Then iron it.

.. warning:: It
   shrinks::

      wash(hot);

.. versionchanged:: 3.2 The wool
   is softer.

.. deprecated:: 3.3
.. function:: knit(wool)

   Knit it.
"""
    assert [block.text for block in page_blocks(page.encode(), "rst", "page")] == [
        "Wash it cold, and dry it.",
        "Then iron it.",
        "It shrinks:",
        "The wool is softer.",
        "Knit it.",
    ]


def test_directives_of_python_and_cmake() -> None:
    page = """\
.. coroutinemethod:: knit(wool)

   Knit it.

   .. availability:: Linux, not
      looms.

   .. audit-event:: wool.knit wool

.. deprecated-removed:: 3.3 3.5
   Use yarn.

.. genex:: $<WOOL:soft>

  True if it is soft.

.. variable:: CMAKE_WOOL

  Path of the wool.

.. cmake-module:: ../Modules/Wool.cmake
"""
    assert [block.text for block in page_blocks(page.encode(), "rst", "page")] == [
        "Knit it.",
        "Linux, not looms.",
        "Use yarn.",
        "True if it is soft.",
        "Path of the wool.",
    ]


def test_directives_that_begin_an_item() -> None:
    page = """\
* .. note:: Wash it
     cold.

  Then dry it.

* .. versionadded:: 3.2
     :ref:`Iron <iron>` it.

* .. tip::

     Fold it.

2. .. code-block:: c

      iron();

- .. image:: iron.png
     :alt: An iron

- >>> iron(1)
  2

- :wool: any

- The end.
"""
    assert [block.text for block in page_blocks(page.encode(), "rst", "page")] == [
        "Wash it cold.",
        "Then dry it.",
        "Iron it.",
        "Fold it.",
        "The end.",
    ]


def test_code_below_a_mark_alone() -> None:
    page = b"Wool:\n\n::\n\n   knit(wool)\n\nMore wool.\n"
    assert [block.text for block in page_blocks(page, "rst", "page")] == ["Wool:", "More wool."]


def text(paragraph: str) -> str:
    """The text of a page of one paragraph."""
    (block,) = page_blocks(paragraph.encode(), "rst", "page")
    return block.text


def test_inline_markup() -> None:
    assert (
        text(
            r"Use ``a_b`` of :class:`~knit.Scarf`, *not* **yarn** [1]_, see `here <https://a.invalid>`_"
            r" or there_; ``__init__`` stays, 2\*3 * 4, `x` too."
        )
        == "Use a_b of Scarf, not yarn, see here or there; __init__ stays, 2*3 * 4, x too."
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r":class:`tuple`\ s, *n*\ th", "tuples, nth"),
        (r"c\ d", "cd"),
        (r"a \*b\* c", "a *b* c"),
        (r"f(\*args, \*\*kw)", "f(*args, **kw)"),
        ('"*" and "*"', '"*" and "*"'),
        (r"use the \`x\` key", "use the `x` key"),
        (r"``a\*b``", r"a\*b"),
        ("x|y|z", "x|y|z"),
        ("``KEY_`` and (_KEY)?, KEY_ and 4_a", "KEY_ and (_KEY)?, KEY and 4_a"),
        (r":ref:`a \<b\> c <target>` and :term:`!x`", "a <b> c and x"),
        ("See :pep:`8`, `x`:unknown:, *open.", "See PEP 8, x, *open."),
        (":rfc:`its section <2045#section-6.8>`, `8#imports`:pep:", "its section, PEP 8#imports"),
    ],
)
def test_escapes_and_ends_of_markup(written: str, shown: str) -> None:
    """As docutils reads them, from the specification of reStructuredText."""
    assert text(written) == shown


def test_roles_that_a_page_defines_are_as_others() -> None:
    page = b".. role:: soft(wool)\n   :class: x\n\nTake :wool:`merino` and :soft:`it`.\n"
    assert [tuple(block) for block in page_blocks(page, "rst", "page")] == [
        ("p", "Take merino and it.", "")
    ]


def test_pages_that_write_roles_in_capitals_change_no_other() -> None:
    assert text("See :PEP:`8`.") == text("See :pep:`8`.") == "See PEP 8."


def test_a_page_reads_no_other_file(tmp_path) -> None:
    (tmp_path / "secret").write_text("Secret wool.\n")
    page = f"""\
Before.

.. include:: {tmp_path}/secret

.. csv-table::
   :file: {tmp_path}/secret

.. raw:: html
   :file: {tmp_path}/secret

.. literalinclude:: {tmp_path}/secret

After.
"""
    found = [block.text for block in page_blocks(page.encode(), "rst", "page")]
    assert found == ["Before.", "After."]


DEFINITIONS = """\
.. |wool| replace:: *soft* |yarn| of :class:`~knit.Scarf`
.. |yarn| replace:: yarn
.. |YARN| replace:: Yarn
.. |shop| replace:: our shop
.. |pound| unicode:: U+00A3 .. its sign
   :rtrim:
.. |--| unicode:: U+2014
   :trim:
.. |logo| image:: logo.png
.. |loop| replace:: wool |loops|
.. |loops| replace:: and |loop|
.. |now| date::
.. |br| raw:: html

   <br>
.. |new| replace:: new in |release|
"""


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Take |wool|.", "Take soft yarn of Scarf."),
        ("|YARN|, |yarn| or |Wool|, |YARN|", "Yarn, yarn or soft yarn of Scarf, Yarn"),
        ("|pound| 3 |--| see |shop|_", "£3\u2014see our shop"),
        ("Press |logo| now.", "Press now."),
    ],
)
def test_substitutions_of_the_page(written: str, shown: str) -> None:
    """As docutils reads them, from the specification of reStructuredText."""
    for page in (f"{written}\n\n{DEFINITIONS}", f"{DEFINITIONS}\n{written}\n"):
        assert text(page) == shown


@pytest.mark.parametrize("name", ["release", "today", "loop", "now", "br"])
def test_substitutions_without_a_value_are_named(name: str) -> None:
    """Substitutions of Sphinx or of other files, within themselves, of the day or with code."""
    page = f"Before.\n\nSee |{name}|.\n\n{DEFINITIONS}\nSee |{name}|, |yarn|.\n\nAfter.\n"
    found = page_blocks(page.encode(), "rst", "page")
    assert [block.text for block in found] == ["Before.", "", "", "After."]
    assert [block.unknown for block in found] == ["", f"|{name}|", f"|{name}|", ""]
    (block,) = page_blocks(f"See |new|.\n\n{DEFINITIONS}".encode(), "rst", "page")
    assert (block.text, block.unknown) == ("", "|release|")


def test_endless_substitutions_end() -> None:
    lines = [f".. |w{n}| replace:: |w{n + 1}| |w{n + 1}|\n" for n in range(40)]
    page = f"Take |w0|.\n\n{''.join(lines)}.. |w40| replace:: wool\n\nAfter.\n"
    found = page_blocks(page.encode(), "rst", "page")
    assert [block.text for block in found] == ["", "After."]


def test_unknown_directives_are_named() -> None:
    page = b"Before.\n\n.. wool:: soft\n\n   Left out.\n\n.. toctree::\n\n   wool\n\nAfter.\n"
    found = page_blocks(page, "rst", "page")
    assert [block.text for block in found] == ["Before.", "", "After."]
    assert [block.unknown for block in found] == ["", ".. wool::", ""]


@pytest.mark.parametrize(
    ("page", "unread"),
    [
        ("Wool.\n\n==== ====\na    b\n\nIt is soft.\n", "Malformed table"),
        ("Wool.\n\n* x\n\n  Soft\n  ----\n", "Unexpected section title"),
        ("Wool.\n\n.. topic::\n\n   Soft.\n", 'Error in "topic" directive'),
    ],
)
def test_what_docutils_cannot_read_is_named(
    page: str, unread: str, capfd: pytest.CaptureFixture[str]
) -> None:
    found = page_blocks(page.encode(), "rst", "page")
    assert [block.unknown for block in found if not block.text] == [unread]
    assert not any("soft" in block.text.lower() for block in found)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "page",
    [
        "An *open and ``open.\n",
        "Wool\n   is soft\nand warm.\n",
        "* Wool\n    is soft\n",
        "Warm wool\n====\n\nIt is soft.\n",
        ".. code-block:: c\n   :caption: Wool\n\n   knit();\n",
        ".. note::\n\n   .. contents::\n",
    ],
)
def test_faults_by_which_no_prose_is_lost(page: str) -> None:
    assert all(block.text for block in page_blocks(page.encode(), "rst", "page"))


def test_blocks_within_blocks_many_times() -> None:
    page = "".join(f"{'  ' * depth}- wool\n\n" for depth in range(400))
    with pytest.raises(InputError, match="page: blocks within blocks"):
        page_blocks(page.encode(), "rst", "page")


@pytest.mark.parametrize(
    ("run", "unknown"),
    [
        ("*wool *yarn\n" * 1000, ["more than 10000 characters without an empty line"]),
        ("* Wool is soft.\n" * 1000, ["more than 10000 characters without an empty line"]),
        ("+------+\n| wool |\n" * 1000, []),
        ("::\n\n" + "   knit(wool)\n" * 1000, []),
    ],
)
def test_a_run_of_lines_that_is_too_long_is_named_unless_it_is_no_prose(
    run: str, unknown: list[str]
) -> None:
    found = page_blocks(f"Before.\n\n{run}\nAfter.\n".encode(), "rst", "page")
    assert [block.text for block in found if block.text] == ["Before.", "After."]
    assert [block.unknown for block in found[1:-1]] == unknown
