"""Wordings of a provision: their hash, the certainty of their days, and the notes for readers."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from hashlib import blake2b
from typing import Literal

from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.table_text import without_heads
from articulado.language.translation import translate
from articulado.legal.validity import in_force
from articulado.values.chunks import NO_DAYS, Candidate, Chunk, Emptied, WordingChange, WordingDates, with_changed

FIRST_DAY_DEDUCED = "El día en que empezó a regir se deduce de la fecha de la reforma: compruébelo en el BOE."

Certainty = Literal["sure", "derived", "unknown"]  # ``derived``: the source leaves room for another wording

_SETTLED = timedelta(days=365)  # Time after the day deduced from its publication when a norm is law beyond doubt

_WORD = re.compile(r"\w+")
_FEMININE = ("Ley", "Orden", "Resolución", "Sentencia", "Circular", "Instrucción", "Reforma")
_VERBS: Mapping[str, str] = {"amends": "modifica", "replaces": "sustituye", "repeals": "deroga o suprime"}


def wording_hash(text: str) -> str:
    """Return 16 hexadecimal digits of the words of a text; case, accents, punctuation and layout do not count."""
    return blake2b(" ".join(_WORD.findall(fold(text))).encode(), digest_size=8).hexdigest()


def wording_hash_of(parts: Iterable[Chunk]) -> str:
    return wording_hash("\n".join(without_heads(part["text"] for part in parts)))


def wording_status_note(
    wording: WordingDates, valid_from: str | None, valid_to: str | None, source_note: str = ""
) -> str:
    """Return a note on the first and last day of a wording that holds for every day asked about.

    ``source_note`` is the status given by the source; it no longer counts once the wording has ended.
    """
    if "last_day" in wording and valid_to:
        return _ended_note(wording, valid_from, valid_to)
    note = source_note
    if not note and "brought_by" in wording:
        note = _brought_by(wording["brought_by"])
    return f"{note} {FIRST_DAY_DEDUCED}".lstrip() if wording.get("first_day", "exact") != "exact" else note


def _ended_note(wording: WordingDates, valid_from: str | None, valid_to: str) -> str:
    changes = wording.get("ended_by", [])
    if wording.get("tracked") and valid_from:
        outcome = f"la {_VERBS[changes[-1]['act']]} {_norm_named(changes[-1])}" if changes else "después, sin vigencia"
        note = f"Redacción en vigor del {long_day(valid_from)} al {_day_before(valid_to)}; {outcome}."
    elif not changes:
        note = (
            f"Redacción en vigor al menos el {long_day(wording['last_seen'])}; dejó de estarlo un día que no consta, "
            f"a más tardar el {long_day(valid_to)}."
        )
    else:
        note = _until_change(changes[0])
    if len(changes) > 1:
        last = changes[-1]
        note += (
            f" No constan aquí las redacciones siguientes, hasta que {_norm_named(last)} la {_VERBS[last['act']]}, "
            f"desde el {long_day(last['day'])}."
        )
    lost = " La fuente no recoge los cuadros de esta redacción, si los tenía."
    return f"{note}{lost if wording.get('tables_lost') else ''}"


def _until_change(change: WordingChange) -> str:
    last, verb, norm = _day_before(change["day"]), _VERBS[change["act"]], _norm_named(change)
    if change["deduced_from"] is None:
        return f"Redacción en vigor hasta el {last}; la {verb} {norm}."
    published = change["deduced_from"] == "publication"
    event = f"día en que se publicó {norm}" if published else f"fecha de {norm}".replace("de el ", "del ")
    return f"Redacción en vigor al menos hasta el {last}, {event}, que la {verb}."


def _brought_by(change: WordingChange) -> str:
    if change["deduced_from"] is None or change["published"] is None:
        return f"Redacción dada por {_norm_named(change)}, en vigor desde el {long_day(change['day'])}."
    return f"Redacción dada por {_norm_named(change)}, publicada el {long_day(change['published'])}."


def emptied_note(change: Emptied) -> str:
    norm = with_article(change["by"], change["law_id"])
    return f"Sin objeto desde el {long_day(change['since'])}, aunque no está derogado: {norm} {change['reason']}."


def with_article(name: str, law_id: str) -> str:
    """Return "la Ley 11/2023, de 8 de mayo (BOE-A-2023-11022)" for a norm."""
    if not name:
        return f"la norma {law_id}"
    article = "las" if name.startswith("Sentencias") else "la" if name.startswith(_FEMININE) else "el"
    return f"{article} {name} ({law_id})" if law_id else f"{article} {name}"


def of_law(name: str) -> str:
    """Return a norm's name after "de": "de la Ley 11/2023", "del Real Decreto 5/2023"."""
    return f"de {with_article(name, '')}".replace("de el ", "del ", 1)


