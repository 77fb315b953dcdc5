"""Wordings of a provision: their hash, the certainty of their days, and the notes for readers.

``wording_status_note`` is written once, when a wording is indexed, and holds on any day. ``certainty`` and
the functions after it serve questions about the law of another day: the wording that applied, its
certainty, and the warnings of the answer.
"""

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
"""What is said of a wording in force whose first day no source gives."""

Certainty = Literal["sure", "derived", "unknown"]
"""How sure it is that a wording was that of a day: ``derived``, if the source leaves room for another one."""

_SETTLED = timedelta(days=365)
"""So long after the day that is deduced from its publication a norm without a day of its own is law beyond doubt."""

_WORD = re.compile(r"\w+")
_FEMININE = ("Ley", "Orden", "Resolución", "Sentencia", "Circular", "Instrucción", "Reforma")
_VERBS: Mapping[str, str] = {"amends": "modifica", "replaces": "sustituye", "repeals": "deroga o suprime"}


def wording_hash(text: str) -> str:
    """Return 16 hexadecimal digits that change when a word of a provision's text does.

    Case, accents, punctuation and layout do not count: the same wording has the same hash in every source.
    """
    return blake2b(" ".join(_WORD.findall(fold(text))).encode(), digest_size=8).hexdigest()


def wording_hash_of(parts: Iterable[Chunk]) -> str:
    """Return the ``wording_hash`` of a provision from its chunks, in order of part."""
    return wording_hash("\n".join(without_heads(part["text"] for part in parts)))


def wording_status_note(
    wording: WordingDates, valid_from: str | None, valid_to: str | None, source_note: str = ""
) -> str:
    """Return what is known of the days of a wording, as exactly as it is known, and as true before them as after.

    ``source_note`` is what the source says of the status of the wording; that no longer counts once it has ended.
    """
    if "last_day" in wording and valid_to:
        return _ended_note(wording, valid_from, valid_to)
    note = source_note
    if not note and "brought_by" in wording:
        note = _brought_by(wording["brought_by"])
    return f"{note} {FIRST_DAY_DEDUCED}".lstrip() if wording.get("first_day", "exact") != "exact" else note


def _ended_note(wording: WordingDates, valid_from: str | None, valid_to: str) -> str:
    """Return from when to when a wording that ended was law, and what ended it."""
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
    """Return until when a wording was law at least, and by which change it is no longer."""
    last, verb, norm = _day_before(change["day"]), _VERBS[change["act"]], _norm_named(change)
    if change["deduced_from"] is None:
        return f"Redacción en vigor hasta el {last}; la {verb} {norm}."
    published = change["deduced_from"] == "publication"
    event = f"día en que se publicó {norm}" if published else f"fecha de {norm}".replace("de el ", "del ")
    return f"Redacción en vigor al menos hasta el {last}, {event}, que la {verb}."


def _brought_by(change: WordingChange) -> str:
    """Return by which change a wording came."""
    if change["deduced_from"] is None or change["published"] is None:
        return f"Redacción dada por {_norm_named(change)}, en vigor desde el {long_day(change['day'])}."
    return f"Redacción dada por {_norm_named(change)}, publicada el {long_day(change['published'])}."


def emptied_note(change: Emptied) -> str:
    """Return the note on a provision that is not repealed and has lost its object."""
    norm = with_article(change["by"], change["law_id"])
    return f"Sin objeto desde el {long_day(change['since'])}, aunque no está derogado: {norm} {change['reason']}."


def with_article(name: str, law_id: str) -> str:
    """Return a norm with its article and, where that is known, its identifier.

    >>> with_article("Ley 11/2023, de 8 de mayo", "BOE-A-2023-11022")
    'la Ley 11/2023, de 8 de mayo (BOE-A-2023-11022)'
    """
    if not name:
        return f"la norma {law_id}"
    article = "las" if name.startswith("Sentencias") else "la" if name.startswith(_FEMININE) else "el"
    return f"{article} {name} ({law_id})" if law_id else f"{article} {name}"


def of_law(name: str) -> str:
    """Return "de la Ley 1/2024", "del Real Decreto 2/2024" for the name of a norm."""
    return f"de {with_article(name, '')}".replace("de el ", "del ", 1)


def _norm_named(change: WordingChange) -> str:
    return with_article(change["norm"], change["law_id"]) if change["norm"] or change["law_id"] else "otra posterior"


def _day_before(day: str) -> str:
    """Return the day before one in ISO 8601, as it is written in Spanish."""
    return long_day((date.fromisoformat(day) - timedelta(days=1)).isoformat())


