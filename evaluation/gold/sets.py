"""Gold sets of conversations in JSON Lines, and the gold sets of a run with their checks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChunkStore
from evaluation.gold.questions import (
    CONFIG,
    DATASETS,
    EXPECTED,
    TURNS,
    Filled,
    GoldSet,
    Grades,
    Id,
    Key,
    Provision,
    Text,
    Texts,
    json_lines,
    key_of,
    parse_provision,
    read_gold_set,
    rows_of,
)

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings


def _provisions(texts: tuple[str, ...]) -> tuple[Provision, ...]:
    parsed = [parse_provision(text) for text in texts]
    if None in parsed:
        raise ValueError(texts)
    return tuple(provision for provision in parsed if provision)


if TYPE_CHECKING:
    Provisions = tuple[Provision, ...]
else:
    Provisions = Annotated[Texts, AfterValidator(_provisions)]


@dataclass(frozen=True)
class Turn:
    """One question of a conversation; ``relevant`` gives the grade of each right provision."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(str_strip_whitespace=True)

    question: Filled
    relevant: Grades
    kind: Text = ""
    must_keep: Provisions = ()
    must_not: Provisions = ()
    answer_facts: Texts = ()

    @property
    def answering(self) -> frozenset[Key]:
        best = max(self.relevant.values(), default=0)
        return frozenset(key_of(provision) for provision, grade in self.relevant.items() if grade == best)


@dataclass(frozen=True)
class Conversation:
    """Turns of one thread, in order; at least one."""

    __pydantic_config__: ClassVar[ConfigDict] = CONFIG

    id: Id
    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]
    topic: Text = ""
    voice: Text = ""


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
    for number, where, value in json_lines(path, "Cada línea debe ser {…} con id y turns."):
        kinds.setdefault(TURNS in value, number)
        if len(kinds) > 1:
            raise InvalidInput(
                f"{where}: el fichero mezcla preguntas sueltas (línea {kinds[False]}) y conversaciones, con «turns» "
                f"(línea {kinds[True]}). Póngalas en ficheros distintos."
            )
    return True in kinds


def read_conversations(path: Path) -> ConversationSet:
    """Read a gold set of conversations; errors name the line."""
    rows = rows_of(path, TypeAdapter(Conversation), "conversación", "id y turns", _EXPECTED)
    of_set, of_turn = Conversation.__dataclass_fields__, Turn.__dataclass_fields__
    parts = [part for value, _ in rows for part in ((value, of_set), *((turn, of_turn) for turn in value[TURNS]))]
    ignored = dict.fromkeys(key for value, known in parts for key in value if key not in known)
    return ConversationSet(path.stem, path, tuple(conversation for _, conversation in rows), tuple(ignored))


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
