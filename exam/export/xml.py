"""XML, element by element; text is escaped by the library, and what XML can't hold is left out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Element = ET.Element


def element(tag: str, *content: Element | str | None, **attributes: object) -> Element:
    """An element; attributes ending in "_" lose that, and "-" is written as "__"."""
    names = {name.rstrip("_").replace("__", "-"): _spelt(value) for name, value in attributes.items()}
    made = ET.Element(tag, names)
    for part in content:
        if isinstance(part, str):
            made.text = (made.text or "") + _IMPOSSIBLE.sub("", part)
        elif part is not None:
            made.append(part)
    return made


def _spelt(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _IMPOSSIBLE.sub("", str(value))


def parse(fragment: str, tag: str) -> Element:
    """Well-formed XHTML as an element."""
    return ET.fromstring(f"<{tag}>{fragment}</{tag}>")


def document(root: Element) -> bytes:
    """The file."""
    ET.indent(root, " ")
    return raw_document(root)


def raw_document(root: Element) -> bytes:
    """The file without added white space, which would be text in HTML."""
    text: str = ET.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
