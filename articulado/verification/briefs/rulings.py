"""Look up the rulings named in a brief, and compare number, date, ECLI and court with the index."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.quantities import DATE, quantities
from articulado.language.translation import translate
from articulado.legal.ids import COURTS, Decision, decisions_in
from articulado.retrieval.question import look_up_decisions
from articulado.values.answers import NamedDecision
from articulado.values.chunks import Chunk
from articulado.values.protocols import ChunkStore
from articulado.verification.briefs.passages import BriefRuling

RULING = re.compile(
    r"\bECLI:[A-Z]{2}:[A-Z]{2,8}:\d{4}:\d{1,6}[A-Z]?"
    r"|\b(?:SS?TSJ?|STJUE|SSTC|STC|SAN|ATS|ATC|SJS)\b[^;«»\n]{0,60}?\d{1,5}/\d{4}(?:,? de \d{1,2} de [a-z]+)?"
    r"|\b(?:sentencias?|auto) (?:del? |núm\.? |n\.?º ?|la |Tribunal |Sala |Supremo |Social |Constitucional |lo )*"
    r"\d{1,5}/\d{4}"
)
"""A ruling of any court, including courts whose numbers are not parsed."""
_TO_DATE = re.compile(
    r"[\s,()]*(?:(?:de|del|pleno|sala [\w ().ª]{1,40}|(?:rec|rcud|recurso|rj)\.?\s?(?:núm\.?\s?)?[\d/]+)[\s,()]*)*",
    re.IGNORECASE,
)
_TO_ECLI = 60
_YEAR = re.compile(r"(?:/|\bde )((?:19|20)\d\d)\b|:((?:19|20)\d\d):")
_ISSUED = re.compile(
    r"\bdictad[ao]s? por (?:el |la )?"
    r"(?P<court>Tribunal Supremo|Tribunal Constitucional|Audiencia Nacional|Tribunal de Justicia)"
)


async def rulings_in(text: str, number: int, store: ChunkStore, latest: date) -> list[tuple[BriefRuling, int, int]]:
    """Return the rulings of a paragraph with their offsets; one after ``latest``, the day of the brief, differs."""
    named = list(_named_rulings(text))
    rulings = [await _ruling(text, number, group, store, latest) for group in named]
    taken = [(start, end) for _, start, end in rulings]
    for match in RULING.finditer(text):
        if not any(match.start() < end and start < match.end() for start, end in taken):
            rulings.append((_not_found(match[0], number, latest), match.start(), match.end()))
    return sorted(rulings, key=lambda ruling: ruling[1])


def _named_rulings(text: str) -> Iterator[list[Decision]]:
    group: list[Decision] = []
    for decision in decisions_in(text):
        between = text[group[-1].end : decision.start] if group else ""
        if group and decision.ecli and not group[-1].ecli and len(between) <= _TO_ECLI and ";" not in between:
            group.append(decision)
            continue
        if group:
            yield group
        group = [decision]
    if group:
        yield group


async def _ruling(
    text: str, number: int, group: list[Decision], store: ChunkStore, latest: date
) -> tuple[BriefRuling, int, int]:
    first, ecli = group[0], group[-1].ecli
    start, end = first.start, group[-1].end
    chunk = await _chunk_of(first, store)
    day, day_end = _date_behind(text, first.end)
    where = text[start : max(end, day_end)]
    if chunk is None:
        ruling = _not_found(where, number, latest, day)
        if first.key and (other := await _of_another_court(first, store)):
            own_court = translate("brief.ruling_of_another_court", name=other["provision"], court=other["law_name"])
            ruling["message"] = f"{own_court} {ruling['message']}".rstrip()
        return ruling, start, max(end, day_end)
    real_ecli = chunk["law_id"] if chunk["law_id"].startswith("ECLI:") else ""
    real_day = chunk["valid_from"] or ""
    wrong = []
    if day and real_day and not _is_same_day(day, real_day):
        wrong.append(translate("brief.ruling_date", name=chunk["provision"], real=long_day(real_day)))
    if ecli and real_ecli and ecli != real_ecli:
        wrong.append(translate("brief.ruling_ecli", name=chunk["provision"], real=real_ecli))
    court = _ISSUED.search(text, end, end + 100)
    if court and fold(court["court"]) not in fold(chunk["law_name"]):
        wrong.append(translate("brief.ruling_court", name=chunk["provision"], real=chunk["law_name"]))
    if real_day > latest.isoformat():
        wrong.append(
            translate(
                "brief.ruling_later",
                name=chunk["provision"],
                real=long_day(real_day),
                day=long_day(latest.isoformat()),
            )
        )
    ruling = {
        "where": where,
        "paragraph": number,
        "status": "differs" if wrong else "confirmed",
        "indexed": True,
        "name": chunk["provision"],
        "court": chunk["law_name"],
        "date": real_day,
        "ecli": real_ecli,
        "title": chunk["title"],
        "text": chunk["text"],
        "url": chunk["url"],
        "message": " ".join(wrong),
    }
    return ruling, start, max(end, day_end)


async def _chunk_of(decision: Decision, store: ChunkStore) -> Chunk | None:
    named = NamedDecision(key=decision.key, ecli=decision.ecli, name="")
    candidates = await look_up_decisions([named], store)
    return candidates[0]["chunk"] if candidates else None


async def _of_another_court(decision: Decision, store: ChunkStore) -> Chunk | None:
    court, _, rest = decision.key.partition("-")
    for other in COURTS if court in COURTS else ():
        if other != court and (chunk := await _chunk_of(replace(decision, key=f"{other}-{rest}"), store)):
            return chunk
    return None


def _date_behind(text: str, end: int) -> tuple[int, int]:
    """Return the date behind the number of a ruling (YYYYMMDD or MMDD) and its end offset; zeros without one."""
    window = text[end : end + 100]
    for quantity in quantities(window):
        if quantity.unit == DATE and _TO_DATE.fullmatch(window[: quantity.start]):
            return int(quantity.value), end + quantity.end
    return 0, 0


def _is_same_day(said: int, real: str) -> bool:
    day = int(real.replace("-", ""))
    return said in (day, day % 10_000)


def _not_found(where: str, number: int, latest: date, day: int = 0) -> BriefRuling:
    years = (int(match[1] or match[2]) for match in _YEAR.finditer(where))
    is_later = max(years, default=0) > latest.year or day > int(f"{latest:%Y%m%d}")
    message = translate("brief.ruling_bears_later", day=long_day(latest.isoformat())) if is_later else ""
    where = f"{where})" if where.count("(") > where.count(")") else where
    return {
        "where": where,
        "paragraph": number,
        "status": "not_found",
        "indexed": False,
        "name": "",
        "court": "",
        "date": "",
        "ecli": "",
        "title": "",
        "text": "",
        "url": "",
        "message": message,
    }
