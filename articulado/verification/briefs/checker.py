"""Check the citations, quotations and figures of a brief against the law of its day."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, gaps_in, long_day, marks_in, month_number
from articulado.language.numerals import numeral
from articulado.language.translation import translate
from articulado.legal.citations.parser import Citation
from articulado.legal.wordings import Certainty
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore
from articulado.verification.briefs.claims import Cited, claim_findings, is_supported
from articulado.verification.briefs.passages import (
    BriefParagraph,
    BriefReport,
    BriefRuling,
    CheckedParagraph,
    Counts,
    DayOrigin,
    Outcome,
    Passage,
    division_of,
    passages,
)
from articulado.verification.briefs.provisions import (
    LookedUp,
    Provisions,
    around,
    citation_finding,
    citations_of,
    described,
    other_provision,
    source_of,
    validity,
)
from articulado.verification.briefs.rulings import RULING, rulings_in
from articulado.verification.quotations import quotation_findings, stands_in
from articulado.verification.quoted_text import Quotation, pieces_of
from articulado.verification.reading import LEAST_QUOTED, ReadAnswer, read_answer
from articulado.verification.sources import Source, make_finding, words_of

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = (
    r"(?P<day>\d{1,2}|[a-z]{3,13}(?: y [a-z]{3,6})?)(?:\.?º)? de "
    rf"(?P<month>{MONTHS})(?: de|,)?(?:l)? {_YEAR}"
)
_FORMULA = r"(?:por .{0,80}|(?:es )?justicia que .{0,60}|fdo\.?.{0,60})?"
_SIGNED = re.compile(rf"^{_FORMULA}(?:en )?[a-zñç' /().-]{{2,50}}(?:,? a(?:l dia)?|,) {_DAY}\W*$")
_HEADED = re.compile(rf"^(?:en [a-zñç' ]{{2,40}}, )?(?:fecha:? ?)?(?:a )?{_DAY}\W*$")
_NUMERIC = re.compile(
    rf"^(?:fecha|en [a-zñç' ]{{2,40}}),?:? ?(?:a )?(?P<day>\d{{1,2}})[/.-](?P<month>\d{{1,2}})[/.-]{_YEAR}\W*$"
)


def day_of(paragraphs: Iterable[str]) -> date | None:
    """Return the day of a brief's signature or heading, the last one if there are several.

    >>> day_of(["El 2 de enero de 2018 fue despedido.", "En Madrid, a 3 de mayo de 2021."])
    datetime.date(2021, 5, 3)
    """
    last_day: date | None = None
    for paragraph in paragraphs:
        for line in paragraph.splitlines()[-3:]:
            folded = " ".join(fold(line).strip(" *_#").split())
            for pattern in (_SIGNED, _HEADED, _NUMERIC):
                match = pattern.match(folded[-160:]) if len(folded) < 260 else None
                if match and (day := _date(match)):
                    last_day = day
                    break
    return last_day


def _date(match: re.Match[str]) -> date | None:
    month = int(match["month"]) if match["month"].isdigit() else month_number(match["month"])
    try:
        return date(int(match["year"]), month, numeral(match["day"]) or 0)
    except ValueError:
        return None


_POINTS_BACK = re.compile(
    r"\b(?:citad|mencionad|referid|indicad|dich|aludid|mism)[oa]s?\b|\b(?:este|ese|el) (?:precepto|artículo|apartado)\b"
    r"|\ba cuyo tenor\b",
    re.IGNORECASE,
)
_OTHER_TEXT = re.compile(
    r"(?:[,;.]\s|\s(?:y|e)\s).{0,60}?\b(?:convenio|directiva|pacto|contrato|carta|doctrina|jurisprudencia|tribunal|sala"
    r"|circular|criterio|cláusula|perit[oa]|testigo)\b",
    re.IGNORECASE | re.DOTALL,
)

_SAYS_ENDED = re.compile(
    r"\bderogad|\bno existe|\binexistente|\bya no\b|\bentonces vigente|\b(?:anterior|antigua|entonces) redacción"
    r"|\bredacción (?:anterior|entonces|vigente en|dada por)|\bsuprimid|\bsin vigencia",
    re.IGNORECASE,
)

_BRACKET = re.compile(r"[»”\"*_\s]{0,6}[(\[]")

_LONGEST_TITLE = 120

_NEAR = 60

_PARAPHRASE = 0.8

Named = tuple[Citation, LookedUp]
_Told = list[tuple[Finding, int | None]]
"""Findings, each with the offset of the citation that it is about, if known."""


async def check_brief(
    paragraphs: Sequence[BriefParagraph],
    store: ChunkStore,
    official: Collection[str],
    today: date,
    day: date | None = None,
    warnings: Sequence[str] = (),
) -> BriefReport:
    """Check a brief against the law of ``day``, else of the day in the brief, else of today.

    ``official`` are the ids of laws with official text in the index. ``warnings`` come from the reader of the brief.
    """
    own = day_of(paragraph.text for paragraph in paragraphs)
    origin: DayOrigin = "option" if day else "brief" if own else "today"
    as_of = day or own or today
    provisions = Provisions(store, as_of, today, official)
    checked: dict[int, CheckedParagraph] = {}
    unchecked: list[str] = []
    without_wording: list[str] = []
    before: list[Named] = []
    for passage in passages(paragraphs):
        citations = citations_of(passage.text, as_of)
        named = [(citation, await provisions.look_up(citation)) for citation in citations]
        told, supported = await _findings(passage, named, before, provisions)
        _note(checked, paragraphs, passage, named, told, supported)
        unchecked += [around(passage.text, citation) for citation, record in named if record.status == "not_indexed"]
        without_wording += [
            around(passage.text, citation) for citation, record in named if record.status == "no_wording"
        ]
        before = named or before
    rulings: list[BriefRuling] = []
    written = max(own, day or own) if own else today
    for number, paragraph in enumerate(paragraphs):
        for ruling, start, end in await rulings_in(paragraph.text, number + 1, store, written):
            rulings.append(ruling)
            if ruling["status"] == "differs":
                findings = _checked(checked, paragraphs, number)["findings"]
                findings.append(
                    make_finding("citation", "ruling_differs", paragraph.text, (start, end), ruling["message"])
                )
                findings.sort(key=lambda finding: finding["start"])
    return {
        "title": _title(paragraphs),
        "day": as_of.isoformat(),
        "day_origin": origin,
        "counts": _counts(checked.values(), rulings),
        "paragraphs": [checked[number] for number in sorted(checked)],
        "rulings": rulings,
        "unchecked": list(dict.fromkeys(unchecked)),
        "without_wording": list(dict.fromkeys(without_wording)),
        "warnings": list(warnings),
        "incomplete": [
            {"paragraph": number, "page": paragraph.page, "marks": marks}
            for number, paragraph in enumerate(paragraphs, 1)
            if (marks := gaps_in(paragraph.text))
        ],
        "ok": not any(paragraph["findings"] for paragraph in checked.values()),
    }


def _title(paragraphs: Sequence[BriefParagraph]) -> str:
    texts = (paragraph.text.strip(" #*_\n") for paragraph in paragraphs)
    first = next((text for text in texts if text and marks_in(text) != [text]), "")
    return first if len(first) <= _LONGEST_TITLE and "\n" not in first else ""


def _counts(checked: Collection[CheckedParagraph], rulings: Sequence[BriefRuling]) -> Counts:
    outcomes = [citation["outcome"] for paragraph in checked for citation in paragraph["citations"]]
    told = Counter([*outcomes, *(ruling["status"] for ruling in rulings)])
    existing = sum(citation["basis"] == "existence" for paragraph in checked for citation in paragraph["citations"])
    return {
        "citations": told.total(),
        "confirmed": told["confirmed"],
        "existing": existing,
        "differs": told["differs"],
        "not_found": told["not_found"],
        "unchecked": told["unchecked"],
    }


async def _findings(
    passage: Passage, named: Sequence[Named], before: Sequence[Named], provisions: Provisions
) -> tuple[_Told, set[int]]:
    text, day = passage.text, provisions.day
    findings: _Told = [
        (finding, citation.start)
        for citation, record in named
        if not _is_quoted(passage, citation.start)
        and not _SAYS_ENDED.search(text[max(0, citation.start - _NEAR) : citation.end + _NEAR])
        and (finding := citation_finding(text, citation, record, day))
    ]
    own = [pair for pair in named if not _is_quoted(passage, pair[0].start)]
    inherited = [] if own else list(before) if _POINTS_BACK.search(text) else []
    sources = _sources([*named, *inherited])
    if not sources:
        return findings, set()
    answer = read_answer(text, "", sources)
    quotations = [q for q in passage.quotations if _may_be_judged(passage, q, own, inherited)]
    quoted = quotation_findings(answer, quotations)
    quoted += [finding for finding in quotation_findings(answer, passage.doubtful) if _is_close(finding)]
    unsure = {f"C{source.number}" for source in sources if _certainty(source, [*named, *inherited]) == "unknown"}
    for finding in quoted:
        judged = _other_wording(finding, [*named, *inherited], day) or finding
        findings.append(({**judged, "severity": "warning"} if finding["mark"] in unsure else judged, None))
    cited = [await _cited(citation, record, provisions) for citation, record in named if record.wording]
    doubted = {citation.start for citation, record in named if record.certainty == "unknown"}
    elsewhere = await _elsewhere(answer, cited, provisions)
    misplaced = {about for _, about in elsewhere}
    wrong = {about for _, about in findings if about is not None}
    for finding, about in [*elsewhere, *(pair for pair in claim_findings(answer, cited) if pair[1] not in misplaced)]:
        if about not in wrong and not _is_quoted(passage, finding["start"]):
            findings.append(({**finding, "severity": "warning"} if about in doubted else finding, about))
    supported = {each.citation.start for each in cited if is_supported(answer, each) or _is_quoted_right(passage, each)}
    return sorted(findings, key=lambda pair: pair[0]["start"]), supported


async def _elsewhere(answer: ReadAnswer, cited: Sequence[Cited], provisions: Provisions) -> list[tuple[Finding, int]]:
    by_start = {each.citation.start: each for each in cited}
    findings = []
    for sentence in answer.sentences:
        cited_once = by_start.get(sentence.named[0].start) if len(sentence.named) == 1 else None
        if cited_once and (finding := await other_provision(sentence, cited_once, provisions)):
            findings.append((finding, cited_once.citation.start))
    return findings


def _is_quoted_right(passage: Passage, cited: Cited) -> bool:
    near = (each for each in passage.quotations if each.length >= LEAST_QUOTED)
    return any(stands_in(each.pieces, [cited.source.text]) for each in near)


def _sources(named: Sequence[Named]) -> list[Source]:
    refs = {
        (citation.law_id, citation.provision_key): record
        for citation, record in named
        if citation.law_id and record.wording
    }
    return [source_of(number, ref, record) for number, (ref, record) in enumerate(refs.items(), 1)]


def _certainty(source: Source, named: Sequence[Named]) -> Certainty:
    return next(
        record.certainty for citation, record in named if (citation.law_id, citation.provision_key) == source.ref
    )


def _is_quoted(passage: Passage, offset: int) -> bool:
    return any(quotation.start <= offset < quotation.end for quotation in (*passage.quotations, *passage.doubtful))


def _may_be_judged(passage: Passage, quotation: Quotation, own: Sequence[Named], inherited: Sequence[Named]) -> bool:
    text = passage.text
    behind = text[quotation.end : quotation.end + _NEAR].partition(".")[0]
    in_brackets = bool(_BRACKET.match(behind))
    ahead = [pair for pair in own if pair[0].end <= quotation.start]
    following = [pair for pair in own if 0 <= pair[0].start - quotation.end < _NEAR]
    if RULING.search(behind) and (in_brackets or not ahead):
        return False
    nearest = (in_brackets and following[:1]) or ahead[-1:] or following[:1] or list(inherited[-1:])
    if not nearest:
        return False
    citation, record = nearest[0]
    between = text[citation.end : quotation.start] if citation.end <= quotation.start else ""
    return record.wording is not None and not RULING.search(between) and not _OTHER_TEXT.search(between)


def _is_close(finding: Finding) -> bool:
    if not finding["evidence"]:
        return False
    said, real = set(words_of(finding["where"]).tokens), set(words_of(finding["evidence"]).tokens)
    return len(said & real) >= _PARAPHRASE * max(len(said), len(real))


async def _cited(citation: Citation, record: LookedUp, provisions: Provisions) -> Cited:
    assert record.wording is not None
    source = source_of(1, (citation.law_id or "", citation.provision_key), record)
    cited = Cited(citation, division_of(source.text), source, record.wording.head["collection"])
    return replace(cited, referred=await provisions.referred_text(cited.scope, source.ref))


def _other_wording(finding: Finding, named: Sequence[Named], day: date) -> Finding | None:
    pieces = pieces_of(finding["where"])
    for _, record in named:
        for wording in record.others:
            if stands_in(pieces, [wording.text]):
                head = wording.head
                message = translate(
                    "brief.other_wording",
                    provision=head["provision"],
                    law=head["law_name"],
                    span=validity(wording),
                    day=long_day(day.isoformat()),
                )
                return {**finding, "kind": "other_wording", "message": message, "evidence": ""}
    return None


def _note(
    checked: dict[int, CheckedParagraph],
    paragraphs: Sequence[BriefParagraph],
    passage: Passage,
    named: Sequence[Named],
    findings: _Told,
    supported: Collection[int],
) -> None:
    is_incomplete = bool(gaps_in(passage.text))
    at_fault = _at_fault(named, _sources(named), findings)
    for citation, record in named:
        number, _ = passage.paragraph_at(citation.start)
        shown = described(passage.text[citation.start : citation.end], citation, record)
        is_known = (
            record.status in ("in_force", "repealed", "not_yet") and record.certainty != "unknown" and not is_incomplete
        )
        shown["outcome"] = at_fault.get(citation.start) or ("confirmed" if is_known else "unchecked")
        if shown["outcome"] == "confirmed":
            is_law = record.status == "in_force"
            shown["basis"] = "text" if citation.start in supported else "existence" if is_law else "ended"
        _checked(checked, paragraphs, number)["citations"].append(shown)
    for finding, _ in findings:
        number, start = passage.paragraph_at(finding["start"])
        own: Finding = {**finding, "start": finding["start"] - start, "end": finding["end"] - start}
        _checked(checked, paragraphs, number)["findings"].append(own)


def _at_fault(
    named: Sequence[Named], sources: Sequence[Source], findings: Sequence[tuple[Finding, int | None]]
) -> dict[int, Outcome]:
    """Return the outcome of faulty citations by offset; without a citation, the nearest compared one is at fault."""
    outcomes: dict[int, Outcome] = {}
    refs = {source.mark: source.ref for source in sources}
    for finding, about in findings:
        ref = refs.get(finding["mark"])
        near = [each.start for each, _ in named if ref in (None, (each.law_id, each.provision_key))]
        place = min(near, key=lambda start: abs(start - finding["start"]), default=None) if about is None else about
        if place is not None:
            is_absent = finding["kind"] in ("unknown_provision", "unknown_subdivision")
            outcomes[place] = "not_found" if is_absent else "differs"
    return outcomes


def _checked(
    checked: dict[int, CheckedParagraph], paragraphs: Sequence[BriefParagraph], number: int
) -> CheckedParagraph:
    read = paragraphs[number]
    empty = CheckedParagraph(
        number=number + 1, place=read.place, page=read.page, text=read.text, citations=[], findings=[]
    )
    return checked.setdefault(number, empty)
