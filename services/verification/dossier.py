"""The dossier of an answer: all that is needed to check it again, by anybody, without a model and without this index.

It is one JSON object: question and options, the fragments that the model read with their text, hashes and validity, the
answer as the model wrote it and as it was given, what ``verify`` found, what the run rests on (models, prompts, index)
and what it cost. ``seal`` is the SHA-256 of all the rest, so that a change shows.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.language.translation import translate
from articulado.prompting.prompts import load_prompts
from articulado.store.generations import Manifest
from articulado.values.answers import Message
from articulado.values.chunks import Candidate
from articulado.values.errors import InvalidInput

FORMAT: Literal["articulado-dossier/1"] = "articulado-dossier/1"

KEPT = ("question", "contextualized_question", "conversation", "today", "as_of", "store", "context", "draft")
"""What a dossier needs of the state of a run beside its output."""


class DossierIndex(TypedDict):
    """The index that was searched: which generation, from which day (ISO 8601), and what it was built with."""

    generation: str
    created: str
    fingerprints: dict[str, str]


class Provenance(TypedDict):
    """What made an answer: program, profile, models by role, SHA-256 of each prompt, and the index, if any."""

    version: str
    profile: str
    models: dict[str, str]
    prompts: dict[str, str]
    index: DossierIndex | None


class DossierFragment(TypedDict):
    """A fragment that the model read: its marker, the SHA-256 of its text, and the candidate whole."""

    mark: str
    sha256: str
    candidate: Candidate


class Dossier(TypedDict):
    """What ``ask --dossier`` writes; ``options`` are the run's, ``result`` all that the graph returned."""

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
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def seal_of(dossier: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything in a dossier but its seal, whatever the order of its keys."""
    rest = {key: value for key, value in dossier.items() if key != "seal"}
    return sha256(json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def provenance_of(profile: Profile, models: Mapping[str, str], manifest: Manifest | None, version: str) -> Provenance:
    """Return the provenance of answers; ``models`` are names by role and contain neither keys nor addresses."""
    index: DossierIndex | None = None
    if manifest is not None:
        index = {
            "generation": manifest.generation,
            "created": manifest.created.isoformat(),
            "fingerprints": manifest.fingerprints.model_dump(),
        }
    return {
        "version": version,
        "profile": profile.name,
        "models": dict(models),
        "prompts": {name: sha256(text) for name, text in load_prompts(profile).items()},
        "index": index,
    }


def make_dossier(
    state: Mapping[str, Any], result: Mapping[str, Any], options: Mapping[str, Any], provenance: Provenance
) -> Dossier:
    """Return the dossier of a run: the keys ``KEPT`` of its last state, and its ``result``."""
    fragments = enumerate(state.get("context", []), start=1)
    dossier: Dossier = {
        "format": FORMAT,
        "question": state["question"],
        "contextualized_question": state.get("contextualized_question", ""),
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
    """Read a dossier; ``name`` is that of its file.

    Raises:
        InvalidInput: it is no JSON, no dossier of this format, or a field of it is missing or of another type.
    """
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


def candidates_of(dossier: Dossier) -> Sequence[Candidate]:
    """Return the context of a dossier in the order of its markers."""
    return [fragment["candidate"] for fragment in dossier["context"]]
