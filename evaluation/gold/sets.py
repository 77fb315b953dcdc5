"""The gold sets that a user names, or the project's own, and whether the index can be measured with them."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.gold.provisions import Provision, key_of
from evaluation.gold.questions import GoldSet, Question, read_gold_set
from services.protocols import ChunkStore
from state.errors import InvalidInput

if TYPE_CHECKING:
    from services.profile.profile import Profile
    from services.settings import Settings


async def not_indexed(questions: Sequence[Question], store: ChunkStore) -> list[Provision]:
    """Return the right provisions that the index has in no wording, each once, in the order of the questions."""
    wanted: dict[tuple[str, str], Provision] = {}
    for question in questions:
        for named in question.relevant:
            wanted.setdefault(key_of(named), named)
    return [named for key, named in wanted.items() if not await store.find(*key)]


OWN_SET = "demo.jsonl"


def read_sets(gold: Sequence[Path], profile: "Profile") -> list[GoldSet]:
    """Read gold sets; without any, the project's own, which asks about the demo corpus.

    Raises:
        InvalidInput: one cannot be read, or none is given and the profile has not the demo corpus.
    """
    if not gold and not profile.features.records:
        raise InvalidInput(
            f"Las preguntas incluidas son de Derecho laboral, y el perfil «{profile.name}» no lo trata. Indique las "
            "suyas con --gold; los casos se miden con «articulado case calibrate»."
        )
    return [read_gold_set(path) for path in gold] or [own_set()]


def own_set() -> GoldSet:
    """Read the project's own set."""
    with resources.as_file(resources.files("evaluation").joinpath("datasets", OWN_SET)) as path:
        return read_gold_set(path)


def check_index(settings: "Settings") -> None:
    """Check that there is a search to take apart.

    Raises:
        InvalidInput: retrieval is switched off.
    """
    if not settings.rag_enabled:
        raise InvalidInput(
            "--ablation, --compare y --peers miden la búsqueda en el índice, que ARTICULADO_RAG_ENABLED=false "
            "desactiva. Quítelo y repita la orden."
        )


def check_ids(sets: Sequence[GoldSet]) -> None:
    """Check that no two sets have a question of one identifier: a run could not tell them apart.

    Raises:
        InvalidInput: two have.
    """
    seen: dict[str, Path] = {}
    for one in sets:
        for question in one.questions:
            if question.id in seen:
                raise InvalidInput(
                    f"El identificador «{question.id}» está en {seen[question.id]} y en {one.path}: en una lista TREC "
                    "no se distinguirían. Evalúe los dos ficheros por separado."
                )
            seen[question.id] = one.path
