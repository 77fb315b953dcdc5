"""Measure which planted faults ``verify`` tells, and what it alarms about in right answers.

    python benchmarks/verification/measure.py --index INDEX [FILE.jsonl ...] [--show missed|false|right|CLASS]

A line of a file is ``{"id", "question", "context": [{"law_id", "provision"}], "answer", "fault"}``, where ``fault`` is
null or ``{"class", "where"}``. A provision without ``text`` is read from the index. A fault is found where a finding of
a check that goes with its class overlaps ``where``; a finding that overlaps no planted fault is a false alarm, whatever
the answer is. An answer is alarmed where it is right and has any finding.

A model reads the claims with one of these, which leave out the other checks and, unless ``--classes all`` is given,
faults of other classes than ``wrong_condition_or_subject`` and ``negation``:

    --checker               the model of ``ARTICULADO_CHECKER_…``
    --checker-prompts DIR   no model: write each prompt to DIR/<id>.txt
    --checker-replies DIR   no model: read each reply from DIR/<id>.json

``--sample N`` takes N faults and N right answers by chance (``--seed``). A prompt has a hash of its text as its
name, which does not tell if a fault is planted.
"""

import argparse
import asyncio
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.language.languages import language
from articulado.legal.labels import provision_key
from articulado.models.structured import parse_structured
from articulado.prompting.prompts import load_prompt
from articulado.values.findings import Finding
from articulado.values.protocols import ChatModel, ChunkStore
from articulado.verification.checks import findings_of, read_item
from articulado.verification.citations import look_up
from articulado.verification.claims import (
    PROMPT,
    Claim,
    ClaimVerdicts,
    claim_findings,
    claims_of,
    message,
    reply_tokens,
)
from articulado.verification.reading import ReadAnswer
from graph.compose import open_services

CHECKS: dict[str, set[str]] = {
    "wrong_figure": {"figure"},
    "unit": {"figure"},
    "wrong_article": {"citation"},
    "nonexistent_article": {"citation"},
    "swapped_law": {"citation"},
    "invented_quote": {"quotation"},
    "altered_quote": {"quotation"},
    "dangling_mark": {"mark"},
    "wrong_condition_or_subject": {"claim"},
    "negation": {"claim"},
}
"""Classes of planted faults, and the checks that report them; only a model (``claim``) reads the meaning of a claim."""
OF_MEANING = ("wrong_condition_or_subject", "negation")
"""The classes that a model is measured on."""

FOLDER = Path(__file__).parent / "answers"


