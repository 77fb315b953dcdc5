"""Measure the prompt of a chat model of a provider: its tokens, and how much of the expected law is in it.

    python benchmarks/prompt_size.py --index INDEX [--questions FILE ...] [--model gpt-5.2]

Retrieves for every question with the settings of a chat model, without calling one, and writes the prompt as
``nodes.turn`` does. Prints for the fragments as the offline principal reads them (``whole``) and as a chat model
does (``chosen``): the median and mean tokens of the user message, the mean numbers of chunks, of markers and of
repealed chunks, the share of literal facts in the prompt, and the share of provisions of grade 2 and 1 in the context.
Tokens are those of ``articulado.models.tokens`` for the model: a bound from above where its table is not here.
Questions that are declined before the model is asked are left out and counted.
"""

import argparse
import asyncio
import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from articulado.config.settings import ModelSettings, Settings
from articulado.legal.validity import in_force
from articulado.models.tokens import token_counter
from articulado.prompting.citation_markers import by_mark
from articulado.prompting.fragments import write_prompt
from articulado.values.chunks import Candidate
from graph.compose import open_services
from graph.rag import build_context
from graph.services import Services
from nodes.select_context import select_context
from nodes.stage import default_options
from state.run import days_of

SHARED = Path(__file__).parents[2] / "shared" / "eval"
SETS = [SHARED / f"dev_{name}.jsonl" for name in ("real", "lay", "professional")]
KEYS = ["question", "turn_question", "candidates", "as_of", "today", "refetched", "outcome"]


@dataclass
class Tally:
    """The figures of one form of the context, a value for each question, and what was expected and found in all."""

    tokens: list[int] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)
    markers: list[int] = field(default_factory=list)
    repealed: list[int] = field(default_factory=list)
    facts: list[bool] = field(default_factory=list)
    grades: dict[int, list[bool]] = field(default_factory=lambda: {2: [], 1: []})

    def add(self, row: dict[str, Any], state: Any, context: list[Candidate], prompt: str, tokens: int) -> None:
        """Add the context and the prompt of a question."""
        self.tokens.append(tokens)
        self.chunks.append(len(context))
        self.markers.append(len(by_mark(context)))
        self.repealed.append(sum(not in_force(candidate["chunk"], *days_of(state)) for candidate in context))
        fragments = _plain(prompt.rpartition("PREGUNTA:")[0])
        self.facts += [_plain(fact) in fragments for fact in row.get("facts") or row.get("answer_facts") or ()]
        read = {f"{candidate['chunk']['law_id']}#{candidate['chunk']['provision']}" for candidate in context}
        for provision, grade in row["relevant"].items():
            self.grades[grade].append(provision in read)

    def __str__(self) -> str:
        means = "".join(f"{statistics.mean(values):>10.1f}" for values in (self.chunks, self.markers, self.repealed))
        shares = "".join(f"{sum(hits) / len(hits):>9.3f}" for hits in (self.facts, self.grades[2], self.grades[1]))
        return f"{statistics.median(self.tokens):>8.0f}{statistics.mean(self.tokens):>8.0f}{means}{shares}"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


async def measure(services: Services, files: list[Path], model: str) -> None:
    """Print the figures of all questions together, and of each set."""
    counter, retrieval = token_counter(model), build_context(services)
    runtime = Runtime(context=default_options(services.settings))
    tallies: dict[tuple[str, str], Tally] = {}
    declined = 0
    for file in files:
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            state: Any = await retrieval.ainvoke({"question": row["question"]}, output_keys=KEYS)
            if state["outcome"] != "answer":
                declined += 1
                continue
            for form in ("whole", "chosen"):
                chosen = await select_context(
                    state,
                    runtime,
                    rerankers=services.rerankers,
                    counter=services.counter,
                    context_tokens=services.context_tokens,
                    profile=services.profile,
                    language=services.language,
                    model_decides=form == "chosen",
                )
                context = chosen["context"]
                asked = state["turn_question"]["text"]
                prompt = write_prompt(context, asked, days=days_of(state), brief=form == "chosen")
                tokens = counter.count(prompt)
                for name in ("all", file.stem):
                    tallies.setdefault((name, form), Tally()).add(row, state, context, prompt, tokens)
    print(f"{declined} questions declined before the model is asked")
    print(
        f"{'':<26}{'median':>8}{'mean':>8}{'chunks':>10}{'markers':>10}{'repealed':>10}"
        f"{'facts':>9}{'grade 2':>9}{'grade 1':>9}"
    )
    for (name, form), tally in sorted(tallies.items()):
        print(f"{name:<18}{form:<8}{tally}")


async def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=Path, nargs="+", default=SETS)
    parser.add_argument("--model", default="gpt-5.2")
    arguments = parser.parse_args()
    # Nothing is sent to this address: the graph ends before the principal is asked.
    principal = ModelSettings(provider="compatible", model="unused", base_url="http://127.0.0.1:9/v1")
    settings = Settings.read(env_file=None, index=arguments.index)
    services = await open_services(settings.model_copy(update={"principal": principal}))
    await measure(services, arguments.questions, arguments.model)
    await services.close()


if __name__ == "__main__":
    asyncio.run(main())
