"""Gold sets of conversations: turns, and the provisions that each must lead to, keep and leave, one JSON object a line.

``id`` and ``turns`` are obligatory, and of a turn ``question`` and ``relevant``, which is written as in a set of
questions; an empty one is a turn that asks nothing ("gracias"). ``must_keep`` are provisions of earlier turns that
whoever answers this one must still have read, ``must_not`` those that have no business there. ``kind``,
``answer_facts``, and of the conversation ``topic`` and ``voice`` are optional; other keys are left alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from articulado.values.errors import InvalidInput
from evaluation.gold.provisions import Key, Provision, key_of, parse_provision
from evaluation.gold.questions import EXPECTED, Grades, Text, as_list, one_word
from evaluation.json_lines import json_lines

TURNS = "turns"
"""The key by which a line is a conversation."""
NEEDED = "Cada línea debe ser {…} con id y turns."


@dataclass(frozen=True)
class Turn:
    """One question of a conversation, as the person writes it. ``relevant`` gives the grade of each right provision."""

    question: str
    relevant: Mapping[Provision, int]
    kind: str = ""
    must_keep: tuple[Provision, ...] = ()
    must_not: tuple[Provision, ...] = ()
    answer_facts: tuple[str, ...] = ()

    @property
    def answering(self) -> frozenset[Key]:
        """The provisions of the highest grade; none of a turn that asks nothing."""
        best = max(self.relevant.values(), default=0)
        return frozenset(key_of(provision) for provision, grade in self.relevant.items() if grade == best)


@dataclass(frozen=True)
class Conversation:
    """The turns of one thread, in their order; at least one."""

    id: str
    turns: tuple[Turn, ...]
    topic: str = ""
    voice: str = ""


@dataclass(frozen=True)
class ConversationSet:
    """The conversations of one file, in its order. ``ignored`` are the keys of its lines that mean nothing here."""

    name: str
    path: Path
    conversations: tuple[Conversation, ...]
    ignored: tuple[str, ...] = ()

    @property
    def provisions(self) -> list[Provision]:
        """All provisions that the set names, in its order."""
        turns = [turn for conversation in self.conversations for turn in conversation.turns]
        return [provision for turn in turns for provision in (*turn.relevant, *turn.must_keep, *turn.must_not)]


def _provisions(texts: list[str]) -> tuple[Provision, ...]:
    parsed = [parse_provision(text) for text in texts]
    if None in parsed:
        raise ValueError(texts)
    return tuple(provision for provision in parsed if provision)


Provisions = Annotated[list[str], BeforeValidator(as_list), AfterValidator(_provisions)]


class _Turn(BaseModel):
    model_config = ConfigDict(extra="allow", str_strip_whitespace=True)

    question: Annotated[str, Field(min_length=1)]
    relevant: Grades
    kind: Text = ""
    must_keep: Provisions = []
    must_not: Provisions = []
    answer_facts: Annotated[list[str], BeforeValidator(as_list)] = []


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow", str_strip_whitespace=True, coerce_numbers_to_str=True)

    id: Annotated[str, AfterValidator(one_word)]
    turns: Annotated[list[_Turn], Field(min_length=1)]
    topic: Text = ""
    voice: Text = ""


_EXPECTED = EXPECTED | {
    "relevant": 'debe ser un objeto como {"BOE-A-2015-11430#Artículo 38": 2}, con grados 1 o 2, o {} si el turno no '
    "pregunta nada",
    "turns": "debe ser una lista con al menos un turno, cada uno {…} con question y relevant",
    "must_keep": 'debe ser una lista como ["BOE-A-2015-11430#Artículo 38"]',
    "must_not": 'debe ser una lista como ["BOE-A-2015-11430#Artículo 38"]',
}


def has_conversations(path: Path) -> bool:
    """Tell whether the lines of a file are conversations.

    Raises:
        InvalidInput: the file cannot be read, a line is no JSON object, or some lines are conversations and some not.
    """
    kinds: dict[bool, int] = {}
    for number, where, value in json_lines(path, NEEDED):
        kinds.setdefault(TURNS in value, number)
        if len(kinds) > 1:
            raise InvalidInput(
                f"{where}: el fichero mezcla preguntas sueltas (línea {kinds[False]}) y conversaciones, con «turns» "
                f"(línea {kinds[True]}). Póngalas en ficheros distintos."
            )
    return True in kinds


def read_conversations(path: Path) -> ConversationSet:
    """Read a gold set of conversations.

    Raises:
        InvalidInput: the file cannot be read, has no conversation, or a line breaks the schema; the message names it.
    """
    conversations: list[Conversation] = []
    first_lines: dict[str, int] = {}
    ignored: dict[str, None] = {}
    for number, where, value in json_lines(path, NEEDED):
        row = _row(value, where)
        if row.id in first_lines:
            raise InvalidInput(
                f"{where}: el identificador «{row.id}» ya está en la línea {first_lines[row.id]}. "
                "Dé a cada conversación uno propio."
            )
        first_lines[row.id] = number
        for part in (row, *row.turns):
            ignored |= dict.fromkeys(part.model_extra or {})
        conversations.append(Conversation(row.id, tuple(map(_turn, row.turns)), row.topic, row.voice))
    if not conversations:
        raise InvalidInput(f"{path} no tiene ninguna conversación. Escriba una por línea, cada una como objeto JSON.")
    return ConversationSet(path.stem, path, tuple(conversations), tuple(ignored))


def _turn(row: _Turn) -> Turn:
    values: dict[str, Any] = {name: getattr(row, name) for name in _Turn.model_fields}
    return Turn(**values | {name: tuple(values[name]) for name in ("must_keep", "must_not", "answer_facts")})


def _row(value: Mapping[str, Any], where: str) -> _Row:
    try:
        return _Row.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        # ("turns", 0, "relevant", …): the field is the last name that the schema knows.
        names = [str(part) for part in first["loc"]]
        in_turn = len(names) > 2 and names[0] == TURNS
        field = names[2] if in_turn else names[0]
        place = f"{where}, turno {int(names[1]) + 1}" if in_turn else where
        if first["type"] == "missing":
            obligatory = "question y relevant" if in_turn else "id y turns"
            raise InvalidInput(f"{place}: falta «{field}». Son obligatorios {obligatory}.") from error
        raise InvalidInput(f"{place}: «{field}» {_EXPECTED.get(field, 'debe ser un texto')}.") from error
