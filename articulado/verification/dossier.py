"""Dossier of an answer: one JSON object to verify it later without a model or the original index.

``seal`` is the SHA-256 of everything else. Changes of the law do not fail a dossier.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Literal, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from articulado.calculations.engine import calculate
from articulado.calculations.parameters import VALUE_TYPE
from articulado.calculations.wordings import CALCULATIONS
from articulado.calculations.written import as_document, cited, parts_of
from articulado.config.profile import Profile
from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.legal.labels import provision_key
from articulado.prompting.citation_markers import by_mark, one_per_mark
from articulado.prompting.prompts import load_prompts
from articulado.store.generations import Manifest
from articulado.values.answers import Message, whole_text
from articulado.values.chunks import CARD_TYPE, REPEALED, Candidate, Chunk
from articulado.values.errors import InvalidInput
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore
from articulado.verification.checks import findings_of
from articulado.verification.citations import look_up
from articulado.verification.reading import read_answer
from articulado.verification.sources import sources_of

FORMAT: Literal["articulado-dossier/1"] = "articulado-dossier/1"

KEPT = ("question", "turn_question", "conversation", "today", "as_of", "store", "context", "draft")


class DossierIndex(TypedDict):
    """The searched index: generation, creation day (ISO 8601) and fingerprints of its build."""

    generation: str
    created: str
    fingerprints: dict[str, str]


class Provenance(TypedDict):
    """Origin of an answer; ``quotes_only``: it has only quotations and reviewed texts (missing in old dossiers)."""

    version: str
    profile: str
    models: dict[str, str]
    prompts: dict[str, str]
    index: DossierIndex | None
    quotes_only: NotRequired[bool]


class DossierFragment(TypedDict):
    """A fragment read by the model, with the SHA-256 of its text; parts of a provision may share a marker."""

    mark: str
    sha256: str
    candidate: Candidate


class Dossier(TypedDict):
    """The file written by ``ask --dossier``: ``options`` of the run, ``result`` of the graph."""

    format: Literal["articulado-dossier/1"]
    question: str
    contextualized_question: str
    conversation: list[Message]
    options: dict[str, Any]
    today: str
    as_of: str | None
    store: str
    context: list[DossierFragment]
    raw_answer: str
    answer: str
    result: dict[str, Any]
    provenance: Provenance
    seal: str


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def seal_of(dossier: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a dossier without its seal; the order of keys does not matter."""
    rest = {key: value for key, value in dossier.items() if key != "seal"}
    return sha256(json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def provenance_of(
    profile: Profile, models: Mapping[str, str], manifest: Manifest | None, version: str, *, quotes_only: bool = False
) -> Provenance:
    """Return the provenance of answers; ``models`` maps roles to names, without keys or addresses."""
    index: DossierIndex | None = None
    if manifest is not None:
        created, fingerprints = manifest.created.isoformat(), manifest.fingerprints.model_dump()
        index = DossierIndex(generation=manifest.generation, created=created, fingerprints=fingerprints)
    return {
        "version": version,
        "profile": profile.name,
        "models": dict(models),
        "prompts": {name: sha256(text) for name, text in load_prompts(profile).items()},
        "index": index,
        "quotes_only": quotes_only,
    }


def make_dossier(
    state: Mapping[str, Any], result: Mapping[str, Any], options: Mapping[str, Any], provenance: Provenance
) -> Dossier:
    """Return the dossier of a run from its last state (the keys ``KEPT``) and its ``result``."""
    fragments = (
        (number, candidate)
        for number, parts in enumerate(by_mark(state.get("context", [])), start=1)
        for candidate in parts
    )
    dossier: Dossier = {
        "format": FORMAT,
        "question": state["question"],
        "contextualized_question": whole_text(state["turn_question"]),
        "conversation": state.get("conversation", []),
        "options": dict(options),
        "today": state["today"],
        "as_of": state["as_of"],
        "store": state["store"],
        "context": [_fragment(number, candidate) for number, candidate in fragments],
        "raw_answer": state.get("draft", ""),
        "answer": state["answer"],
        "result": dict(result),
        "provenance": provenance,
        "seal": "",
    }
    # What is written is what is sealed: tuples and the like are lists from here on.
    written: Dossier = json.loads(json.dumps(dossier, ensure_ascii=False))
    return {**written, "seal": seal_of(written)}


def _fragment(number: int, candidate: Candidate) -> DossierFragment:
    return {"mark": f"C{number}", "sha256": sha256(candidate["chunk"]["text"]), "candidate": candidate}


def read_dossier(text: str, name: str) -> Dossier:
    """Read a dossier of the file ``name``; raise ``InvalidInput`` if it is none or has a wrong field."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(translate("verify.no_json", file=name)) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InvalidInput(translate("verify.no_dossier", file=name))
    try:
        TypeAdapter(Dossier).validate_python(value)
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise InvalidInput(translate("verify.dossier_invalid", file=name, field=field)) from error
    # As it is read: what a later version adds belongs to its seal.
    dossier: Dossier = value  # type: ignore[assignment]
    return dossier


CheckName = Literal["seal", "texts", "citations", "answer", "index"]
Change = Literal["reworded", "ended", "missing"]

_SAID: Mapping[CheckName, tuple[str, str]] = {
    "seal": ("verify.seal_ok", "verify.seal_wrong"),
    "texts": ("verify.texts_ok", "verify.texts_wrong"),
    "citations": ("verify.citations_ok", "verify.citations_wrong"),
    "answer": ("verify.answer_ok", "verify.answer_wrong"),
    "index": ("verify.index_ok", "verify.index_wrong"),
}
_BECAME: Mapping[Change, str] = {
    "reworded": "verify.reworded",
    "ended": "verify.ended",
    "missing": "verify.missing",
}


class DossierCheck(TypedDict):
    """A check and its result; ``message`` is for people."""

    check: CheckName
    ok: bool
    message: str


class ProvisionChange(TypedDict):
    """A fragment whose provision has a new wording, is no longer in force, or is not in the index."""

    mark: str
    law: str
    provision: str
    change: Change
    cited: bool
    message: str


class Recalculation(TypedDict):
    """A calculation repeated with the same inputs; ``rewordings`` are provisions with a later wording."""

    calculation: str
    title: str
    same: bool
    differences: list[str]
    rewordings: list[str]


class Recheck(TypedDict):
    """Result of a check; ``changes`` and ``calculations`` fail nothing: the answer was right on its day."""

    ok: bool
    checks: list[DossierCheck]
    findings: list[Finding]
    changes: list[ProvisionChange]
    calculations: list[Recalculation]


async def recheck(dossier: Dossier, store: ChunkStore) -> Recheck:
    """Check seal, texts, citations, answer and index, and report changes of law, without a model."""
    findings = await _findings(dossier, store)
    errors = [finding for finding in findings if finding["severity"] == "error"]
    now = {chunk["id"]: chunk for chunk in await store.fetch([_chunk(each)["id"] for each in dossier["context"]])}
    # Fragments of values and worked results are in no index, and a card is written for its question.
    indexed = [each for each in dossier["context"] if _chunk(each)["chunk_type"] not in (VALUE_TYPE, CARD_TYPE)]
    differing = [each["mark"] for each in indexed if _differs(_chunk(each), now)]
    citations = dossier["result"].get("citations", [])
    marked = {(each["mark"], _chunk(each)["id"]) for each in dossier["context"]}
    outside = [each["mark"] for each in citations if (each["mark"], each["chunk_id"]) not in marked]
    wrong_hash = [each["mark"] for each in dossier["context"] if sha256(_chunk(each)["text"]) != each["sha256"]]
    checks = [
        _check("seal", [] if seal_of(dossier) == dossier["seal"] else [""]),
        _check("texts", wrong_hash),
        _check("citations", outside),
        _check("answer", [finding["where"] for finding in errors]),
        _check("index", differing),
    ]
    marks = {citation["mark"] for citation in citations}
    became = [await _change(each, now.get(_chunk(each)["id"]), store, marks) for each in indexed]
    worked = [await _recalculated(each, dossier["today"], store) for each in dossier["result"].get("calculations", [])]
    return {
        "ok": all(check["ok"] for check in checks),
        "checks": checks,
        "findings": findings,
        "changes": [change for change in became if change],
        "calculations": [each for each in worked if each],
    }


async def _recalculated(worked: Mapping[str, Any], today: str, store: ChunkStore) -> Recalculation | None:
    if worked["status"] not in ("result", "not_entitled"):
        return None
    differences = _differences(worked)
    rewordings = []
    for provision in dict.fromkeys(step["provision"] for step in worked["steps"]):
        law_id, label = parts_of(provision)
        later = [
            each["valid_from"]
            for each in await store.find(law_id, provision_key(label) or "")
            if each["valid_from"] and each["valid_from"] > today
        ]
        if later:
            since = translate("verify.since", day=long_day(min(later)))
            rewordings.append(f"{cited(provision)}: {translate(_BECAME['reworded'], since=since)}")
    return {
        "calculation": worked["calculation"],
        "title": worked.get("title") or worked["calculation"],
        "same": not differences,
        "differences": differences,
        "rewordings": rewordings,
    }


def _differences(worked: Mapping[str, Any]) -> list[str]:
    calculation = CALCULATIONS.get(worked["calculation"])
    if calculation is None:
        return [translate("verify.calculation_gone")]
    now = as_document(calculation, worked["inputs"], calculate(calculation, worked["inputs"]))
    pairs = [(worked["text"] or worked["reason"], now["text"] or now["reason"])]
    before, after = _texts(worked["steps"]), _texts(now["steps"])
    pairs += [(before.get(name, "—"), after.get(name, "—")) for name in {**before, **after}]
    return [translate("verify.calculated", before=old, now=new) for old, new in pairs if old != new]


def _texts(steps: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {
        name: " ".join(each["text"] for each in steps if each["name"] == name) for name in (s["name"] for s in steps)
    }


async def _findings(dossier: Dossier, store: ChunkStore) -> list[Finding]:
    if dossier["result"].get("abstained"):
        return []
    asked = [message["content"] for message in dossier["conversation"] if message["role"] == "user"]
    question = "\n".join([*asked, dossier["question"]])
    answered = "\n".join(message["content"] for message in dossier["conversation"] if message["role"] != "user")
    as_of = date.fromisoformat(dossier["as_of"]) if dossier["as_of"] else None
    today = date.fromisoformat(dossier["today"])
    days = [day for day in (as_of, today) if day]
    sources = sources_of(one_per_mark([fragment["candidate"] for fragment in dossier["context"]]))
    answer = read_answer(dossier["answer"], question, sources, answered, days)
    known = await look_up(answer, store, as_of, today)
    return findings_of(answer, known, quotes_only=dossier["provenance"].get("quotes_only", False))


def _chunk(fragment: DossierFragment) -> Chunk:
    return fragment["candidate"]["chunk"]


def _check(name: CheckName, wrong: list[str]) -> DossierCheck:
    stands, fails = _SAID[name]
    message = translate(fails, places=", ".join(dict.fromkeys(wrong))) if wrong else translate(stands)
    return {"check": name, "ok": not wrong, "message": message}


def _differs(chunk: Chunk, now: Mapping[int, Chunk]) -> bool:
    current = now.get(chunk["id"])
    return current is not None and current["source"] == chunk["source"] and current["text"] != chunk["text"]


async def _change(
    fragment: DossierFragment, current: Chunk | None, store: ChunkStore, cited: Collection[str]
) -> ProvisionChange | None:
    chunk = _chunk(fragment)
    is_repealed = current is not None and current["status"] in REPEALED and chunk["status"] not in REPEALED
    if current is not None and current["valid_to"] == chunk["valid_to"] and not is_repealed:
        return None
    wordings = await store.find(chunk["law_id"], chunk["provision_key"])
    began = chunk["valid_from"] or ""
    if current is None and any(
        chunk["text"] in wording["text"] for wording in wordings if (wording["valid_from"] or "") == began
    ):
        return None  # The same wording, cut in other parts.
    ended = current["valid_to"] if current else None
    later = [wording for wording in wordings if (wording["valid_from"] or "") > began]
    change: Change = "reworded" if later else "ended" if current else "missing"
    day = ended or (later[0]["valid_from"] if later else None)
    since = translate("verify.since", day=long_day(day)) if day else ""
    return {
        "mark": fragment["mark"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "change": change,
        "cited": fragment["mark"] in cited,
        "message": translate(_BECAME[change], since=since),
    }
