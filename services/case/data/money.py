"""Read the amount of a case: of money and not of things, in all and not by the month."""

import re
from decimal import Decimal

from articulado.guides.data_values import UnusableValue, all_data_patterns
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.numerals import MULTIPLE, NUMBER, parse_amount

_CURRENCY = re.compile(r"[$€£]|(?<![a-z])(?:usd|eur|euros?|dollars?|dolares)\b")
_NUMBER = re.compile(NUMBER + MULTIPLE)
_REMARK = re.compile(r"(?P<amount>.*\d.*?)\s*\([^()]*\)", re.DOTALL)


def read_money(text: str, language: Language) -> Decimal:
    """Return the amount in a text, which a remark in brackets may follow; zero where words say that there is nothing.

    Raises:
        UnusableValue: there is none, or several; it is a percentage, a count of things, or so much by the month.
    """
    folded = " ".join(fold(text).split())
    if is_percentage(text):
        raise UnusableValue(language.translate("case_problem_percentage"))
    if is_nothing(text):
        return Decimal(0)
    if any(patterns.per_period.search(folded) for patterns in all_data_patterns()):
        raise UnusableValue(language.translate("case_problem_per_period"))
    remark = _REMARK.fullmatch(folded)
    bare = remark["amount"] if remark else folded
    amount = parse_amount(bare)
    if amount is None or not _is_of_money(bare):
        raise UnusableValue(language.translate("case_problem_currency"))
    return amount


def is_nothing(text: str) -> bool:
    """Tell whether words say that an amount or a number is zero: "none", "no outstanding loans", "paid off"."""
    folded = " ".join(fold(text).split()).strip(" .!")
    if re.search(r"\d", folded):
        return False
    return parse_amount(folded) == 0 or any(patterns.zero.fullmatch(folded) for patterns in all_data_patterns())


def is_percentage(text: str) -> bool:
    """Tell whether a text has the sign or the word of a percentage in it."""
    return any(patterns.percentage.search(fold(text)) for patterns in all_data_patterns())


def _is_of_money(folded: str) -> bool:
    """Tell whether a number has a currency, or nothing beside it that might be counted ("2 loans") or date it."""
    if _CURRENCY.search(folded):
        return True
    words = _NUMBER.sub(" ", folded)
    for patterns in all_data_patterns():
        words = patterns.amount_words.sub(" ", words)
    return not re.search(r"\w", words)
