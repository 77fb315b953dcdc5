"""Ablation: the same stages with one technique more each time, so that the table shows what each is worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from articulado.values.answers import RerankStrategy
from evaluation.gold.questions import GoldSet
from evaluation.retrieval.evaluate import Configuration, evaluate
from evaluation.retrieval.retrieve import Retriever
from evaluation.retrieval.strategies import available_strategies
from evaluation.retrieval.switches import EmptySparseEncoder, NarrowedStore, ZeroEmbedder, without_synonyms
from graph.services import Services
from state.context import RunContext


@dataclass(frozen=True)
class Setup:
    """A configuration by what is at work in it; ``name`` is for the reader of a report."""

    name: str
    lexical: bool = True
    dense: bool = True
    synonyms: bool = True
    lookup: bool = True
    strategy: RerankStrategy = "none"
    references: bool = False


def setups(strategies: Sequence[RerankStrategy]) -> list[Setup]:
    """Return the configurations, each with one change against the one before; references with the last strategy.

    Synonyms are those of the search; what a strategy knows of them comes with it.
    """
    bare = Setup("solo palabras (BM25)", dense=False, synonyms=False, lookup=False)
    steps = [
        bare,
        replace(bare, name="solo vectores densos", lexical=False, dense=True),
        replace(bare, name="híbrida", dense=True),
        replace(bare, name="+ sinónimos", dense=True, synonyms=True),
        Setup("+ preceptos citados"),
        *(Setup(f"+ reordenar: {strategy}", strategy=strategy) for strategy in strategies),
    ]
    return [*steps, replace(steps[-1], name="+ remisiones", references=True)]


def services_of(setup: Setup, services: Services) -> Services:
    """Return the services with what the configuration lacks switched off."""
    base = services if setup.synonyms else without_synonyms(services)
    return replace(
        base,
        embedder=base.embedder if setup.dense else ZeroEmbedder(base.embedder.dimensions),
        sparse=base.sparse if setup.lexical else EmptySparseEncoder(),
        store=NarrowedStore(base.store, lookup=setup.lookup, references=setup.references),
    )


async def ablation(
    gold: GoldSet,
    services: Services,
    context: RunContext | None = None,
    on_setup: Callable[[str], None] = lambda name: None,
) -> list[Configuration]:
    """Measure every configuration on a gold set, in their order; of strategies, those that this machine can run.

    ``context`` is what all of them share; its rerank strategy is not looked at.

    Raises:
        ArticuladoError: a question cannot be asked, or a service does not work.
    """
    shared = context or RunContext()
    measured = []
    for setup in setups(available_strategies(services)):
        on_setup(setup.name)
        with_strategy = shared.model_copy(update={"rerank_strategy": setup.strategy})
        outcome = await evaluate(gold, Retriever(services_of(setup, services), with_strategy))
        measured.append(replace(outcome.measured, name=setup.name))
    return measured
