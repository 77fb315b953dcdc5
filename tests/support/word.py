"""Word documents from the XML of their body, as other programs than Word write them."""

import io
import zipfile

_NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def run(text: str, properties: str = "") -> str:
    """Return a run with properties (``w:rPr``)."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def word_of(body: str, *, styles: str = "", footnotes: str = "", comments: str = "", before: str = "") -> bytes:
    """Return a document; ``before`` stands before the body, the other parts are the content of their files."""
    parts = {"document": f"{before}<w:body>{body}</w:body>", "styles": styles, "footnotes": footnotes}
    parts = {name: content for name, content in {**parts, "comments": comments}.items() if content}
    kinds = {"document": f"{_TYPE}document.main+xml"}
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{kinds.get(name, f"{_TYPE}{name}+xml")}"/>'
        for name in parts
    )
    defaults = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{_RELATION}/{name}" Target="{name}.xml"/>'
        for number, name in enumerate(parts)
        if name != "document"
    )
    main = f'<Relationship Id="r1" Type="{_RELATION}/officeDocument" Target="word/document.xml"/>'
    package = "http://schemas.openxmlformats.org/package/2006"
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types">{defaults}{overrides}</Types>')
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships">{main}</Relationships>')
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        )
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", f"<w:{name} {_NAMESPACES}>{content}</w:{name}>")
    return written.getvalue()
