"""Check the citations, quotations and figures of a brief against the law of its day.

``check_brief`` uses the given day, else the day in the brief, else today. ``day_of`` reads the date of the
signature or the heading. Quotations are judged only if their provision is named nearby and its text is
indexed.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, long_day, month_number
from articulado.language.numerals import numeral
from articulado.language.quantities import DATE, quantities
from articulado.language.translation import translate
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.laws.mentions import mentions_in
from articulado.legal.wordings import Certainty
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore
from articulado.verification.briefs.passages import (
    BriefCitation,
    BriefParagraph,
    BriefReport,
    BriefRuling,
    CheckedParagraph,
    DayOrigin,
    Passage,
    passages,
)
from articulado.verification.briefs.provisions import (
    LookedUp,
    Provisions,
    citation_finding,
    described,
    source_of,
    validity,
)
from articulado.verification.figures import figure_findings
from articulado.verification.quotations import quotation_findings, stands_in
from articulado.verification.quoted_text import Quotation, pieces_of
from articulado.verification.reading import ReadAnswer, read_answer
from articulado.verification.sources import Source, words_of

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
    """Return the day that a brief bears, the last one if there are several; ``None`` if it has none.

    >>> day_of(["El 2 de enero de 2018 fue despedido.", "En Madrid, a 3 de mayo de 2021."])
    datetime.date(2021, 5, 3)
    """
    found: date | None = None
    for paragraph in paragraphs:
        for line in paragraph.splitlines()[-3:]:
            folded = " ".join(fold(line).strip(" *_#").split())
            for pattern in (_SIGNED, _HEADED, _NUMERIC):
                match = pattern.match(folded[-160:]) if len(folded) < 260 else None
                if match and (day := _date(match)):
                    found = day
                    break
    return found


def _date(match: re.Match[str]) -> date | None:
    month = int(match["month"]) if match["month"].isdigit() else month_number(match["month"])
    try:
        return date(int(match["year"]), month, numeral(match["day"]) or 0)
    except ValueError:
        return None


_RULING = re.compile(
    r"\bECLI:[A-Z]{2}:[A-Z]{2,8}:\d{4}:\d{1,6}[A-Z]?"
    r"|\b(?:SS?TSJ?|STJUE|SSTC|STC|SAN|ATS|ATC|SJS)\b[^;«»\n]{0,60}?\d{1,5}/\d{4}(?:,? de \d{1,2} de [a-z]+)?"
    r"|\b(?:sentencia|auto)s? (?:del? |núm\.? |n\.?º ?|la |Tribunal |Sala |Supremo |Social |Constitucional |lo )*"
    r"\d{1,5}/\d{4}"
)
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
"""A text without articles that is named after a provision, and before a quotation."""

_A_NAME = re.compile(
    r"[\s,(]{1,3}(?:de la |del |de los |de las |de )?"
    r"(?P<name>[A-ZÁÉÍÓÚÑ]{2,8}\b|Directiva|Código|Convenio|Reglamento|Tratado|Ley|Real Decreto|Decreto|Acuerdo|Carta)"
)
"""What names a law right behind a provision, whether the registry has it or not."""

_SAYS_ENDED = re.compile(
    r"\bderogad|\bno existe|\binexistente|\bya no\b|\bentonces vigente|\b(?:anterior|antigua|entonces) redacción"
    r"|\bredacción (?:anterior|entonces|vigente en|dada por)|\bsuprimid|\bsin vigencia",
    re.IGNORECASE,
)
"""What a brief says of a provision of which it knows that it is law no longer."""

_BRACKET = re.compile(r"[»”\"*_\s]{0,6}[(\[]")
_MONEY = re.compile(r"€|\beuros?\b", re.IGNORECASE)

_NEAR = 60
"""Characters between a quotation and what names its source behind it."""

_PARAPHRASE = 0.8
"""Share of its words that a paragraph without any mark must have of the law to be a quotation of it."""

Named = tuple[Citation, LookedUp]


async def check_brief(
    paragraphs: Sequence[BriefParagraph],
    store: ChunkStore,
    official: Collection[str],
    today: date,
    day: date | None = None,
    warnings: Sequence[str] = (),
) -> BriefReport:
    """Check a brief against the law of a day: the one given, else the one that it bears, else today.

    ``official`` are the ids of the laws of which the index has the official text. ``warnings`` are those of its reader.
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
        findings = _findings(passage, named, before, as_of, today)
        _note(checked, paragraphs, passage, named, findings)
        unchecked += [_around(passage.text, citation) for citation, found in named if found.status == "not_indexed"]
        without_wording += [
            _around(passage.text, citation) for citation, found in named if found.status == "no_wording"
        ]
        before = named or before
    rulings = [
        ruling for number, paragraph in enumerate(paragraphs, 1) for ruling in await _rulings(paragraph, number, store)
    ]
    return {
        "day": as_of.isoformat(),
        "day_origin": origin,
        "paragraphs": [checked[number] for number in sorted(checked)],
        "rulings": rulings,
        "unchecked": list(dict.fromkeys(unchecked)),
        "without_wording": list(dict.fromkeys(without_wording)),
        "warnings": list(warnings),
        "ok": not any(paragraph["findings"] for paragraph in checked.values()),
    }


