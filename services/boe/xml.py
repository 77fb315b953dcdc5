"""Parse XML that came over the network."""

from typing import Any

Element = Any
"""An ``lxml.etree._Element``: lxml has no types of its own."""


def parse_xml(data: bytes) -> Element:
    """Return the root of a document, without comments; entities are not expanded and nothing is fetched.

    Raises:
        ValueError: the data is no well-formed XML, or larger than libxml2 takes from strangers.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from error
