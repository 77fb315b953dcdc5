"""Check a dossier again: against itself, and against the index as it is now."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Literal

from typing_extensions import TypedDict

from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.values.chunks import REPEALED, Chunk
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore
from services.verification.citations import look_up
from services.verification.dossier import Dossier, DossierFragment, candidates_of, seal_of, sha256
from services.verification.reading import read_answer
from services.verification.sources import sources_of
from services.verification.verifier import findings_of

CheckName = Literal["seal", "texts", "citations", "answer", "index"]
"""What of a dossier is checked: that nothing was changed, that texts are those of their hashes, that citations are of
the context, that the answer stands in it, and that the index has the same text of the same wording.
"""
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
    """One check and what it says; ``message`` is for people."""

    check: CheckName
    ok: bool
    message: str


class ProvisionChange(TypedDict):
    """A fragment whose provision is another one now: has a new wording, is in force no more, or is not in the index."""

    mark: str
    law: str
    provision: str
    change: Change
    cited: bool
    message: str


class Recheck(TypedDict):
    """What became of a dossier; it is ``ok`` where every check is. ``changes`` fail nothing: the answer was right."""

    ok: bool
    checks: list[DossierCheck]
    findings: list[Finding]
    changes: list[ProvisionChange]


async def recheck(dossier: Dossier, store: ChunkStore) -> Recheck:
    """Check a dossier without a model."""
    findings = await _findings(dossier, store)
    errors = [finding for finding in findings if finding["severity"] == "error"]
    now = {chunk["id"]: chunk for chunk in await store.fetch([_chunk(each)["id"] for each in dossier["context"]])}
    differing = [each["mark"] for each in dossier["context"] if _differs(_chunk(each), now)]
    outside = [
        citation["mark"] for citation in dossier["result"].get("citations", []) if not _is_of_context(citation, dossier)
    ]
    wrong_hash = [each["mark"] for each in dossier["context"] if sha256(_chunk(each)["text"]) != each["sha256"]]
    checks = [
        _check("seal", [] if seal_of(dossier) == dossier["seal"] else [""]),
        _check("texts", wrong_hash),
        _check("citations", outside),
        _check("answer", [finding["where"] for finding in errors]),
        _check("index", differing),
    ]
    cited = {citation["mark"] for citation in dossier["result"].get("citations", [])}
    became = [await _change(each, now.get(_chunk(each)["id"]), store, cited) for each in dossier["context"]]
    changes = [change for change in became if change]
    return {"ok": all(check["ok"] for check in checks), "checks": checks, "findings": findings, "changes": changes}


async def _findings(dossier: Dossier, store: ChunkStore) -> list[Finding]:
    """Return what is wrong with the answer as it was given; a refusal claims nothing."""
    if dossier["result"].get("abstained"):
        return []
    asked = [message["content"] for message in dossier["conversation"] if message["role"] == "user"]
    question = "\n".join([*asked, dossier["question"]])
    answer = read_answer(dossier["answer"], question, sources_of(candidates_of(dossier)))
    as_of = date.fromisoformat(dossier["as_of"]) if dossier["as_of"] else None
    return findings_of(answer, await look_up(answer, store, as_of, date.fromisoformat(dossier["today"])))


def _chunk(fragment: DossierFragment) -> Chunk:
    return fragment["candidate"]["chunk"]


def _check(name: CheckName, wrong: list[str]) -> DossierCheck:
    stands, fails = _SAID[name]
    message = translate(fails, places=", ".join(dict.fromkeys(wrong))) if wrong else translate(stands)
    return {"check": name, "ok": not wrong, "message": message}


def _is_of_context(citation: Mapping[str, object], dossier: Dossier) -> bool:
    return any(
        fragment["mark"] == citation["mark"] and _chunk(fragment)["id"] == citation["chunk_id"]
        for fragment in dossier["context"]
    )


def _differs(chunk: Chunk, now: Mapping[int, Chunk]) -> bool:
    """Tell whether the index has another text of the same part of the same wording."""
    current = now.get(chunk["id"])
    return current is not None and current["source"] == chunk["source"] and current["text"] != chunk["text"]


async def _change(
    fragment: DossierFragment, current: Chunk | None, store: ChunkStore, cited: Collection[str]
) -> ProvisionChange | None:
    """Return what has become of the provision of a fragment since; ``None`` where nothing has."""
    chunk = _chunk(fragment)
    if current is not None and _is_as_it_was(chunk, current):
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


def _is_as_it_was(chunk: Chunk, current: Chunk) -> bool:
    repealed = current["status"] in REPEALED and chunk["status"] not in REPEALED
    return current["valid_to"] == chunk["valid_to"] and not repealed
