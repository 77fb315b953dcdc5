"""Write the wordings behind calculations and answer cards, and the table of provisions of calculations.

- ``python -m tools.wordings INDEX``: both wordings and the table, from the law in an index.
- ``python -m tools.wordings``: the table alone.
- ``python -m tools.wordings --stale INDEX``: the cards whose law has another wording; nothing is written.
- ``python -m tools.wordings --english``: the faults of the cards in English; those without any are stamped.
"""

import argparse
import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from articulado.calculations.deadlines_civil import NOTICES
from articulado.calculations.engine import Calculation, Rule, calculate
from articulado.calculations.parameters import parameter_kinds
from articulado.calculations.values import Missing, NotEntitled, Outcome, Result
from articulado.calculations.wordings import (
    CALCULATIONS,
    IndexedWording,
    WrittenAgainst,
    find_wordings,
    wordings_written_against,
)
from articulado.calculations.written import law_named, parts_of
from articulado.config.settings import Settings
from articulado.guides.card_answers import WORDINGS as WORDINGS_OF_CARDS
from articulado.guides.card_answers import of_day, stale_cards
from articulado.guides.cards import FOLDER, packaged_cards
from articulado.guides.translations import TRANSLATED, differences, digest_of, read_translations
from articulado.legal.labels import provision_key
from articulado.legal.validity import in_force
from articulado.legal.wordings import first_day_known, last_change_of, tracked_laws
from articulado.store.opening import open_index, open_store
from articulado.values.chunks import NO_DAYS, Chunk
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import ChunkStore

ROOT = Path(__file__).resolve().parents[1]
WORDINGS = ROOT / "articulado" / "calculations" / "data" / "wordings.jsonl"
CASES = ROOT / "tests" / "data" / "calculations"
DOCS = ROOT / "articulado" / "calculations" / "data" / "provisions.md"
BEGIN, END = "<!-- provisions covered: begin -->", "<!-- provisions covered: end -->"
MOST_KINDS = 4
PROBED = 400


def provisions_followed() -> dict[str, set[str]]:
    """Return the kinds of calculation by provision: of rules, of notices and of the worked cases."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for calculation in CALCULATIONS.values():
        for provision in (calculation.provision, *(each.provision for each in _rules(calculation))):
            kinds[provision].add(calculation.kind)
    for notice in NOTICES.values():
        kinds[notice.provision] |= {"deadline/notice", "deadline/notice_missing"}
    for kind, outcome in worked_cases():
        provision = outcome.provision if isinstance(outcome, Missing) else ""
        followed = outcome.basis.followed if isinstance(outcome, Result | NotEntitled) else ()
        for each in filter(None, (provision, *(one.provision for one in followed))):
            kinds[each].add(kind)
    return dict(kinds)


def _rules(calculation: Calculation) -> Iterator[Rule]:
    yield from calculation.rules
    yield from (each.rule for each in calculation.variants)


def worked_cases() -> Iterator[tuple[str, Outcome]]:
    """Yield kind and outcome of each calculation in ``tests/data/calculations``."""
    for file in sorted(CASES.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            yield case["kind"], calculate(CALCULATIONS[case["kind"]], case["inputs"])


async def wordings_of(store: ChunkStore, followed: Mapping[str, Iterable[str]], today: date) -> list[WrittenAgainst]:
    """Return today's wordings of the followed provisions in an index."""
    tracked: dict[str, bool] = {}
    wordings = []
    for provision in sorted(followed, key=_place):
        law_id, _ = parts_of(provision)
        found = await find_wordings(store, provision)
        current = next((each for each in found if in_force(each.chunk, None, today)), None)
        if current is None:
            continue
        if law_id not in tracked:
            tracked[law_id] = bool(tracked_laws(await _probe(store, law_id)))
        wordings.append(_written(provision, current, tracked[law_id], sorted(followed[provision])))
    return wordings


async def _probe(store: ChunkStore, law_id: str) -> list[Chunk]:
    return [chunk for number in range(1, PROBED) for chunk in await store.find(law_id, f"art:{number}")]


def _written(provision: str, wording: IndexedWording, is_tracked: bool, kinds: list[str]) -> WrittenAgainst:
    chunk = wording.chunk
    effective = _effective_day(chunk["law_id"])
    first = effective or first_day_known(chunk, frozenset((chunk["law_id"],)) if is_tracked else frozenset())
    days = chunk.get("law_days", NO_DAYS)
    certainty = "exact" if chunk["wording"].get("first_day", "exact") == "exact" else "deduced"
    return WrittenAgainst.model_validate(
        {
            "provision": provision,
            "content_hash": wording.content_hash,
            "since": first or last_change_of(chunk) or days["begins"] or chunk["valid_from"],
            "certainty": certainty if first else "at_least",
            "calculations": kinds,
        }
    )


def _effective_day(law_id: str) -> str | None:
    """Return the first day of the reference values of a norm; ``None`` unless it sets those of one period."""
    days = {each.begins for kind in parameter_kinds() for each in kind.period if each.boe == law_id}
    return days.pop().isoformat() if len(days) == 1 else None


