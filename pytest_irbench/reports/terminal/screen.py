"""Text set for a terminal: as wide as it is, and in characters that it can print."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from unicodedata import combining, east_asian_width

from pytest_irbench.errors import clipped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

NARROWEST = 60
GAP = "  "
# With its blanks: an id may hold such a dot, too, and is not to become another one.
_ASCII = {" · ": " - ", "…": "..."}


class Span(NamedTuple):
    """A piece of a line; its style is ``bold``, ``passed``, ``failed``, ``error``, ``warned`` or empty."""

    text: str
    style: str = ""


Line: TypeAlias = tuple[Span, ...]


class Screen(NamedTuple):
    """What a text is set for.

    Attributes
    ----------
    width
        In columns of a terminal.
    ascii_only
        Whether nothing else can be printed.
    """

    width: int
    ascii_only: bool = False

    def printable(self, text: str) -> str:
        """Write what can't be printed as escapes; the text stays on one line."""
        if text.isascii() and text.isprintable():
            return text
        safe = clipped(text, len(text))
        if not self.ascii_only:
            return safe
        for ours, plain in _ASCII.items():
            safe = safe.replace(ours, plain)
        return safe.encode("ascii", "backslashreplace").decode()

    def short(self, text: str, width: int) -> str:
        """Cut a text at its end so that it takes no more than so many columns."""
        whole = self.printable(text)
        if width_of(whole) <= width:
            return whole
        end = self.printable("…")
        kept, room = 0, width - len(end)
        while width_of(whole[: kept + 1]) <= room:
            kept += 1
        return f"{whole[:kept].rstrip()}{end}"

    def prose(self, text: str, style: str = "") -> Iterator[Line]:
        """Break a text between its words."""
        for line in filled(self.printable(text).split(), self.width):
            yield (Span(line, style),)

    def listed(self, pieces: Iterable[str], indent: str = "") -> Iterator[Line]:
        """Put commas between pieces and break only behind these, so that a name stays with its number."""
        *others, last = map(self.printable, pieces)
        for line in filled([*(f"{one}," for one in others), last], self.width, indent, "  "):
            yield (Span(line),)


def width_of(text: str) -> int:
    """Count the columns that a text takes: Chinese, Japanese and Korean characters take two."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def filled(pieces: Iterable[str], width: int, indent: str = "", hanging: str = "") -> Iterator[str]:
    """Set pieces into lines, with blanks between them; a piece that is too long has a line of its own.

    Parameters
    ----------
    pieces
        Without any, the only line is empty.
    width
        Of the lines, in columns.
    indent, hanging
        What all lines begin with, and what all but the first have beside.
    """
    line = ""
    for piece in pieces:
        longer = f"{line} {piece}" if line else f"{indent}{piece}"
        if line and width_of(longer) > width:
            yield line
            longer = f"{indent}{hanging}{piece}"
        line = longer
    yield line


def padded(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()
) -> Iterator[list[str]]:
    """Give the cells of a table in columns of one width: its header, a rule, its rows.

    A file may hold ten thousand thresholds, and tabulate looks at each cell several times.

    Parameters
    ----------
    header, rows
        Printable texts.
    right
        The places of the columns that are set to the right.
    """
    widths = [max(map(width_of, column)) for column in zip(header, *rows, strict=True)]
    for cells in (header, ["-" * width for width in widths], *rows):
        blanks = [" " * (width - width_of(cell)) for width, cell in zip(widths, cells, strict=True)]
        both = enumerate(zip(cells, blanks, strict=True))
        yield [blank + cell if place in right else cell + blank for place, (cell, blank) in both]


def joined(cells: Iterable[str]) -> str:
    """Join the cells of a row."""
    return GAP.join(cells).rstrip()
