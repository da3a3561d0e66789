"""XML from strangers: read when it is harmless, refused when it is not."""

from __future__ import annotations

from time import process_time

import pytest

from comity.core.errors import InvalidInput
from comity.formats import xml_tree
from comity.formats.xml_tree import LARGEST_XML, MOST_LEVELS, parse_xml, root_tag

LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY l0 "lol">
%s]><utility_space name="&l9;">&l9;</utility_space>""" % b"".join(
    b'<!ENTITY l%d "%s">' % (at, b"&l%d;" % (at - 1) * 10) for at in range(1, 10)
)
EXTERNAL = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidInput) as refused:
        parse_xml(data, whose="a.xml")
    assert len(refused.value.faults) == 1
    assert refused.value.faults[0].whose == "a.xml"
    return str(refused.value)


def test_elements_keep_attributes_order_and_lines() -> None:
    tree = parse_xml(b'<a x="1">\n <b/> text <c y="&amp;&quot;"/>\n <b/>\n</a>', whose="a.xml")
    assert (tree.tag, tree.attributes, tree.line) == ("a", {"x": "1"}, 1)
    assert [(one.tag, one.line) for one in tree.children] == [("b", 2), ("c", 2), ("b", 3)]
    assert tree.children[1].attributes == {"y": '&"'}
    assert [one.tag for one in tree.named("c", "b")] == ["b", "c", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_the_usual_encodings_are_read(encoding: str) -> None:
    name = encoding.replace("-sig", "")
    data = f'<?xml version="1.0" encoding="{name}"?><a n="café"/>'.encode(encoding)
    assert parse_xml(data, whose="a.xml").attributes == {"n": "café"}


@pytest.mark.parametrize(
    "data",
    [
        LAUGHS,
        EXTERNAL,
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a SYSTEM "x.dtd"><a/>',
        "<!DOCTYPE a><a/>".encode("utf-16"),
        b"<a/><!DOCTYPE a>",
    ],
)
def test_document_types_and_entities_are_refused_before_anything_is_expanded(data: bytes) -> None:
    began = process_time()
    assert "declares a document type" in refusal(data)
    assert process_time() - began < 1


@pytest.mark.parametrize("data", [LAUGHS, EXTERNAL, b"<!DOCTYPE a><a/>"])
def test_the_parser_refuses_them_too_should_the_first_look_miss_them(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_tree, "_DOCTYPES", ())
    began = process_time()
    assert "declares a document type or an entity" in refusal(data)
    assert process_time() - began < 1


@pytest.mark.parametrize("encoding", ["utf-7", "rot13", "unicode_escape", "utf-32", "nonsense"])
def test_other_encodings_are_refused(encoding: str) -> None:
    said = refusal(f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode())
    assert f"the encoding '{encoding}'" in said


def test_great_depth_and_great_size_are_refused() -> None:
    deepest = b"<a>" * MOST_LEVELS + b"</a>" * MOST_LEVELS
    assert parse_xml(deepest, whose="a.xml").tag == "a"
    assert "levels deep" in refusal(b"<a>" + deepest + b"</a>")
    assert "levels deep" in refusal(b"<a>" * 1_000_000)
    assert "has more than 250000 elements" in refusal(b"<a>" + b"<b/>" * 250_000 + b"</a>")
    assert f"larger than {LARGEST_XML} bytes" in refusal(b" " * (LARGEST_XML + 1))


def test_what_is_no_xml_is_told_with_how_it_begins() -> None:
    said = refusal(b"0.83,0.855833\n0.7,0.9\n")
    assert "is no XML: it begins with '0.83,0.855833" in said
    assert "name the XML file of the domain" in said


def test_unescaped_quotes_are_told_with_line_and_column() -> None:
    said = refusal(b'<a>\n <item value="17" screen"/>\n</a>')
    assert "in line 2, column" in said
    assert "&quot;" in said


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "no element found"),
        (b"<a>", "no element found"),
        (b"<a></b>", "mismatched tag"),
        (b'<a x="1" x="2"/>', "duplicate attribute"),
        (b"<a/><b/>", "junk after document element"),
        (b"<a>&b;</a>", "undefined entity"),
        (b"\x00\x01\x02", "is not well-formed XML"),
    ],
)
def test_broken_xml_is_told_in_one_sentence(data: bytes, told: str) -> None:
    assert told in refusal(data)


def test_the_first_element_is_found_without_reading_the_rest() -> None:
    assert root_tag(b'<?xml version="1.0"?><!-- a -->\n<top n="1"><broken') == "top"
    assert root_tag(b" " * 5000 + b"<top/>") == "top"
    for data in (b"", b"1,2", b"<!DOCTYPE a><a/>", b"<!-- only", b"\xff\xfe"):
        assert root_tag(data) is None
