"""Check one citation: does the provision exist, is it in force on a day, does it say what is claimed of it."""

import re
from datetime import date

from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.retrieval.references import ProvisionRequest, excerpt, wording_on
from articulado.values.errors import InvalidInput
from server.desk.index import DeskIndex
from server.desk.results import CitationCheck

_REPEALED = re.compile(r"^\W*\w{1,3}\W+\((?:derogad|suprimid|sin contenido|anulad)", re.IGNORECASE)
"""What stands where a part of a provision was: "d) (Derogada)"."""


async def check_citation(index: DeskIndex, citation: str, claim: str, day: date | None) -> CitationCheck:
    """Return whether a provision exists, is law on a day, and says what is claimed of it.

    Raises:
        InvalidInput: the citation names no provision.
    """
    asked = await index.read(citation)
    if not asked.provision_key:
        raise InvalidInput(translate("desk.no_provision", written=citation))
    checked: CitationCheck = {
        "citation": citation,
        "as_of": index.day_of(day),
        "index_day": index.day,
        "exists": None,
        "in_force": None,
        "certainty": "unknown",
        "says": "unchecked",
        "findings": [],
        "law": "",
        "provision": "",
        "title": "",
        "valid_from": None,
        "valid_to": None,
        "url": "",
        "message": "",
    }
    wordings = await index.wordings(asked)
    if not wordings:
        return await _absent(index, asked, checked)
    wording = wording_on(wordings, day, index.today)
    head = (wording or wordings[-1]).head
    checked |= {
        "exists": True,
        "in_force": wording is not None and index.in_force(head, day),
        "law": head["law_name"],
        "provision": head["provision"],
        "title": head["title"],
        "url": head["url"],
    }
    if wording is None:
        checked["message"] = translate("desk.no_wording", law=head["law_name"], provision=head["provision"], day=day)
        return checked
    excerpts = {part: excerpt(wording.text, *part) for part in asked.subdivisions}
    missing = [part for part, text in excerpts.items() if not text]
    if any(_REPEALED.search(text) for text in excerpts.values()):
        checked["in_force"] = False
    checked |= {
        "certainty": await index.certainty(head, day),
        "valid_from": head["valid_from"],
        "valid_to": head["valid_to"],
        "exists": not missing,
    }
    if claim and not missing:
        source = {"law_id": head["law_id"], "provision": head["provision"], "text": wording.text}
        checked["findings"] = await index.findings({"answer": f"{claim} [C1]", "context": [source]}, day)
        checked["says"] = "no" if checked["findings"] else "yes"
    checked["message"] = _told(checked, [" ".join(filter(None, part)) for part in missing])
    return checked


async def _absent(index: DeskIndex, asked: ProvisionRequest, checked: CitationCheck) -> CitationCheck:
    """Return the check of a provision that the index does not have: of a law that it has, there is none such."""
    law = await index.law(asked.law_id) if asked.law_id else None
    checked["exists"] = False if law and law.official else None
    checked["message"] = str(await index.missing(asked))
    return checked


def _told(checked: CitationCheck, missing: list[str]) -> str:
    named = {"law": checked["law"], "provision": checked["provision"]}
    if missing:
        return translate("desk.no_part", parts=", ".join(missing), **named)
    force = translate(
        "desk.in_force" if checked["in_force"] else "desk.not_in_force", day=long_day(checked["as_of"]), **named
    )
    if checked["says"] == "unchecked":
        return force
    found = " ".join(finding["message"] for finding in checked["findings"])
    return f"{force} {translate('desk.says') if checked['says'] == 'yes' else translate('desk.says_not', found=found)}"
