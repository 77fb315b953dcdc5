"""The smallest PDFs that a reader must take: lines of text, words and rules where they are put, and images."""

from collections.abc import Sequence

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_PIXEL = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    b"stream\n\x80\nendstream"
)


def pdf_of(pages: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF with the lines of each page, one below the other."""
    return _pdf([_text(lines) for lines in pages])


def scanned_pdf(pages: int) -> bytes:
    """Return a PDF whose pages are an image each."""
    return _pdf([b"q 595 0 0 842 0 0 cm /Im0 Do Q"] * pages)


def partly_scanned_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF with the lines of each page; a page without any is an image."""
    return _pdf([_text(lines) if lines else b"q 595 0 0 842 0 0 cm /Im0 Do Q" for lines in pages])


def drawn_pdf(pages: Sequence[Sequence[tuple[float, float, str] | tuple[float, float, float, float]]]) -> bytes:
    """Return a PDF with texts at places (x, y, text) and rules between two points, y from the foot of the page."""
    return _pdf([b"\n".join(map(_drawn, page)) for page in pages])


def _drawn(thing: tuple[float, float, str] | tuple[float, float, float, float]) -> bytes:
    if len(thing) == 4:
        return b"%g %g m %g %g l S" % thing
    x, y, text = thing
    return b"BT /F1 10 Tf %g %g Td (%s) Tj ET" % (x, y, text.encode("cp1252"))


def _text(lines: Sequence[str]) -> bytes:
    shown = []
    for line in lines:
        written = line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        shown.append(b"(" + written + b") Tj T*")
    return b"BT /F1 10 Tf 12 TL 50 800 Td\n" + b"\n".join(shown) + b"\nET"


def _pdf(contents: Sequence[bytes]) -> bytes:
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        _FONT,
        _PIXEL,
    ]
    for number, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> /XObject << /Im0 4 0 R >> >> >>" % (6 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            len(objects) + 1,
            table,
            len(objects) + 1,
            len(written),
        )
    )