def _norm_named(change: WordingChange) -> str:
    return with_article(change["norm"], change["law_id"]) if change["norm"] or change["law_id"] else "otra posterior"


def _day_before(day: str) -> str:
    return long_day((date.fromisoformat(day) - timedelta(days=1)).isoformat())


def tracked_laws(chunks: Iterable[Chunk]) -> frozenset[str]:
    """Return the ids of the laws whose source records amendments, as shown by these chunks."""
    return frozenset(
        chunk["law_id"]
        for chunk in chunks
        if chunk["source"] == "official" and (chunk["notes"] or _amended_on_record(chunk["wording"]))
    )


def _amended_on_record(wording: WordingDates) -> bool:
    return wording.get("tracked", False) and "last_day" in wording


def certainty(chunk: Chunk, day: date, tracked: frozenset[str]) -> Certainty:
    """Return the certainty that a wording was that of a day within its span.

    A wording without days of its own is sure only if no amendment of its law is known; ``tracked`` are the laws whose
    source records amendments.
    """
    wording, begins = chunk["wording"], _day(chunk["valid_from"])
    if chunk["source"] != "official":
        return "unknown"
    if _others_between(wording) or (_first_day_deduced(wording) and begins and day < begins + _SETTLED):
        return "derived"
    changed = _day(chunk.get("law_days", NO_DAYS)["changed"])
    unchanged = _never_amended(chunk, tracked) or (changed is not None and day >= changed)
    return "sure" if "last_day" in wording or "first_day" in wording or unchanged else "unknown"


def _never_amended(chunk: Chunk, tracked: frozenset[str]) -> bool:
    """Tell if a wording is as old as its law: no amendment is published or recorded."""
    days = chunk.get("law_days", NO_DAYS)
    return (chunk["law_id"] in tracked and not chunk["notes"]) or days["changed"] == (days["published"] or "?")


def first_day_known(chunk: Chunk, tracked: frozenset[str] = frozenset()) -> str | None:
    """Return the first day of a wording (ISO 8601); ``None`` if only the publication of its law is known."""
    if not has_wordings(chunk) or "first_day" in chunk["wording"]:
        return chunk["valid_from"]
    if chunk["source"] != "official":
        return None
    days = chunk.get("law_days")
    if days is None:
        return chunk["valid_from"]
    known_to_begin = days["begins"] is not None and ("last_day" in chunk["wording"] or _never_amended(chunk, tracked))
    return chunk["valid_from"] if known_to_begin else None


def last_change_of(chunk: Chunk) -> str | None:
    """Return the day (ISO 8601) of the last known change of a chunk's law, or ``None``; publication is no change."""
    days = chunk.get("law_days", NO_DAYS)
    if days["changed"]:
        return days["changed"] if days["changed"] > days["published"] else None
    began = chunk["valid_from"] if "first_day" in chunk["wording"] else None
    return began if began and days["published"] and began > max(days["published"], days["begins"] or "") else None


def _others_between(wording: WordingDates) -> bool:
    return wording.get("last_day") == "unknown" or len(wording.get("ended_by", ())) > 1


def _first_day_deduced(wording: WordingDates) -> bool:
    return wording.get("first_day", "exact") != "exact" and "last_day" not in wording


def has_wordings(chunk: Chunk) -> bool:
    """Tell if a chunk belongs to a law; rulings, criteria and documents have no wordings."""
    return chunk["chunk_type"] == "provision"