def table() -> str:
    """Return the table of the provisions covered: values, calculations and authorities of each."""
    products: dict[str, set[str]] = defaultdict(set)
    authorities: dict[str, set[str]] = defaultdict(set)
    for calculation in CALCULATIONS.values():
        for each in _rules(calculation):
            products[each.provision].add(each.produces)
            authorities[each.provision] |= {each.authority} - {""}
    for _, outcome in worked_cases():
        for step in outcome.steps if isinstance(outcome, Result | NotEntitled) else ():
            products[step.provision].add(step.name)
            authorities[step.provision] |= {step.authority} - {""}
    rows = [
        f"| {_name(provision)} | {_listed(products[provision])} | {_kinds(kinds)} "
        f"| {'; '.join(sorted(authorities[provision]))} |"
        for provision, kinds in sorted(provisions_followed().items(), key=lambda item: _place(item[0]))
    ]
    head = ["| provision | values | calculations | authority |", "|---|---|---|---|"]
    return "\n".join([*head, *(re.sub(r" +\|", " |", row) for row in rows)])


def with_table(page: str) -> str:
    """Return a page with the table between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def _place(provision: str) -> tuple[str, str, int, str]:
    law_id, label = parts_of(provision)
    kind, _, number = (provision_key(label) or label).partition(":")
    digits = re.match(r"\d*", number)
    return law_id, kind, int(digits[0] or 0) if digits else 0, number


def _name(provision: str) -> str:
    law_id, label = parts_of(provision)
    return f"{law_named(law_id)}, {label[0].lower()}{label[1:]}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _kinds(kinds: Iterable[str]) -> str:
    families: dict[str, list[str]] = defaultdict(list)
    for kind in sorted(kinds):
        families[kind.partition("/")[0]].append(kind)
    return ", ".join(
        f"`{family}/…` ({len(names)})" if len(names) > MOST_KINDS else _listed(names)
        for family, names in families.items()
    )


async def _write(store: ChunkStore) -> None:
    wordings = await wordings_of(store, provisions_followed(), date.today())
    lines = (json.dumps(each.model_dump(mode="json"), ensure_ascii=False) + "\n" for each in wordings)
    WORDINGS.write_text("".join(lines), encoding="utf-8")
    wordings_written_against.cache_clear()
    lacking = provisions_followed().keys() - wordings_written_against().keys()
    for provision in [*sorted(lacking, key=_place), *await _write_of_cards(store, date.today())]:
        print(f"not in the index: {provision}")


async def _write_of_cards(store: ChunkStore, today: date) -> list[str]:
    pins = {pin.ref: pin for card in packaged_cards().values() for pin in card.pins}
    hashes: dict[str, dict[str, str]] = defaultdict(dict)
    for (law_id, key), pin in pins.items():
        for wording in of_day(await find_wordings(store, pin.provision), None, today)[:1]:
            hashes[law_id][key] = wording.content_hash
    WORDINGS_OF_CARDS.write_text(json.dumps(hashes, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    return [pin.provision for (law_id, key), pin in sorted(pins.items()) if key not in hashes[law_id]]


async def _run(index: Path | None, *, stale: bool) -> int:
    """Write, or list the cards whose law has changed; return the exit code."""
    settings = Settings.read(index=index) if index else Settings.read()
    store = open_store(settings, open_index(settings.index_folder))
    try:
        if not stale:
            await _write(store)
            return 0
        listed = await stale_cards(store, date.today())
        for card, refs in listed.items():
            print(f"{card}: {', '.join(map('#'.join, refs))}")
        return min(1, len(listed))
    finally:
        await store.close()


def stamp_translations(folder: Path = FOLDER) -> list[str]:
    """Stamp the correct translations without a stamp; return the faults of all, by file and card."""
    faults = []
    for file in sorted(file for code in TRANSLATED for file in (folder / code).glob("*.toml")):
        text = file.read_text(encoding="utf-8")
        for each in read_translations(file):
            card = packaged_cards().get(each.id)
            found = list(differences(each, card)) if card else ["no such card"]
            if card and each.written_against not in ("", digest_of(card)):
                found.append("the Spanish text has changed: correct the English one and delete written_against")
            faults += [f"{file.name}: {each.id}: {fault}" for fault in found]
            if card and not found and not each.written_against:
                stamped = f'id = "{each.id}"\nwritten_against = "{digest_of(card)}"\n'
                text = text.replace(f'id = "{each.id}"\n', stamped, 1)
        file.write_text(text, encoding="utf-8")
    return faults


def main() -> int:
    """Write the wordings, if an index is given, and the table; or list stale cards, or faults of translations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path, nargs="?")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--english", action="store_true")
    options = parser.parse_args()
    if options.english:
        faults = stamp_translations()
        print("\n".join(faults) or "no faults")
        return min(1, len(faults))
    code = asyncio.run(_run(options.index, stale=options.stale)) if options.index or options.stale else 0
    if not options.stale:
        DOCS.write_text(with_table(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ArticuladoError, OSError, ValueError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