def citations_of(text: str, day: date | None = None) -> list[Citation]:
    """Return the provisions that a text of a day names; those of a law that is not known are of none.

    >>> [citation.law_id for citation in citations_of("el art. 56 ET y el art. 12 de la Directiva 2003/88/CE")]
    ['BOE-A-2015-11430', None]
    """
    mentions = mentions_in(text, fold(text), day, literal=True)
    citations = []
    for citation in parse_citations(text, CitationContext(day=day)):
        named = _A_NAME.match(text, citation.end)
        is_known = named and any(mention.start <= named.start("name") < mention.end for mention in mentions)
        citations.append(replace(citation, law_id=None) if named and not is_known else citation)
    return citations


def cited_laws(paragraphs: Sequence[BriefParagraph]) -> frozenset[str]:
    """Return the ids of the laws that a brief names provisions of."""
    named = (citation for paragraph in paragraphs for citation in citations_of(paragraph.text))
    return frozenset(citation.law_id for citation in named if citation.law_id)


def _findings(
    passage: Passage, named: Sequence[Named], before: Sequence[Named], day: date, today: date
) -> list[Finding]:
    text = passage.text
    findings = [
        finding
        for citation, found in named
        if not _is_quoted(passage, citation.start)
        and not _SAYS_ENDED.search(text[max(0, citation.start - _NEAR) : citation.end + _NEAR])
        and (finding := citation_finding(text, citation, found, day, today))
    ]
    own = [pair for pair in named if not _is_quoted(passage, pair[0].start)]
    inherited = [] if own else list(before) if _POINTS_BACK.search(text) else []
    sources = _sources([*named, *inherited])
    if not sources:
        return findings
    answer = read_answer(text, "", sources)
    quotations = [q for q in passage.quotations if _may_be_judged(passage, q, own, inherited)]
    quoted = quotation_findings(answer, quotations)
    quoted += [finding for finding in quotation_findings(answer, passage.doubtful) if _is_close(finding)]
    unsure = {f"C{source.number}" for source in sources if _certainty(source, [*named, *inherited]) == "unknown"}
    for finding in quoted:
        judged = _other_wording(finding, [*named, *inherited], day) or finding
        findings.append({**judged, "severity": "warning"} if finding["mark"] in unsure else judged)
    findings += [finding for finding in figure_findings(answer) if _is_of_law(finding, answer, passage)]
    return sorted(findings, key=lambda finding: finding["start"])


def _sources(named: Sequence[Named]) -> list[Source]:
    refs = {
        (citation.law_id, citation.provision_key): found
        for citation, found in named
        if citation.law_id and found.wording
    }
    return [source_of(number, ref, found) for number, (ref, found) in enumerate(refs.items(), 1)]


def _certainty(source: Source, named: Sequence[Named]) -> Certainty:
    """Return how sure it is that a source is the wording of the day of the brief."""
    return next(found.certainty for citation, found in named if (citation.law_id, citation.provision_key) == source.ref)


def _is_quoted(passage: Passage, offset: int) -> bool:
    return any(quotation.start <= offset < quotation.end for quotation in (*passage.quotations, *passage.doubtful))