@dataclass
class Tally:
    """Counts over all answers; ``by_any`` counts faults whose answer has any finding at all."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    by_any: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    right: int = 0
    alarmed: int = 0
    provisions: set[tuple[str, str]] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)

    def add(self, item: Mapping[str, Any], findings: Sequence[Finding]) -> tuple[bool, bool]:
        """Count one answer; return whether its fault was missed, and whether there was a false alarm."""
        fault = item["fault"]
        hits = [finding for finding in findings if _is_about(finding, item)]
        for finding in findings:
            (self.true if finding in hits else self.false)[finding["check"]] += 1
        if not fault:
            self.right += 1
            self.alarmed += bool(findings)
            return False, bool(findings)
        kind = fault["class"]
        told = any(finding["check"] in CHECKS[kind] for finding in hits)
        self.planted[kind] += 1
        self.found[kind] += told
        self.by_any[kind] += bool(findings)
        return not told, len(hits) < len(findings)

    def print(self) -> None:
        """Print the tables."""
        print(f"{'class':<28} {'planted':>7} {'recall':>7} {'any':>7}")
        for kind in CHECKS:
            if planted := self.planted[kind]:
                print(f"{kind:<28} {planted:>7} {self.found[kind] / planted:>7.3f} {self.by_any[kind] / planted:>7.3f}")
        print(f"\n{'check':<28} {'true':>7} {'false':>7} {'precision':>9}")
        for check in sorted(self.true | self.false):
            total = self.true[check] + self.false[check]
            print(f"{check:<28} {self.true[check]:>7} {self.false[check]:>7} {self.true[check] / total:>9.3f}")
        print(f"\nright answers: {self.right}, alarmed: {self.alarmed} ({self.alarmed / max(self.right, 1):.3f})")
        print(f"provisions: {len(self.provisions)}, laws: {len({law for law, _ in self.provisions})}")
        if times := sorted(self.seconds):
            median, late = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95))
            print(f"ms an answer: median {median:.1f}, p95 {late:.1f}, longest {1000 * times[-1]:.1f}")


@dataclass(frozen=True)
class Checker:
    """A model that reads claims, or in its place a folder of prompts to write, or of replies to read."""

    model: ChatModel | None = None
    prompts: Path | None = None
    replies: Path | None = None

    async def findings(self, question: str, answer: ReadAnswer) -> list[Finding]:
        """Return the warnings on the claims of an answer; none if only its prompt is written."""
        claims, spanish = claims_of(answer), language("es")
        if not claims:
            return []
        system, user = load_prompt(PROMPT, load_profile("laboral")), message(question, claims, spanish)
        reply = await self._reply(system, user, claims)
        return claim_findings(claims, reply, spanish) if reply else []

    async def _reply(self, system: str, user: str, claims: Sequence[Claim]) -> ClaimVerdicts | None:
        text = f"{system}\n\n=====\n\n{user}\n"
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        if self.prompts:
            self.prompts.mkdir(parents=True, exist_ok=True)
            (self.prompts / f"{name}.txt").write_text(text, encoding="utf-8")
            return None
        if self.replies:
            return parse_structured((self.replies / f"{name}.json").read_text("utf-8"), ClaimVerdicts)
        if self.model is None:
            raise SystemExit("Configure ARTICULADO_CHECKER_PROVIDER, or use --checker-prompts and --checker-replies.")
        sent = {"role": "user", "content": user}
        reply = await self.model.structured(system, [sent], ClaimVerdicts, max_tokens=reply_tokens(claims))  # type: ignore[list-item]
        return reply.value


async def measure(items: Iterable[Mapping[str, Any]], index: Path, show: str, checker: Checker | None = None) -> Tally:
    """Check every answer; ``show`` names what of them is printed (``--show``). With a ``checker`` it checks alone."""
    services, tally = await open_services(Settings.read(index=index)), Tally()
    if checker and not checker.prompts and not checker.replies:
        checker = Checker(services.checker)
    try:
        for line, given in enumerate(items, start=1):
            item = await _with_texts(given, services.store)
            tally.provisions |= {(fragment["law_id"], fragment["provision"]) for fragment in item["context"]}
            begin = time.perf_counter()
            answer = read_item(line, str(line), item).answer
            if checker:
                findings = await checker.findings(item["question"], answer)
            else:
                findings = findings_of(answer, await look_up(answer, services.store, None, date.today()))
            tally.seconds.append(time.perf_counter() - begin)
            missed, alarm = tally.add(item, findings)
            kind = item["fault"]["class"] if item["fault"] else "right"
            if (show == "missed" and missed) or (show == "false" and alarm) or show == kind:
                _show(item, findings)
    finally:
        await services.close()
    return tally


async def _with_texts(item: Mapping[str, Any], store: ChunkStore) -> dict[str, Any]:
    """Return an item whose provisions have their texts, from the index where the file does not give them."""
    context = []
    for fragment in item["context"]:
        if "text" not in fragment:
            parts = await store.find(fragment["law_id"], provision_key(fragment["provision"]) or "")
            current = [part for part in parts if part["valid_to"] is None] or parts
            fragment = {**fragment, "text": "\n".join(part["text"] for part in current)}
        context.append(fragment)
    return {**item, "context": context}


def _is_about(finding: Finding, item: Mapping[str, Any]) -> bool:
    """Tell whether a finding is about the planted fault."""
    fault = item["fault"]
    begin = str(item["answer"]).find(fault["where"]) if fault else -1
    return begin >= 0 and finding["start"] < begin + len(fault["where"]) and begin < finding["end"]


def _show(item: Mapping[str, Any], findings: Iterable[Finding]) -> None:
    print(json.dumps({name: item[name] for name in ("id", "question", "answer", "fault")}, ensure_ascii=False))
    for finding in findings:
        print(f"    {finding['check']}/{finding['kind']} «{finding['where']}»: {finding['message']}")


def sampled(items: Sequence[Mapping[str, Any]], number: int, seed: int) -> list[Mapping[str, Any]]:
    """Return so many faults and so many right answers by chance, mixed; 0 returns all."""
    if not number:
        return list(items)
    chance = random.Random(seed)
    faulty, right = ([item for item in items if bool(item["fault"]) is planted] for planted in (True, False))
    chosen = [*chance.sample(faulty, number), *chance.sample(right, number)]
    chance.shuffle(chosen)
    return chosen


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(FOLDER.glob("*.jsonl")))
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--show", default="")
    parser.add_argument("--checker", action="store_true")
    parser.add_argument("--checker-prompts", type=Path)
    parser.add_argument("--checker-replies", type=Path)
    parser.add_argument("--classes", choices=("meaning", "all"), default="meaning")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    lines = [json.loads(line) for file in arguments.files for line in file.read_text("utf-8").splitlines() if line]
    checker = None
    if arguments.checker or arguments.checker_prompts or arguments.checker_replies:
        checker = Checker(prompts=arguments.checker_prompts, replies=arguments.checker_replies)
        if arguments.classes == "meaning":
            lines = [line for line in lines if not line["fault"] or line["fault"]["class"] in OF_MEANING]
    asyncio.run(
        measure(sampled(lines, arguments.sample, arguments.seed), arguments.index, arguments.show, checker)
    ).print()


if __name__ == "__main__":
    main()
