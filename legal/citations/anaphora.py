"""Tell which law "dicha Ley", "del citado texto refundido" or "del mismo" means: the last one named that fits."""

import re
from dataclasses import dataclass
from functools import cached_property

from articulado.language.folding import fold
from legal.laws.mentions import LawMention
from legal.laws.registry import known_laws

_NOUN = (
    r"(?:real(?:es)?\s+decretos?(?:[- ](?:ley|legislativo))?|decretos?(?:[- ](?:ley|legislativo))?|ley(?:\s+organica)?"
    r"|texto(?:\s+(?:refundido|legal|articulado))?|cuerpo\s+legal|norma(?:\s+legal)?|reglamento|estatuto|codigo|orden"
    r"|constitucion|directiva|convenio|acuerdo|tratado|convencion|protocolo)\b"
)
_THIS_LAW = re.compile(rf"(?:\best[ea]|\b(?:el|la|del)\s+presente)\s+{_NOUN}")
_CITED = r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid|mism|antecitad|antedich)[oa]"
_AGAIN = rf"(?:{_CITED}s?|dich[oa]s?|aquel(?:l[ao]s?)?|propi[oa])\s+"
_UNREGISTERED = re.compile(
    rf"(?<!\w)(?P<again>{_AGAIN}|(?:es[ea]|su|tal)\s+|ultim[oa]\s+)?{_NOUN}(?!\s+(?:antes\s+|ya\s+)?{_CITED}\b)"
)
_NAMED_AGAIN = re.compile(
    rf"(?P<of>del|de\s+la|de)\s+(?:(?:dich[oa]|aquell?a?|es[ea]|est[ea]\s+ultim[oa]|{_CITED})\s+)(?P<noun>{_NOUN})"
    # "De la citada Ley de Enjuiciamiento Civil" has a name of its own.
    r"(?P<name>\s+(?:del?|general|organic[oa]|reguladora|basic[oa]|[ivx]+)\b)?"
)
_CITED_AFTER = re.compile(rf"(?:del|de\s+la)\s+(?P<noun>{_NOUN})\s+(?:antes\s+|ya\s+)?{_CITED}\b")
_THE_SAME = re.compile(r"(?P<of>del|de\s+la)\s+mism[oa]\b(?!\s+\w*(?:articulo|disposicion|apartado))")
_FEMININE = re.compile(r"(?:ley|orden|constitucion|directiva|norma|convencion|l\.?o\.?|lgss|lisos)\b")
# What a noun may refer back to, sought in the words that named the law and in its title.
_FITS = {
    "ley": re.compile(r"\bley\b|^l\w*$"),
    "texto refundido": re.compile(r"texto refundido|legislativo"),
    "reglamento": re.compile(r"reglamento"),
    "estatuto": re.compile(r"estatuto"),
    "codigo": re.compile(r"codigo"),
    "constitucion": re.compile(r"constitucion"),
    "orden": re.compile(r"\borden\b"),
    "directiva": re.compile(r"directiva"),
    "convenio": re.compile(r"convenio"),
    "acuerdo": re.compile(r"acuerdo"),
    "tratado": re.compile(r"tratado"),
    "convencion": re.compile(r"convencion"),
    "protocolo": re.compile(r"protocolo"),
}
_THE_SAME_LAW = ("la misma", "el mismo")
_DECREE = re.compile(r"decreto|^rd")


@dataclass(frozen=True)
class Antecedent:
    """A law named before: where, its ids (see ``LawMention``), its words, and whether these were "this law"."""

    start: int
    law_id: str | None
    current_id: str | None
    words: str
    is_this_law: bool = False


class Antecedents:
    """The laws that a folded text names, to which its anaphoras refer."""

    def __init__(self, folded: str, mentions: list[LawMention], law_id: str | None):
        self._folded = folded
        self._mentions = mentions
        self._law_id = law_id

    @cached_property
    def _in_order(self) -> list[Antecedent]:
        antecedents, taken = [], set[int]()
        for mention in self._mentions:
            words = self._folded[mention.start : mention.end]
            antecedents.append(Antecedent(mention.start, mention.law_id, mention.current_id, words))
            taken.update(range(mention.start, mention.end))
        for this_law in _THIS_LAW.finditer(self._folded):
            antecedents.append(Antecedent(this_law.start(), self._law_id, self._law_id, this_law[0], is_this_law=True))
            taken.update(range(this_law.start(), this_law.end()))
        for unregistered in _UNREGISTERED.finditer(self._folded):
            if not unregistered["again"] and unregistered.start() not in taken:
                antecedents.append(Antecedent(unregistered.start(), None, None, unregistered[0]))
        return sorted(antecedents, key=lambda antecedent: antecedent.start)

    def resolve(self, position: int) -> tuple[Antecedent | None, int] | None:
        """Return the law that the anaphora at a position means and its end; ``None`` where there is no anaphora.

        The law is ``None`` where none of those named before fits.
        """
        if again := _NAMED_AGAIN.match(self._folded, position):
            return (None if again["name"] else self._last(position, again["noun"])), again.end("noun")
        if after := _CITED_AFTER.match(self._folded, position):
            return self._last(position, after["noun"]), after.end()
        if same := _THE_SAME.match(self._folded, position):
            return self._last(position, "la misma" if same["of"] != "del" else "el mismo"), same.end()
        return None

    def _last(self, position: int, noun: str) -> Antecedent | None:
        words = " ".join(noun.split())
        before = [law for law in reversed(self._in_order) if law.start < position and _fits(law, words)]
        # A law says "esta Ley" of itself, and "dicha Ley" of another one where there is one.
        others = [law for law in before if not law.is_this_law]
        return next(iter(before if noun in _THE_SAME_LAW else others or before), None)


def _fits(antecedent: Antecedent, noun: str) -> bool:
    law = known_laws().get(antecedent.law_id or "")
    if noun in _THE_SAME_LAW:
        return bool(_FEMININE.match(antecedent.words)) == (noun == "la misma")
    if "decreto" in noun:
        return _DECREE.search(antecedent.words) is not None and (
            "legislativo" not in noun or "legis" in antecedent.words
        )
    fits = _FITS.get(noun.removesuffix(" organica"))
    # "Texto legal", "norma" and the like mean any law.
    return fits is None or fits.search(antecedent.words) is not None or bool(law and fits.search(fold(law.title)))
