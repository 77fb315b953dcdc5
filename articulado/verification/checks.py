"""Run all checks on an answer, and read the answers to check from JSON lines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.language.formats import gaps_in, is_recognised, marks_in
from articulado.language.translation import translate
from articulado.legal.ids import boe_id
from articulado.legal.labels import provision_key
from articulado.legal.laws.mentions import find_law
from articulado.legal.laws.registry import known_laws
from articulado.values.errors import InvalidInput
from articulado.values.findings import CheckedPart, Finding
from articulado.verification.citations import KnownProvisions, citation_findings, marker_findings
from articulado.verification.figures import figure_findings
from articulado.verification.quotations import quotation_findings
from articulado.verification.reading import ReadAnswer, read_answer
from articulado.verification.sources import Source, make_finding


def findings_of(
    answer: ReadAnswer, known: KnownProvisions, language: str = "es", *, quotes_only: bool = False
) -> list[Finding]:
    """Return the certain errors of an answer in text order, and warnings about parts of its sources that were not read.

    ``known`` are the provisions that the answer names (``citations.look_up``). Figures are checked if ``language``
    (ISO 639-1) is Spanish. An answer of quotations and reviewed texts (``quotes_only``) has only its markers checked.
    """
    checked = checked_parts(language, quotes_only=quotes_only)
    if "quotations" not in checked:
        return [*marker_findings(answer), *gap_findings(answer)]
    findings: list[Finding] = [*citation_findings(answer, known), *quotation_findings(answer, known=known.texts)]
    findings += gap_findings(answer)
    if "figures" in checked:
        findings += figure_findings(answer)
    return sorted(findings, key=lambda finding: (finding["start"], finding["end"]))


MOST_GAPS = 3


def gap_findings(answer: ReadAnswer) -> list[Finding]:
    """Return a warning for each cited source with parts that were not read, or were recognised on an image."""
    findings: list[Finding] = []
    for source in answer.sources:
        # What is missing is worse than what may have errors.
        gaps = gaps_in(source.text) or marks_in(source.text)
        places = [mark for each in answer.sentences for mark in each.written_marks if source.number in mark[2]]
        if not gaps or not places:
            continue
        quoted = next((gap for gap in gaps if gap in answer.text), None)
        start, end = places[0][:2]
        if quoted is not None:
            start = answer.text.index(quoted)
            end = start + len(quoted)
        key = "verification.recognised" if is_recognised(gaps[0]) else "verification.gap"
        named = "; ".join(gap.strip("[]") for gap in dict.fromkeys(gaps[:MOST_GAPS]))
        message = translate(key, gaps=named, law=source.law_name, provision=source.provision)
        findings.append(
            make_finding(
                "gap",
                "quoted" if quoted else "source",
                answer.text,
                (start, end),
                message,
                severity="warning",
                mark=source.mark,
                evidence=quoted or gaps[0],
            )
        )
    return findings


def checked_parts(language: str, *, quotes_only: bool) -> list[CheckedPart]:
    """Return the kinds of checks that ``findings_of`` makes with the same arguments."""
    if quotes_only:
        return ["citations"]
    return ["citations", "quotations", "figures"] if language == "es" else ["citations", "quotations"]


def with_shown_marks(findings: Sequence[Finding], shown: Collection[int]) -> list[Finding]:
    """Return the findings without markers of sources that are not shown."""
    marks = {f"C{number}" for number in shown}
    return [{**finding, "mark": finding["mark"] if finding["mark"] in marks else ""} for finding in findings]


NEEDED = "Cada línea lleva «answer» (texto) y «context» (lista de «law_id», «provision» y «text»)."


class _Fragment(BaseModel):
    model_config = ConfigDict(strict=True)

    text: str
    law_id: str = ""
    provision: str = ""


class _Item(BaseModel):
    model_config = ConfigDict(strict=True)

    answer: str
    question: str = ""
    context: list[_Fragment] = Field(default_factory=list)


@dataclass(frozen=True)
class AnswerItem:
    """An answer to check; ``id`` comes from the file, or is the line number."""

    id: Any
    answer: ReadAnswer


def read_item(line: int, where: str, value: Mapping[str, Any]) -> AnswerItem:
    """Read ``{"id", "question", "context": [{"law_id", "provision", "text"}], "answer"}``.

    ``law_id`` may be any name of a law. Raises ``InvalidInput`` for a missing or wrong field; ``where`` names the line.
    """
    try:
        item = _Item.model_validate(dict(value))
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise InvalidInput(translate("verify.item_invalid", where=where, field=field)) from error
    sources = [_source(number, fragment) for number, fragment in enumerate(item.context, start=1)]
    return AnswerItem(value.get("id", line), read_answer(item.answer, item.question, sources))


def _source(number: int, fragment: _Fragment) -> Source:
    law = find_law(fragment.law_id) if fragment.law_id.strip() else None
    law_id = law.id if law else boe_id(fragment.law_id.strip()) or fragment.law_id
    name = known_laws()[law_id].short if law_id in known_laws() else fragment.law_id
    return Source(
        number,
        law_id,
        name,
        fragment.provision,
        provision_key(fragment.provision) or "",
        fragment.text,
        f"{name}. {fragment.provision}",
    )