def tracked_laws(chunks: Iterable[Chunk]) -> frozenset[str]:
    """Return the laws (by id) whose source tells amendments, as far as these chunks show it."""
    return frozenset(
        chunk["law_id"]
        for chunk in chunks
        if chunk["source"] == "official" and (chunk["notes"] or _amended_on_record(chunk["wording"]))
    )


def _amended_on_record(wording: WordingDates) -> bool:
    """Tell whether a wording ended, in a source that has all others, too."""
    return wording.get("tracked", False) and "last_day" in wording


def certainty(chunk: Chunk, day: date, tracked: frozenset[str]) -> Certainty:
    """Return how sure it is that a wording was that of a day between its first and its last one.

    Most laws in Markdown come in one wording only, which seems to be as old as the law. ``tracked`` are the laws whose
    source tells amendments.
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
    """Tell whether a wording is as old as its law: the law has no amendment, or its source notes each and none here."""
    days = chunk.get("law_days", NO_DAYS)
    return (chunk["law_id"] in tracked and not chunk["notes"]) or days["changed"] == (days["published"] or "?")


def first_day_known(chunk: Chunk, tracked: frozenset[str] = frozenset()) -> str | None:
    """Return the first day of a wording (ISO 8601); ``None`` where only the publication of its law is known.

    ``tracked`` are the laws whose source tells amendments.
    """
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
    """Return the day (ISO 8601) of the last change of its law that a chunk tells; ``None`` where it tells none.

    That is the day on which the last amendment of the law was published, else the first day of the wording; the
    publication of the law itself is no change.
    """
    days = chunk.get("law_days", NO_DAYS)
    if days["changed"]:
        return days["changed"] if days["changed"] > days["published"] else None
    began = chunk["valid_from"] if "first_day" in chunk["wording"] else None
    return began if began and days["published"] and began > max(days["published"], days["begins"] or "") else None


def _others_between(wording: WordingDates) -> bool:
    """Tell whether other wordings may have come before the day on which this one ends."""
    return wording.get("last_day") == "unknown" or len(wording.get("ended_by", ())) > 1


def _first_day_deduced(wording: WordingDates) -> bool:
    """Tell whether it is not certain when a wording began that is still law; what ended counts by its last day."""
    return wording.get("first_day", "exact") != "exact" and "last_day" not in wording


def has_wordings(chunk: Chunk) -> bool:
    """Tell whether a chunk is of a law: rulings, criteria and other documents have no wordings."""
    return chunk["chunk_type"] == "provision"


def wording_note(chunk: Chunk, day: date, tracked: frozenset[str]) -> str:
    """Return the line on the wording of a chunk that is cited for the law of a day, without full stop.

    At most 73 characters; empty for what has no wordings.
    """
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
    """Return a candidate; if it is not the wording of the day asked about, its status note says first of when it is."""
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
    """Return a candidate for a provision that begins after today, its status note saying so first."""
    note = f"Todavía no está en vigor: rige desde el {long_day(candidate['chunk']['valid_from'] or '')}."
    return with_changed(candidate, status_note=f"{note} {candidate['chunk']['status_note']}".rstrip())


RECENT = timedelta(days=31)
"""Age of a day up to which a question about it is answered by the law of today."""


def day_to_check(day: date | None, today: date, cited: Iterable[Chunk]) -> date | None:
    """Return the day whose wordings an answer is to tell of; ``None`` where the law of today answers for it.

    That is so for a recent day on which all that is cited was law, as far as the index tells.
    """
    if day is None or not today - RECENT <= day <= today:
        return day
    laws = filter(has_wordings, cited)
    return None if all(in_force(chunk, day, today) for chunk in laws) else day


def past_law_warnings(day: date | None, cited: Mapping[str, Candidate], tracked: frozenset[str]) -> list[str]:
    """Return the warnings for an answer about the law of another day; ``cited`` are the fragments by their marks.

    A provision that the question names has had its own warning where the index lacks its wording of that day.
    """
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
    """Tell whether a wording is that of today, and its law has not changed since the day it is asked about."""
    return "last_day" not in chunk["wording"] and chunk["valid_to"] is None and "law_days" in chunk


def _joined(marks: list[str]) -> str:
    """Return marks as an enumeration: "C1, C2 y C4"."""
    return translate("past_law.and").join(filter(None, (", ".join(marks[:-1]), marks[-1])))


def _day(written: str | None) -> date | None:
    """Return a day in ISO 8601 as a date; ``None`` is open."""
    return date.fromisoformat(written) if written else None
