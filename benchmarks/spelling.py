"""Measure how many questions stay answered if they are typed with errors, by kind of error.

    python benchmarks/spelling.py --index INDEX [--questions 120] [--seed 1] [--checkout FOLDER] [--out FILE.jsonl]

A question counts if it has at most ``MOST_WORDS`` words and is answered as it stands. Each kind of error (``KINDS``) is
made in a copy of it. A copy is ``answered`` if its outcome is an answer, and the ``same`` if its first citation is also
one of the first ``FIRST`` of the original. ``mixed`` is a message typed on a phone: small letters, no accents or
punctuation, abbreviations, and slips. Slips fall on one in ``EVERY`` words of ``SHORTEST`` letters or more, and on at
least one. Numbers, acronyms and words with a capital inside a sentence are never changed.

Questions are those of ``../shared/eval`` (if it is there), of ``evaluation/datasets/demo.jsonl`` and of
``corpus/fichas/preguntas.jsonl``, the same number of each. With ``--checkout`` the modules are those of another
checkout.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[1]
SHARED = CHECKOUT.parent / "shared" / "eval"
SOURCES = (
    SHARED / "dev_lay.jsonl",
    SHARED / "dev_professional.jsonl",
    SHARED / "dev_real.jsonl",
    CHECKOUT / "evaluation" / "datasets" / "demo.jsonl",
    CHECKOUT / "corpus" / "fichas" / "preguntas.jsonl",
)
FIRST = 2
"""Citations of the original among which the first one of the copy must be."""
SHORTEST, EVERY, MOST_WORDS = 5, 3, 18
ROWS = ("qwertyuiop", "asdfghjklñ", "zxcvbnm")
"""Rows of a Spanish keyboard: neighbours are keys beside each other in a row, and those above and below."""
SOUNDS = (
    ("v", "b"), ("b", "v"), (r"\bh", ""), (r"(?<=[aeiou])h", ""), (r"c(?=[ei])", "s"), ("z", "s"), (r"s(?=[ei])", "c"),
    ("ll", "y"), (r"y(?=[aeiou])", "ll"), (r"qu(?=[ei])", "k"), (r"c(?=[aou])", "k"), (r"g(?=[ei])", "j"),
    (r"j(?=[ei])", "g"), ("x", "s"), ("xc", "x"), (r"gu(?=[aeiou])", "w"), ("mb", "nb"), ("mp", "np"), ("nn", "n"),
)  # fmt: skip
"""Letters of one sound: pattern, and the spelling that takes its place."""
ABBREVIATIONS = {
    "que": "q", "qué": "q", "porque": "xq", "también": "tb", "donde": "dnd", "dónde": "dnd", "por": "x", "para": "xa",
    "tengo": "tngo", "mucho": "mxo", "cuando": "cnd", "cuándo": "cuand", "cuánto": "cuant", "trabajo": "trab",
    "bien": "bn", "empresa": "empr", "pero": "xro", "como": "cm", "me": "m", "de": "d",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
Change = Callable[[str, random.Random], str]


def unaccented(text: str) -> str:
    """Return a text without accents; "ñ" stays."""
    parts = ("ñ" if letter in "ñÑ" else unicodedata.normalize("NFD", letter)[0] for letter in text)
    return "".join(parts)


def neighbours(letter: str) -> str:
    """Return the keys beside, above and below a letter."""
    for number, row in enumerate(ROWS):
        if (place := row.find(letter)) >= 0:
            beside = row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
            rows = [*ROWS[max(number - 1, 0) : number], *ROWS[number + 1 : number + 2]]
            return beside + "".join(other[place] for other in rows if place < len(other))
    return letter


def left_out(word: str, chance: random.Random) -> str:
    """Leave out a letter after the first."""
    place = chance.randrange(1, len(word))
    return word[:place] + word[place + 1 :]


def doubled(word: str, chance: random.Random) -> str:
    """Type a letter twice."""
    place = chance.randrange(len(word))
    return word[:place] + word[place] + word[place:]


def swapped(word: str, chance: random.Random) -> str:
    """Swap two letters that differ, after the first."""
    places = [place for place in range(1, len(word) - 1) if word[place] != word[place + 1]]
    if not places:
        return word
    place = chance.choice(places)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def neighbouring(word: str, chance: random.Random) -> str:
    """Hit the key beside that of a letter."""
    place = chance.randrange(1, len(word))
    return word[:place] + chance.choice(neighbours(unaccented(word[place]))) + word[place + 1 :]


def by_sound(word: str, chance: random.Random) -> str:
    """Write a sound of a word by other letters; a word without such a sound stays."""
    fitting = [(pattern, other) for pattern, other in SOUNDS if re.search(pattern, word)]
    if not fitting:
        return word
    pattern, other = chance.choice(fitting)
    return re.sub(pattern, other, word, count=1)


def spelling(word: str, chance: random.Random) -> str:
    """Make one slip of any kind."""
    return chance.choice((left_out, doubled, swapped, neighbouring, by_sound, by_sound))(word, chance)


def twice(word: str, chance: random.Random) -> str:
    """Make two slips in a word of eight letters or more, one in a shorter one."""
    once = spelling(word, chance)
    return spelling(once, chance) if len(word) >= 8 else once


def in_words(slip: Change) -> Change:
    """Return the change of a text in some of its words, of those in small letters."""

    def change(text: str, chance: random.Random) -> str:
        words = [found for found in _WORD.finditer(text) if _may_change(found, text)]
        chosen = chance.sample(words, min(len(words), max(1, len(words) // EVERY)))
        for found in sorted(chosen, key=lambda one: -one.start()):
            text = text[: found.start()] + slip(found[0], chance) + text[found.end() :]
        return text

    return change


def _may_change(found: re.Match[str], text: str) -> bool:
    """Tell if a word is long enough, and no name: small letters, or the first word of the text."""
    begins = not text[: found.start()].strip("¿¡ ")
    return len(found[0]) >= SHORTEST and (found[0].islower() or (begins and found[0].istitle()))


def merged(text: str, chance: random.Random) -> str:
    """Leave out one blank in ten between words in letters, at least one."""
    blanks = [found.start(1) for found in re.finditer(r"(?<=[a-zñáéíóú])( )(?=[a-zñáéíóú])", text)]
    chosen = chance.sample(blanks, min(len(blanks), max(1, len(blanks) // 10)))
    return "".join(letter for place, letter in enumerate(text) if place not in chosen)


def split(word: str, chance: random.Random) -> str:
    """Put a blank into a word."""
    place = chance.randrange(2, len(word) - 1)
    return f"{word[:place]} {word[place:]}"


def abbreviated(text: str, chance: random.Random) -> str:
    """Write the words of ``ABBREVIATIONS`` as in a chat."""
    return _WORD.sub(lambda found: ABBREVIATIONS.get(found[0].lower(), found[0]), text)


def dictated(text: str, chance: random.Random) -> str:
    """Take out the punctuation, and write all in small letters but acronyms."""
    plain = re.sub(r"[¿?¡!,;:.()«»\"](?!\d)", " ", text)
    return re.sub(r"\s+", " ", small(plain, chance)).strip()


def small(text: str, chance: random.Random) -> str:
    """Write all in small letters but acronyms."""
    return _WORD.sub(lambda found: found[0] if found[0].isupper() and len(found[0]) > 1 else found[0].lower(), text)


def mixed(text: str, chance: random.Random) -> str:
    """Type as on a phone."""
    text = in_words(spelling)(dictated(text, chance), chance)
    return unaccented(abbreviated(text, chance))


KINDS: Mapping[str, Change] = {
    "left out": in_words(left_out),
    "doubled": in_words(doubled),
    "swapped": in_words(swapped),
    "neighbour": in_words(neighbouring),
    "by sound": in_words(by_sound),
    "two slips": in_words(twice),
    "merged": merged,
    "split": in_words(split),
    "abbreviated": abbreviated,
    "no accents": lambda text, chance: unaccented(text),
    "capitals": lambda text, chance: text.upper(),
    "small, all": lambda text, chance: text.lower(),
    "dictated": dictated,
    "mixed": mixed,
}


def questions_of(file: Path) -> list[str]:
    """Return the Spanish questions of a file; none if it is not there."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
    questions = [str(row["question"]) for row in rows if row.get("lang", "es") == "es"]
    return [question for question in questions if len(question.split()) <= MOST_WORDS]


