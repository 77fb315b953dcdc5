"""Gold sets of conversations in JSON Lines, and the gold sets of a run with their checks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChunkStore
from evaluation.gold.questions import (
    DATASETS,
    EXPECTED,
    GoldSet,
    Grades,
    Key,
    Provision,
    Text,
    as_list,
    json_lines,
    key_of,
    one_word,
    parse_provision,
    read_gold_set,
    rows_of,
)

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings


TURNS = "turns"
NEEDED = "Cada línea debe ser {…} con id y turns."


@dataclass(frozen=True)
class Turn:
    """One question of a conversation; ``relevant`` gives the grade of each right provision."""

    question: str
    relevant: Mapping[Provision, int]
    kind: str = ""
    must_keep: tuple[Provision, ...] = ()
    must_not: tuple[Provision, ...] = ()
    answer_facts: tuple[str, ...] = ()

    @property
    def answering(self) -> frozenset[Key]:
        best = max(self.relevant.values(), default=0)
        return frozenset(key_of(provision) for provision, grade in self.relevant.items() if grade == best)


@dataclass(frozen=True)
class Conversation:
    """Turns of one thread, in order; at least one."""

    id: str
    turns: tuple[Turn, ...]
    topic: str = ""
    voice: str = ""


@dataclass(frozen=True)
class ConversationSet:
    """Conversations of one file, in order; ``ignored`` are unknown keys of its lines."""

    name: str
    path: Path
    conversations: tuple[Conversation, ...]
    ignored: tuple[str, ...] = ()

    @property
    def provisions(self) -> list[Provision]:
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
    """Tell if the lines of a file are conversations; raise ``InvalidInput`` if they are mixed with questions."""
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
    """Read a gold set of conversations; errors name the line."""
    rows = rows_of(path, NEEDED, _row, "conversación")
    ignored = dict.fromkeys(key for row in rows for part in (row, *row.turns) for key in part.model_extra or {})
    conversations = (Conversation(row.id, tuple(map(_turn, row.turns)), row.topic, row.voice) for row in rows)
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


OWN_SET = "demo.jsonl"


@dataclass(frozen=True)
class Sets:
    """Gold sets of a run: of questions, and of conversations."""

    questions: Sequence[GoldSet]
    conversations: Sequence[ConversationSet] = ()


def read_sets(gold: Sequence[Path], profile: "Profile") -> Sets:
    """Read the given gold sets; without any, the packaged questions, which need the demo corpus."""
    if not gold and not profile.features.records:
        raise InvalidInput(
            f"Las preguntas incluidas son de Derecho laboral, y el perfil «{profile.name}» no lo trata. Indique las "
            "suyas con --gold; los casos se miden con «articulado case calibrate»."
        )
    if not gold:
        return Sets([read_gold_set(DATASETS / OWN_SET)])
    dialogues = {path for path in gold if has_conversations(path)}
    return Sets(
        [read_gold_set(path) for path in gold if path not in dialogues],
        [read_conversations(path) for path in gold if path in dialogues],
    )


def check_index(settings: "Settings") -> None:
    """Raise ``InvalidInput`` if retrieval is switched off: the index cannot be measured."""
    if not settings.rag_enabled:
        raise InvalidInput(
            "--ablation, --compare y --peers miden la búsqueda en el índice, que ARTICULADO_RAG_ENABLED=false "
            "desactiva. Quítelo y repita la orden."
        )


def check_ids(sets: Sequence[GoldSet]) -> None:
    """Raise ``InvalidInput`` if two sets share a question id: a run could not tell the questions apart."""
    paths: dict[str, Path] = {}
    for gold in sets:
        for question in gold.questions:
            if question.id in paths:
                raise InvalidInput(
                    f"El identificador «{question.id}» está en {paths[question.id]} y en {gold.path}: en una lista "
                    "TREC no se distinguirían. Evalúe los dos ficheros por separado."
                )
            paths[question.id] = gold.path


async def not_indexed(provisions: Iterable[Provision], store: ChunkStore) -> list[Provision]:
    """Return the provisions that the index has in no wording, each once, in order."""
    named: dict[Key, Provision] = {}
    for provision in provisions:
        named.setdefault(key_of(provision), provision)
    return [provision for key, provision in named.items() if not await store.find(*key)]