def _may_be_judged(passage: Passage, quotation: Quotation, own: Sequence[Named], inherited: Sequence[Named]) -> bool:
    """Tell whether a quotation is of a provision whose text is known: the one named next to it is, and no ruling is."""
    text = passage.text
    behind = text[quotation.end : quotation.end + _NEAR].partition(".")[0]
    in_brackets = bool(_BRACKET.match(behind))
    ahead = [pair for pair in own if pair[0].end <= quotation.start]
    following = [pair for pair in own if 0 <= pair[0].start - quotation.end < _NEAR]
    if _RULING.search(behind) and (in_brackets or not ahead):
        return False
    nearest = (in_brackets and following[:1]) or ahead[-1:] or following[:1] or list(inherited[-1:])
    if not nearest:
        return False
    citation, found = nearest[0]
    between = text[citation.end : quotation.start] if citation.end <= quotation.start else ""
    return found.wording is not None and not _RULING.search(between) and not _OTHER_TEXT.search(between)


def _is_close(finding: Finding) -> bool:
    """Tell whether a paragraph that is only introduced by a colon has nearly all words of a wording."""
    if not finding["evidence"]:
        return False
    said, real = set(words_of(finding["where"]).tokens), set(words_of(finding["evidence"]).tokens)
    return len(said & real) >= _PARAPHRASE * max(len(said), len(real))


def _is_of_law(finding: Finding, answer: ReadAnswer, passage: Passage) -> bool:
    """Tell whether a figure is said of the law: in a sentence that names a provision, and no sum of the case."""
    if _MONEY.search(answer.text[finding["start"] : finding["end"] + 10]) or _is_quoted(passage, finding["start"]):
        return False
    if any(quantity.unit == DATE for quantity in quantities(finding["where"])):
        return False  # Days are of the facts.
    return any(sentence.start <= finding["start"] < sentence.end and sentence.named for sentence in answer.sentences)


def _other_wording(finding: Finding, named: Sequence[Named], day: date) -> Finding | None:
    """Return the finding that a quotation is of a wording of another time, if it is one."""
    pieces = pieces_of(finding["where"])
    for _, found in named:
        for wording in found.others:
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
    findings: Sequence[Finding],
) -> None:
    """Note what a passage names and what is wrong in it with its paragraphs."""
    for citation, found in named:
        number, _ = passage.paragraph_at(citation.start)
        shown = described(passage.text[citation.start : citation.end], citation, found)
        _checked(checked, paragraphs, number)["citations"].append(shown)
    for finding in findings:
        number, start = passage.paragraph_at(finding["start"])
        own: Finding = {**finding, "start": finding["start"] - start, "end": finding["end"] - start}
        _checked(checked, paragraphs, number)["findings"].append(own)


def _checked(
    checked: dict[int, CheckedParagraph], paragraphs: Sequence[BriefParagraph], number: int
) -> CheckedParagraph:
    paragraph = paragraphs[number]
    citations: list[BriefCitation] = []
    findings: list[Finding] = []
    return checked.setdefault(
        number,
        {
            "number": number + 1,
            "place": paragraph.place,
            "page": paragraph.page,
            "text": paragraph.text,
            "citations": citations,
            "findings": findings,
        },
    )


async def _rulings(paragraph: BriefParagraph, number: int, store: ChunkStore) -> list[BriefRuling]:
    """Return the rulings that a paragraph names; the index has one that goes by its ECLI."""
    rulings: list[BriefRuling] = []
    for found in dict.fromkeys(match[0] for match in _RULING.finditer(paragraph.text)):
        where = f"{found})" if found.count("(") > found.count(")") else found
        indexed = where.startswith("ECLI:") and bool(await store.find(where, f"{where}#1"))
        rulings.append({"where": where, "paragraph": number, "indexed": indexed})
    return rulings


def _around(text: str, citation: Citation) -> str:
    """Return a provision as it is named, with the words behind it that may name its law."""
    behind = re.match(r"(?: (?:del?|de la|la|el|lo|los|las|[A-ZÁÉÍÓÚÑ][\w/]*|\d+/\d{4})\b)*", text[citation.end :])
    return " ".join((text[citation.start : citation.end] + (behind[0] if behind else "")).split()).rstrip(" ,")
