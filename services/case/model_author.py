"""The author that is a chat model: it is shown the context, and fills in the schema."""

import json
from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel

from services.case.author import CaseMaterial
from services.case.schema import CaseResponse, RequiredData
from services.profile.profile import Profile
from services.prompting.prompts import load_prompt
from services.protocols import ChatModel, Structured

S = TypeVar("S", bound=BaseModel)

AIM = 0.8
"""Share of the limit that the model is told to aim for: models count badly, and a reply that is cut is lost."""


class ModelCaseAuthor:
    """Satisfies ``CaseAuthor`` with the principal model.

    The limit of the answer always stands in the prompt, and goes to the provider too where its model takes one.
    """

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self._model = model
        # Read now: a case is handled on the event loop, where files must not be.
        self._required_data = load_prompt("required_data", profile)
        self._respond = load_prompt("generate_response", profile)

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Ask the model what the case needs (``CaseAuthor.required_data``)."""
        return await self._ask(self._required_data, material, RequiredData, deadline)

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        """Ask the model for the answer (``CaseAuthor.respond``)."""
        return await self._ask(self._respond, material, CaseResponse, deadline)

    async def _ask(self, prompt: str, material: CaseMaterial, schema: type[S], deadline: float | None) -> Structured[S]:
        return await self._model.structured(
            _limited(prompt, material.answer_tokens),
            [{"role": "user", "content": message(material)}],
            schema,
            max_tokens=material.answer_tokens,
            deadline=deadline,
        )


def _limited(prompt: str, tokens: int) -> str:
    return prompt.replace("{limit}", str(tokens)).replace("{aim}", str(int(tokens * AIM)))


def message(material: CaseMaterial) -> str:
    """Write what the model is shown: the context first, which changes least, and the inquiry last."""
    parts = [f"CONTEXT:\n\n{material.context}"]
    for heading, values in (("CASE", material.filters), ("COLLECTED DATA", material.collected)):
        if values:
            parts.append(f"{heading}:\n{_json(values)}")
    if material.missing:
        parts.append(f"MISSING DATA (required, not collected):\n{', '.join(material.missing)}")
    return "\n\n".join([*parts, f"INQUIRY:\n{material.inquiry}"])


def _json(values: Mapping[str, str]) -> str:
    # As JSON, so that no value looks like another part of the message.
    return json.dumps(dict(values), ensure_ascii=False, indent=0)