async def measure(index: Path, wanted: int, seed: int) -> list[dict[str, Any]]:
    """Ask the questions and their copies, print the shares by kind, and return a row for each copy."""
    from articulado.config.settings import Settings
    from graph.compose import open_services
    from graph.rag import build_rag

    services = await open_services(Settings.read(env_file=None, index=index))
    graph = build_rag(services)

    async def ask(question: str) -> tuple[str, list[str]]:
        result = await graph.ainvoke({"question": question})
        return result["outcome"], [f"{one['law_id']}#{one['provision']}" for one in result["citations"]]

    chance = random.Random(seed)
    originals: list[tuple[str, list[str]]] = []
    there = [questions for file in SOURCES if (questions := questions_of(file))]
    for questions in there:
        chosen = 0
        for question in chance.sample(questions, len(questions)):
            if chosen * len(there) >= wanted:
                break
            outcome, cited = await ask(question)
            if outcome == "answer" and cited:
                originals.append((question, cited))
                chosen += 1
    rows: list[dict[str, Any]] = []
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for kind, change in KINDS.items():
        for number, (question, cited) in enumerate(originals):
            copy = change(question, random.Random(f"{seed} {kind} {number}"))
            if copy == question:
                continue
            outcome, cited_now = await ask(copy)
            answered = outcome == "answer"
            same = answered and bool(cited_now) and cited_now[0] in cited[:FIRST]
            counts[kind] = [one + more for one, more in zip(counts[kind], (1, answered, same), strict=True)]
            row = {"kind": kind, "question": question, "copy": copy, "outcome": outcome, "same": same}
            rows.append({**row, "cited": cited[:FIRST], "cited_now": cited_now[:1]})
        total, answered_all, same_all = counts[kind]
        print(f"{kind:<12}{total:>5}{answered_all / max(total, 1):>10.3f}{same_all / max(total, 1):>8.3f}", flush=True)
    totals = [sum(each) for each in zip(*counts.values(), strict=True)]
    print(f"{'all':<12}{totals[0]:>5}{totals[1] / totals[0]:>10.3f}{totals[2] / totals[0]:>8.3f}")
    await services.close()
    return rows


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkout", type=Path)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.checkout:
        environment = os.environ | {"PYTHONPATH": str(arguments.checkout), "PYTHONDONTWRITEBYTECODE": "1"}
        rest = [each for each in sys.argv[1:] if each not in ("--checkout", str(arguments.checkout))]
        sys.exit(subprocess.run([sys.executable, __file__, *rest], cwd=arguments.checkout, env=environment).returncode)
    rows = asyncio.run(measure(arguments.index, arguments.questions, arguments.seed))
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
