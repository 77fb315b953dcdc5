"""Measure the checks on answers that are altered by a rule, one figure, unit or name of a law at a time.

    python benchmarks/verification/mutants.py --index INDEX [FILE.jsonl ...] [--show figure|unit|law|article|other_text]

The right answers of the files are altered. ``figure`` writes another number of the same form, ``unit`` another unit,
kind of days or time, ``law`` another law that has an article of this number, ``article`` another article of the law. An
altered answer is found where a finding overlaps the change. ``other_text`` alters nothing: it takes the provision named
out of the context and puts the one of the same number of another law there, so that any finding on it is a false alarm.
"""

import argparse
import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from measure import FOLDER, _with_texts

from articulado.config.settings import Settings
from articulado.language.quantities import DATE
from articulado.legal.laws.registry import known_laws
from articulado.values.protocols import ChunkStore
from articulado.verification.checks import findings_of, read_item
from articulado.verification.citations import look_up
from articulado.verification.figures import figures_of_law
from graph.compose import open_services

UNITS = [
    (r"\bdías (?:naturales|hábiles)\b", ["días naturales", "días hábiles"]),
    (r"\bdías\b(?! (?:naturales|hábiles|laborables))", ["meses", "semanas"]),
    (r"\bmeses\b", ["días", "semanas", "años"]),
    (r"\baños\b", ["meses", "días"]),
    (r"\bsemanas\b", ["meses", "días"]),
    (r"\bal año\b", ["al mes"]),
    (r"\bal mes\b", ["al año"]),
    (r"\bsemanales\b", ["mensuales", "diarias"]),
    (r"\bdiarias\b", ["semanales"]),
    (r"\bmensuales\b", ["semanales", "anuales"]),
]
WORDS = [
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "doce",
    "quince",
    "dieciocho",
    "veinte",
    "treinta",
    "cuarenta",
]
CHECKS = {"figure": "figure", "unit": "figure", "law": "citation", "article": "citation", "other_text": "citation"}


def figure_mutants(
    answer: str, spans: Sequence[tuple[int, int]], draw: random.Random
) -> Iterator[tuple[str, int, int]]:
    """Yield the answer with one other number, and where that stands."""
    for start, end in spans:
        written = answer[start:end]
        if digits := re.match(r"\d+", written):
            first = digits[0]
            other = str(max(1, int(first) + draw.choice([-1, 1]) * max(1, int(int(first) * draw.choice([0.2, 0.4])))))
            length = len(first)
        elif word := re.match(r"[a-záéíóú]+", written):
            if word[0] not in WORDS or re.match(r"\s+y\s", written[word.end() :]):
                continue
            other, length = draw.choice([each for each in WORDS if each != word[0]]), len(word[0])
        else:
            continue
        yield answer[:start] + other + answer[start + length :], start, start + len(other)


def unit_mutants(answer: str, spans: Sequence[tuple[int, int]], draw: random.Random) -> Iterator[tuple[str, int, int]]:
    """Yield the answer with one other unit, and where the figure stands."""
    for start, end in spans:
        for pattern, others in UNITS:
            if match := re.search(pattern, answer[start : end + 12]):
                if match.start() > end - start + 1:
                    continue
                other = draw.choice([each for each in others if each != match[0]])
                begin = start + match.start()
                yield answer[:begin] + other + answer[begin + len(match[0]) :], start, begin + len(other)
                break


