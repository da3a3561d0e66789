r"""XML tree: what does an XML file from a stranger hold, if it is safe to look at?

Here: elements with their attributes and lines; everything that makes XML dangerous is refused:
document types, entities, external references, odd encodings, great depth, great size.
Not here: what the elements mean (genius_xml.py). Text between elements is not kept: no format
that is read here uses it.
Sources: XML 1.0; the attacks listed by the defusedxml project (billion laughs, quadratic blowup,
external entities).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn
from xml.parsers import expat  # its entities are refused below

from comity.core.errors import Fault, InvalidInput, shown

__all__ = ["LARGEST_XML", "MOST_ELEMENTS", "MOST_LEVELS", "Element", "parse_xml", "root_tag"]

LARGEST_XML = 4_000_000
"""The most bytes of a file."""

MOST_LEVELS = 64
"""The most elements inside each other."""

MOST_ELEMENTS = 250_000
"""The most elements of a file: two issues of a hundred thousand options, and then some."""

_ENCODINGS = ("utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin-1")
_A_FILE = f"an XML file of at most {LARGEST_XML} bytes, without a document type"
_DOCTYPES = tuple("<!DOCTYPE".encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Element:
    """An element.

    Attributes:
        tag: its name.
        attributes: name -> text.
        children: the elements inside.
        line: where it begins.

    Example:
        >>> parse_xml(b'<a><b n="1"/></a>', whose="x.xml").children[0].attributes
        {'n': '1'}
    """

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Element, ...]
    line: int

    def named(self, *tags: str) -> list[Element]:
        """Return the children of these names, in order."""
        return [one for one in self.children if one.tag in tags]


def parse_xml(data: bytes, *, whose: str) -> Element:
    """Read an XML file.

    Args:
        data: its bytes.
        whose: its name, for the messages.

    Returns:
        The outermost element.

    Raises:
        InvalidInput: when it is too large, not well-formed, nested too deeply, or has a document
            type, an entity or an encoding beyond UTF-8, UTF-16, ASCII and Latin-1.

    Example:
        >>> parse_xml(b"<!DOCTYPE a><a/>", whose="x.xml")
        Traceback (most recent call last):
            ...
        comity.core.errors.InvalidInput: x.xml: declares a document type, which can hold \
entities. Allowed: an XML file of at most 4000000 bytes, without a document type. Next: take that \
out, or write the file anew.
    """
    if len(data) > LARGEST_XML:
        _refuse(whose, f"is larger than {LARGEST_XML} bytes")
    if any(mark in data for mark in _DOCTYPES):
        _refuse(whose, "declares a document type, which can hold entities")
    builder = _Builder(whose)
    builder.feed(data, is_last=True)
    assert builder.root is not None  # expat refuses a file without an element
    return builder.root


def root_tag(data: bytes) -> str | None:
    """Return the name of the outermost element, reading no further than that.

    Args:
        data: the bytes of any file.

    Returns:
        The name; None for what is no XML or is not safe.

    Example:
        >>> root_tag(b"<utility_space><never closed"), root_tag(b"0.5,0.7")
        ('utility_space', None)
    """
    builder = _Builder("file")
    with suppress(InvalidInput):
        for at in range(0, min(len(data), LARGEST_XML), 1024):
            builder.feed(data[at : at + 1024], is_last=False)
            if builder.first_tag is not None:
                break
    return builder.first_tag


def _refuse(whose: str, what: str) -> NoReturn:
    raise InvalidInput(Fault(whose, what, _A_FILE, "take that out, or write the file anew"))


class _Builder:
    """Builds the tree from the events of the parser."""

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self.root: Element | None = None
        self.first_tag: str | None = None
        self.count = 0
        self.open: list[tuple[str, Mapping[str, str], list[Element], int]] = []
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.XmlDeclHandler = self.declared
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype
        parser.UnparsedEntityDeclHandler = self.doctype
        parser.ExternalEntityRefHandler = self.doctype

    def feed(self, data: bytes, *, is_last: bool) -> None:
        try:
            self.parser.Parse(data, is_last)
        except expat.ExpatError as error:
            raise InvalidInput(self.broken(error, data)) from error

    def broken(self, error: expat.ExpatError, data: bytes) -> Fault:
        said = expat.ErrorString(error.code) or "it cannot be read"
        place = f"in line {error.lineno}, column {error.offset}"
        what = f"is not well-formed XML: {said} {place}"
        allowed, next_step = "well-formed XML, as a domain or profile is", "correct that place"
        start = data[:40].decode("utf-8", "replace").strip()
        if start and "<" not in start and "\x00" not in start:
            what = f"is no XML: it begins with {shown(start)}"
            next_step = "name the XML file of the domain"
        elif error.code in _BROKEN_VALUE:
            next_step = f"look {place}: inside a value a quote is &quot;, < is &lt; and & is &amp;"
        return Fault(self.whose, what, allowed, next_step)

    def declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            _refuse(self.whose, f"is written in the encoding {shown(encoding)}")

    def doctype(self, *_: Any) -> NoReturn:  # noqa: ANN401  # four events, four shapes
        _refuse(self.whose, "declares a document type or an entity")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self.first_tag is None:
            self.first_tag = tag
        if len(self.open) >= MOST_LEVELS:
            _refuse(self.whose, f"nests elements more than {MOST_LEVELS} levels deep")
        self.count += 1
        if self.count > MOST_ELEMENTS:
            _refuse(self.whose, f"has more than {MOST_ELEMENTS} elements")
        self.open.append((tag, attributes, [], self.parser.CurrentLineNumber))

    def end(self, _tag: str) -> None:
        tag, attributes, children, line = self.open.pop()
        element = Element(tag, attributes, tuple(children), line)
        if self.open:
            self.open[-1][2].append(element)
        else:
            self.root = element


_BROKEN_VALUE = tuple(
    expat.errors.codes[said]
    for said in (
        expat.errors.XML_ERROR_INVALID_TOKEN,
        expat.errors.XML_ERROR_SYNTAX,
        expat.errors.XML_ERROR_UNDEFINED_ENTITY,
    )
)
