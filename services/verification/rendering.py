"""Write into an answer what its reader must not miss: figures without a source, and quotations that are none."""

from collections.abc import Sequence

from articulado.language.languages import Language
from articulado.prompting.citation_markers import marker_spans
from articulado.values.findings import Finding

_OPENING, _CLOSING = '«“"‘', '»”"’'


def annotated(text: str, findings: Sequence[Finding], language: Language) -> str:
    """Return an answer in which each figure without a source says so, and words that are no quotation look like none.

    What passes for a quotation loses its quotation marks, and the markers that vouch for it. Findings of other kinds
    change nothing. Offsets of the findings are into the text.
    """
    # From the end, so that the places of what comes before stay as they are.
    for finding in sorted(findings, key=lambda each: -each["start"]):
        if finding["severity"] != "error":
            continue
        if finding["check"] == "figure":
            text = f"{text[: finding['end']]} {language.translate('verify_figure')}{text[finding['end'] :]}"
        elif finding["check"] == "quotation":
            text = _without_quotation_marks(text, finding, language)
    return text


def _without_quotation_marks(text: str, finding: Finding, language: Language) -> str:
    start, end = finding["start"], finding["end"]
    before, quoted, after = text[:start], text[start:end], text[end:]
    if before[-1:] and before[-1:] in _OPENING and after[:1] and after[:1] in _CLOSING:
        before, after = before[:-1], after[1:]
    elif quoted[:1] in _OPENING and quoted[-1:] in _CLOSING:
        quoted = quoted[1:-1]
    line_end = after.find("\n")
    rest = len(after) if line_end < 0 else line_end
    spans = [(begin, stop) for begin, stop, _ in marker_spans(after)]
    for begin, stop in reversed([span for span in spans if span[0] < rest and _only_marks(after[: span[0]])]):
        after = f"{after[:begin].rstrip(' ')}{after[stop:]}"
    return f"{before}{quoted} {language.translate('verify_quotation')}{after}"


def _only_marks(text: str) -> bool:
    """Tell whether there is nothing but punctuation and markers in a text."""
    for begin, stop, _ in reversed(marker_spans(text)):
        text = text[:begin] + text[stop:]
    return not text.strip(' .,;:)»”"')