async def variants(item: Mapping[str, Any], store: ChunkStore, draw: random.Random) -> list[tuple[str, dict, int, int]]:
    """Return the altered answers of an item: kind of change, item, start and end of the change."""
    text = item["answer"]
    answer = read_item(1, "1", item).answer
    spans = [
        (sentence.start + each.start, sentence.start + max(each.end, each.per_end))
        for sentence in answer.sentences
        for each in figures_of_law(answer, sentence)
        if each.unit != DATE
    ]
    found = [("figure", {**item, "answer": other}, *place) for other, *place in figure_mutants(text, spans, draw)]
    found += [("unit", {**item, "answer": other}, *place) for other, *place in unit_mutants(text, spans, draw)]
    laws = [law for law in known_laws().values() if law.short]
    for sentence in answer.sentences:
        for citation in sentence.named:
            own = (citation.law_id, citation.provision_key)
            if not citation.law_id or own not in {source.ref for source in answer.sources}:
                continue
            others = []
            for law in draw.sample(laws, 30):
                if law.id != citation.law_id and (parts := await store.find(law.id, citation.provision_key)):
                    others.append((law, parts))
            name = re.compile(
                r"(?:,? de la|,? de los|,? del|) ([A-Z][A-Za-z.]+|Ley \d+/\d+|Real Decreto \d+/\d+|RD \d+/\d+)"
            )
            named = name.match(text, citation.end)
            short = known_laws().get(citation.law_id)
            if named and citation.law_named and short and named[1] not in ("Ley", "Real", "Estatuto"):
                for law, _ in others[:4]:
                    other = f"{text[: named.start(1)]}{law.short}{text[named.end(1) :]}"
                    found.append(("law", {**item, "answer": other}, citation.start, named.start(1) + len(law.short)))
            if re.search(r"\d", text[citation.start : citation.end]):
                for _ in range(3):
                    number = str(draw.randint(1, 60))
                    if await store.find(citation.law_id, f"art:{number}"):
                        digits = re.search(r"\d+", text[citation.start : citation.end])
                        if digits is None or digits[0] == number:
                            continue
                        begin = citation.start + digits.start()
                        other = text[:begin] + number + text[begin + len(digits[0]) :]
                        found.append(("article", {**item, "answer": other}, begin, begin + len(number)))
            for law, parts in others[:6]:
                key = own
                context = []
                for fragment, source in zip(item["context"], answer.sources, strict=True):
                    if source.ref == key:
                        fragment = {"law_id": law.id, "provision": fragment["provision"]}
                        fragment["text"] = "\n".join(part["text"] for part in parts if part["valid_to"] is None)
                    context.append(fragment)
                unmarked = re.sub(r" ?\[C[\d, C]+\]", "", text)
                found.append(("other_text", {**item, "answer": unmarked, "context": context}, 0, len(unmarked)))
    return found


async def measure(items: Sequence[Mapping[str, Any]], index: Path, show: str) -> None:
    """Check every altered answer and print the share that is found."""
    services, draw = await open_services(Settings.read(index=index)), random.Random(7)
    planted, found = Counter[str](), Counter[str]()
    try:
        for given in items:
            if given["fault"]:
                continue
            item = await _with_texts(given, services.store)
            for kind, altered, start, end in await variants(item, services.store, draw):
                answer = read_item(1, "1", altered).answer
                findings = findings_of(answer, await look_up(answer, services.store, None, date.today()))
                hits = [
                    each
                    for each in findings
                    if each["check"] == CHECKS[kind] and each["start"] < end and start < each["end"]
                ]
                planted[kind] += 1
                found[kind] += bool(hits)
                if show == kind and bool(hits) == (kind == "other_text"):
                    around = altered["answer"][max(0, start - 100) : end + 60].replace("\n", " ")
                    print(item["id"], f"«{altered['answer'][start:end]}»" if end < 3000 else "", around)
                    for each in hits:
                        print("    ", each["kind"], each["where"], each["message"])
    finally:
        await services.close()
    for kind in CHECKS:
        print(f"{kind:<12} {planted[kind]:>6} {found[kind] / max(planted[kind], 1):>7.3f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(FOLDER.glob("*.jsonl")))
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--show", default="")
    arguments = parser.parse_args()
    lines = [json.loads(line) for file in arguments.files for line in file.read_text("utf-8").splitlines() if line]
    asyncio.run(measure(lines, arguments.index, arguments.show))


if __name__ == "__main__":
    main()