def wording_note(chunk: Chunk, day: date, tracked: frozenset[str]) -> str:
    """Return the line on the wording of a chunk cited for a day: at most 73 characters, without full stop."""
    if not has_wordings(chunk):
        return ""
    begins, ends = _day(chunk["valid_from"]), _day(chunk["valid_to"])
    last = ends - timedelta(days=1) if ends else None
    if begins and begins > day:
        return f"Rige desde el {begins:%d/%m/%Y}: no es la redacción del {day:%d/%m/%Y}"
    if last and last < day:
        return f"Rigió hasta el {last:%d/%m/%Y}: no es la redacción del {day:%d/%m/%Y}"
    if certainty(chunk, day, tracked) == "unknown":
        kind = "Única redacción en el índice" if chunk["source"] == "official" else "Resume la redacción de hoy"
        return f"{kind}: compruebe la del {day:%d/%m/%Y}"
    wording = chunk["wording"]
    begins = _day(first_day_known(chunk, tracked))
    deduced = _first_day_deduced(wording) or wording.get("last_day", "exact") != "exact"
    if begins and last:
        span, doubt = f" del {begins:%d/%m/%Y} al {last:%d/%m/%Y}", " (fechas deducidas)"
    else:
        span = f" desde el {begins:%d/%m/%Y}" if begins else f" hasta el {last:%d/%m/%Y}" if last else ""
        if not span and (changed := _day(chunk.get("law_days", NO_DAYS)["changed"])):
            return f"Norma sin cambios publicados desde el {changed:%d/%m/%Y}"
        doubt = " (fecha deducida)"
    return f"Redacción vigente{span}{doubt if deduced else ''}"


def annotate_validity(candidate: Candidate, day: date) -> Candidate:
    """Prepend to the status note the days of a wording that is not that of the day asked about."""
    chunk = candidate["chunk"]
    begins, ends = _day(chunk["valid_from"]), _day(chunk["valid_to"])
    if begins and begins > day:
        span = f"rige desde el {begins:%d/%m/%Y}"
    elif ends and ends <= day:
        span = f"rigió hasta el {ends - timedelta(days=1):%d/%m/%Y}"
    else:
        return candidate
    note = f"Esta redacción {span} y no es la del {day:%d/%m/%Y}, por la que se pregunta. {chunk['status_note']}"
    return with_changed(candidate, status_note=note.rstrip())


def annotate_upcoming(candidate: Candidate) -> Candidate:
    """Prepend to the status note that the provision begins after today."""
    note = f"Todavía no está en vigor: rige desde el {long_day(candidate['chunk']['valid_from'] or '')}."
    return with_changed(candidate, status_note=f"{note} {candidate['chunk']['status_note']}".rstrip())


RECENT = timedelta(days=31)  # Age of a day up to which today's law answers a question about it


def day_to_check(day: date | None, today: date, cited: Iterable[Chunk]) -> date | None:
    """Return the day whose wordings an answer must mention; ``None`` for a recent day whose law is still in force."""
    if day is None or not today - RECENT <= day <= today:
        return day
    laws = filter(has_wordings, cited)
    return None if all(in_force(chunk, day, today) for chunk in laws) else day


def past_law_warnings(day: date | None, cited: Mapping[str, Candidate], tracked: frozenset[str]) -> list[str]:
    """Return the warnings for an answer about the law of another day; ``cited`` are the fragments by mark."""
    if day is None:
        return []
    question_day = translate("past_law.question_day", day=day)
    laws = {mark: candidate for mark, candidate in cited.items() if has_wordings(candidate["chunk"])}
    if not laws:
        return [translate("past_law.only_last", question_day=question_day)]
    others = {mark: candidate for mark, candidate in laws.items() if not in_force(candidate["chunk"], day, day)}
    unsure = [mark for mark in laws if mark not in others and certainty(laws[mark]["chunk"], day, tracked) != "sure"]
    if not unsure and not others:
        if all(_is_of_today(candidate["chunk"]) for candidate in laws.values()):
            return []
        return [translate("past_law.all_ruled", question_day=question_day)]
    warnings = [translate("past_law.stated", question_day=question_day)]
    if unsure:
        warnings[0] += translate("past_law.unsure", marks=_joined(unsure))
    if untold := [mark for mark, candidate in others.items() if "direct" not in candidate["origins"]]:
        warnings.append(translate("past_law.of_other_days", marks=_joined(untold)))
    return warnings


def _is_of_today(chunk: Chunk) -> bool:
    """Tell if a wording is today's and its law has not changed since."""
    return "last_day" not in chunk["wording"] and chunk["valid_to"] is None and "law_days" in chunk


def _joined(marks: list[str]) -> str:
    return translate("past_law.and").join(filter(None, (", ".join(marks[:-1]), marks[-1])))


def _day(written: str | None) -> date | None:
    return date.fromisoformat(written) if written else None
