"""Make articulado/models/token_pieces.txt: pieces of text with their true number of tokens.

    python benchmarks/token_pieces.py texts_in_english texts_in_spanish > token_pieces.txt

Needs tiktoken's tables of cl100k_base and o200k_base (``TIKTOKEN_CACHE_DIR``), and two folders of UTF-8 texts, of which
only the words and how often they come are used.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import regex
import tiktoken

from articulado.models.tokens import LEADS, SHORT_BYTES

ENGLISH, SPANISH, CAPITALS, SYMBOLS = 15_000, 19_000, 1_200, 60
"""The words of each language at most, those all in capitals, and how often a symbol must come."""
CONTRACTED = 200
COMMON_RANK = 36_000
"""cl100k_base learnt its tokens in this order; the first are the words of general English."""

LATIN = re.compile(r" ?[A-Z]?[a-záéíóúüñ]+| ?[A-ZÁÉÍÓÚÜÑ]+")
TOKEN_WORD = re.compile(r" ([A-Z]?[a-záéíóúüñ]{2,})")
SPANISH_ENDING = re.compile(
    r".{2,}(ción|ciones|sión|siones|mente|ando|iendo|[ai]d[oa]s?|ieron|aron|aban?|ían?|ar[áé]n?|erá|irá|dad|dades"
    r"|ismo|istas?|ables?|encias?|ancia|eza|iv[oa]s?|ic[oa]s?|os[oa]s?|[aei]mos|or[ea]s|ari[oa]s?|[ai]miento|ill[oa]"
    r"|er[oa]s?)|.*[áéíóúñ].*"
)
CONTRACTIONS = [mark + end for mark in "'’" for end in ("s", "t", "re", "ve", "m", "ll", "d")]
RUNS = {" ": 80, "\n": 16, "\t": 16, "\r\n": 16, "-": 16, "=": 16, "_": 16, ".": 16, "*": 16, "#": 16}

ENCODINGS = [tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")]
TOKENS = [set(encoding.token_byte_values()) for encoding in ENCODINGS]


def true_count(encoding: tiktoken.Encoding, piece: str) -> int:
    return len(encoding._encode_single_piece(piece))


def read(folder: str) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted(Path(folder).rglob("*")) if file.is_file()]


def words_of(texts: Iterable[str]) -> Counter[str]:
    words = (word[0].lower() + word[1:] for text in texts for word in re.findall(r"[A-Za-zÁÉÍÓÚÜÑáéíóúüñ]+", text))
    return Counter(word for word in words if re.fullmatch(r"[a-záéíóúüñ]{2,24}", word))


def decoded(token: bytes) -> str:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return ""


def token_words(tokens: Iterable[bytes]) -> set[str]:
    matches = (TOKEN_WORD.fullmatch(decoded(token)) for token in tokens)
    return {match[1][0].lower() + match[1][1:] for match in matches if match}


def chosen(english: list[str], spanish: list[str]) -> set[str]:
    words = {word for word, _ in words_of(english).most_common(ENGLISH) if word.isascii()}
    words |= {word for word, times in words_of(spanish).most_common(SPANISH) if times > 1}
    capitals = Counter(re.findall(r"\b[A-ZÁÉÍÓÚÜÑ]{4,20}\b", "\n".join(english + spanish)))
    words |= {word for word, _ in capitals.most_common(CAPITALS)}
    # o200k_base keeps the end of a contraction with its word.
    contracted = Counter(re.findall(r"\b[a-z]{1,15}'(?:s|t|re|ve|m|ll|d)\b", "\n".join(english).lower()))
    words |= {word for word, _ in contracted.most_common(CONTRACTED)}
    words |= token_words(ENCODINGS[0].decode_single_token_bytes(rank) for rank in range(COMMON_RANK))
    return words | {word for word in token_words(TOKENS[1]) if SPANISH_ENDING.fullmatch(word)}


def digits(word: str) -> str:
    """Return the counts of a word: alone, after a space, the most after another lead; the same with a capital."""
    forms = (word, word[0].upper() + word[1:])
    counts = [
        count
        for encoding in ENCODINGS
        for form in forms
        for count in (
            true_count(encoding, form),
            true_count(encoding, f" {form}"),
            max(true_count(encoding, lead + form) for lead in LEADS - {" "}),
        )
    ]
    return "".join(map(str, counts)) if max(counts) <= 9 else ""


def symbols(texts: list[str]) -> dict[tuple[int, int], list[str]]:
    seen: Counter[str] = Counter()
    for text in texts:
        for shown in (text, json.dumps(text[:20_000])):
            for encoding in ENCODINGS:
                pieces = regex.findall(encoding._pat_str, shown)
                seen.update(piece for piece in pieces if not regex.search(r"[\p{L}\p{N}]", piece))
    for token in TOKENS[0] | TOKENS[1]:
        text = decoded(token)
        if text and text <= "\u2500" and len(text) <= SHORT_BYTES and not regex.search(r"[\p{L}\p{N}]", text):
            seen[text] += 3
    always = [char * times for char, limit in RUNS.items() for times in range(1, limit + 1)]
    always += ["\n" + " " * times for times in range(1, 41)] + CONTRACTIONS
    always += [lead + char for char in map(chr, range(0xA1, 0x100)) for lead in ("", " ")]
    always += [lead + char for char in "–—‘’“”…€" for lead in ("", " ")]
    always += ["\n" + char for char in "#-*"]
    seen.update(dict.fromkeys(always, SYMBOLS))
    by_count: dict[tuple[int, int], list[str]] = defaultdict(list)
    for piece, times in seen.items():
        size = len(piece.encode())
        counts = true_count(ENCODINGS[0], piece), true_count(ENCODINGS[1], piece)
        if times >= SYMBOLS and 1 < size <= 130 and max(counts) <= 0.6 * size + 0.5:
            by_count[counts].append(piece)
    return by_count


def main(english: list[str], spanish: list[str]) -> None:
    by_digits: dict[str, list[str]] = defaultdict(list)
    for word in sorted(chosen(english, spanish)):
        by_digits[digits(word)].append(word)
    by_digits.pop("", None)
    for key, words in sorted(by_digits.items()):
        print(key, *words)
    parts: dict[str, list[str]] = defaultdict(list)
    for token in sorted(TOKENS[0] | TOKENS[1]):
        if 1 < len(token) <= SHORT_BYTES and LATIN.fullmatch(decoded(token)):
            parts["".join("01"[token in tokens] for tokens in TOKENS)].append(decoded(token).replace(" ", "_"))
    for key, group in sorted(parts.items()):
        print("part", key, *group)
    for counts, pieces in sorted(symbols(english + spanish).items()):
        print("symbol", json.dumps([*counts, sorted(pieces)], separators=(",", ":")))


if __name__ == "__main__":
    main(*map(read, sys.argv[1:]))
