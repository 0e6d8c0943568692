"""reStructuredText: the blocks that hold prose."""

from nlmt.corpora.page_blocks import page_blocks
from nlmt.corpora.restructured_text import inline_text

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

.. warning:: It shrinks::

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


def test_inline_markup() -> None:
    written = (
        r"Use ``a_b`` of :class:`~knit.Scarf`, *not* **yarn** [1]_, see `here <https://a.invalid>`_"
        r" or there_; ``__init__`` and |version| stay, 2\*3 * 4, `x` too."
    )
    assert inline_text(written) == (
        "Use a_b of Scarf, not yarn, see here or there; __init__ and version stay, 2*3 * 4, x too."
    )
