"""Which gold sets a run of the harness asks, and what must hold before it does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChunkStore
from evaluation.gold.conversations import ConversationSet, has_conversations, read_conversations
from evaluation.gold.provisions import Key, Provision, key_of
from evaluation.gold.questions import GoldSet, read_gold_set

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings

OWN_SET = "demo.jsonl"
"""The project's own questions, which are about the demo corpus."""


@dataclass(frozen=True)
class Sets:
    """The gold sets of a run: of questions, and of conversations."""

    questions: Sequence[GoldSet]
    conversations: Sequence[ConversationSet] = ()


def read_sets(gold: Sequence[Path], profile: "Profile") -> Sets:
    """Read the gold sets that a user names; without any, the project's own questions.

    Raises:
        InvalidInput: one cannot be read, or none is given and the profile has not the demo corpus.
    """
    if not gold and not profile.features.records:
        raise InvalidInput(
            f"Las preguntas incluidas son de Derecho laboral, y el perfil «{profile.name}» no lo trata. Indique las "
            "suyas con --gold; los casos se miden con «articulado case calibrate»."
        )
    if not gold:
        return Sets([own_set()])
    dialogues = {path for path in gold if has_conversations(path)}
    return Sets(
        [read_gold_set(path) for path in gold if path not in dialogues],
        [read_conversations(path) for path in gold if path in dialogues],
    )


def own_set() -> GoldSet:
    """Read the project's own gold set."""
    with resources.as_file(resources.files("evaluation").joinpath("datasets", OWN_SET)) as path:
        return read_gold_set(path)


def check_index(settings: "Settings") -> None:
    """Check that retrieval is on: without it there is no search to measure.

    Raises:
        InvalidInput: retrieval is switched off.
    """
    if not settings.rag_enabled:
        raise InvalidInput(
            "--ablation, --compare y --peers miden la búsqueda en el índice, que ARTICULADO_RAG_ENABLED=false "
            "desactiva. Quítelo y repita la orden."
        )


def check_ids(sets: Sequence[GoldSet]) -> None:
    """Check that no two sets share the identifier of a question: a run could not tell them apart.

    Raises:
        InvalidInput: two have.
    """
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
    """Return the provisions that the index has in no wording, each once, in their order."""
    named: dict[Key, Provision] = {}
    for provision in provisions:
        named.setdefault(key_of(provision), provision)
    return [provision for key, provision in named.items() if not await store.find(*key)]
