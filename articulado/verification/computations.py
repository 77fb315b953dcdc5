"""Computations written in a text: parse, recompute and compare with the stated result.

``computations`` reads expressions such as "33 días × 4 años = 132 días". A rough result may differ by 2 %.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation

from articulado.language.folding import fold
from articulado.language.numerals import read_number
from articulado.language.quantities import DATE, LARGEST, Quantity, quantities

_EQUALS = re.compile(
    r"=|≈|≃|\bson\s(?:unos\s|aproximadamente\s)?(?=\d)|\bequivale[n]?\sa\s|\bda[n]?\s(?=\d)|\bresultan?\s(?=\d)"
)
_OPERATORS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[×*·]|(?<=[\s\d)])x(?=\s?[\d(])|\bmultiplicad[oa]s?\spor\b"), "*"),
    (re.compile(r"÷|/(?=\s?[\d(])|:(?=\s\d)|\bdividid[oa]s?\s(?:entre|por)\b"), "/"),
    (re.compile(r"\+|\bmas\b(?=\s\d)"), "+"),
    (re.compile(r"[−–]|-(?=\s?\d)|\bmenos\b(?=\s\d)"), "-"),
)
_PERCENT_OF = re.compile(r"\s?(?:%|por\s?(?:ciento|100))(?:\sde)?")
_PERCENT = re.compile(r"\s?(?:%|por\s?(?:ciento|100))")
_BOUNDARY = re.compile(r"[;:¿?]\s|\.\s|\n|\|")
_ROUGH = re.compile(r"≈|≃|\b(?:unos|unas|aprox\w*|alrededor|cerca|casi)\b")
_GOES_ON = re.compile(r"\s?(?:€|euros?|dias?|mes(?:es)?|anos?|horas?)?\s?[×*·÷/+]\s?\d")
_FACTOR = re.compile(r"([×*·]\s?\d{1,3})/(?=\d)")
_TIMES = re.compile(r"\d\s(dia|semana|mes|ano)")
_TOLERANCE = Decimal("0.02")
_DECIMALS = re.compile(r",(\d+)")

_COMPUTE: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
_MAX_NUMBERS = 12
_CHARACTERS_AFTER = 25
"""Between a sign of equality and the result."""


@dataclass(frozen=True)
class Computation:
    """A computation that is written out: its true ``value``, and the ``result`` that the text gives.

    ``start`` and ``end``, like the offsets of ``result``, are into the text that was read. ``operands`` are the numbers
    that it reckons with.
    """

    written: str
    value: Decimal
    result: Quantity
    is_right: bool
    start: int
    end: int
    operands: tuple[Decimal, ...]


def computations(text: str) -> list[Computation]:
    """Return the computations of a text that can be worked out.

    >>> [(each.written, each.is_right) for each in computations("33 días × 4 años = 132 días; 60 × 2 = 130 €")]
    [('33 días × 4 años', True), ('60 × 2', False)]
    """
    # A fraction that is a factor, and no date.
    folded = _FACTOR.sub(r"\1÷", fold(text).replace("**", "  "))
    return [found for sign in _EQUALS.finditer(folded) if (found := _around(text, folded, sign))]


def _around(text: str, folded: str, sign: re.Match[str]) -> Computation | None:
    """Read the longest expression that ends at a sign of equality, and the number after it."""
    begin = max((match.end() for match in _BOUNDARY.finditer(folded, 0, sign.start())), default=0)
    begin = max([begin, *(match.end() for match in _EQUALS.finditer(folded, begin, sign.start()) if match[0] in "=≈≃")])
    after = read_number(folded, sign.end())
    if after is None or after[2] > LARGEST or after[0] - sign.end() > _CHARACTERS_AFTER:
        return None
    tokens = list(_tokens(folded, begin, sign.start()))
    value = None
    # Words before an expression may have numbers of their own: the longest end that is an expression counts.
    for first in range(len(tokens)):
        candidate = tokens[first:]
        if len([1 for kind, _, _ in candidate if kind == "number"]) < 2:
            break
        value = _evaluate(candidate)
        if value is not None:
            begin = candidate[0][2]
            break
    if value is None:
        return None
    operands = tuple(Decimal(token) for kind, token, _ in candidate if kind == "number")
    if _GOES_ON.match(folded, after[1]):
        # "= 9.600 € / 6 = 1.600 €": what stands behind the sign is an expression itself.
        return _chained(text, folded, sign, after, begin, value, operands)
    known = [quantity for quantity in quantities(text) if quantity.start <= after[0] < quantity.end]
    result = known[0] if known else Quantity(after[2], "#", "", after[0], after[1])
    if any(each.unit == DATE and begin <= each.start <= after[0] for each in quantities(text)):
        return None  # Days are not reckoned with here.
    adds = any(kind == "operator" and token in "+-" for kind, token, _ in candidate)
    if adds and len(set(_TIMES.findall(folded, begin, after[1] + _CHARACTERS_AFTER))) > 1:
        return None  # "65 años menos 20 meses": numbers of different units do not add up.
    rough = bool(_ROUGH.search(folded, sign.start(), after[0]))
    written = text[begin : sign.start()].strip()
    is_right = _agree(value, after, folded, rough=rough, slack=_slack(value, operands))
    return Computation(written, value, result, is_right, begin, sign.start(), operands)


def _chained(
    text: str,
    folded: str,
    sign: re.Match[str],
    after: tuple[int, int, Decimal],
    begin: int,
    value: Decimal,
    operands: tuple[Decimal, ...],
) -> Computation | None:
    """Read a computation whose result is written as another one."""
    stops = [match.start() for pattern in (_EQUALS, _BOUNDARY) if (match := pattern.search(folded, after[1]))]
    end = min([*stops, len(folded)])
    result = _evaluate(list(_tokens(folded, sign.end(), end)))
    if result is None:
        return None
    is_right = abs(result - value) <= _TOLERANCE
    step = Quantity(result, "#", "", after[0], after[1])
    return Computation(text[begin : sign.start()].strip(), value, step, is_right, begin, sign.start(), operands)


def _slack(value: Decimal, operands: Sequence[Decimal]) -> Decimal:
    """Return how far a value may be off because operands were rounded or cut to their decimals."""
    rounded = [each for each in operands if each % 1]
    lost = (abs(value / each) * Decimal(1).scaleb(int(each.as_tuple().exponent)) for each in rounded)
    return sum(lost, Decimal(0))


def _agree(
    value: Decimal, after: tuple[int, int, Decimal], folded: str, *, rough: bool, slack: Decimal = Decimal(0)
) -> bool:
    """Compare a value with the written one to its decimals; a rough one to 2 %. ``slack`` is added."""
    start, end, written = after
    decimals = _DECIMALS.search(folded, start, end)
    unit = Decimal(1).scaleb(-len(decimals[1])) if decimals else Decimal(1)
    tolerance = max(unit, abs(value) * Decimal("0.02")) if rough else unit if value % 1 else Decimal(0)
    if decimals:
        tolerance = max(tolerance, unit * 2)
    tolerance += slack
    as_share = _PERCENT.match(folded, end) is not None  # "13 / 18 = 72,2 %"
    return any(abs(found - written) <= tolerance for found in ((value, value * 100) if as_share else (value,)))


def _tokens(folded: str, begin: int, end: int) -> Iterator[tuple[str, str, int]]:
    """Yield numbers, operators and brackets of a stretch of text with their places; words between are left out."""
    position = begin
    while position < end:
        number = read_number(folded, position)
        number = number if number and number[0] < end else None
        until = number[0] if number else end
        for place in range(position, until):
            if folded[place] in "()":
                yield "bracket", folded[place], place
                continue
            for pattern, sign in _OPERATORS:
                if pattern.match(folded, place):
                    yield "operator", sign, place
                    break
        if number is None:
            return
        yield "number", str(number[2]), number[0]
        position = number[1]
        if percent := _PERCENT.match(folded, position):
            yield "operator", "/", position
            yield "number", "100", position
            if folded[percent.end() : percent.end() + 4].startswith(" de "):
                yield "operator", "*", percent.end()
            position = percent.end()


def _evaluate(tokens: Sequence[tuple[str, str, int]]) -> Decimal | None:
    """Return the value of an expression; ``None`` where the tokens are none, or there is no operator."""
    if not any(kind == "operator" for kind, _, _ in tokens) or len(tokens) > 4 * _MAX_NUMBERS:
        return None
    written = " ".join(token for _, token, _ in tokens).replace("( )", "")
    try:
        value = _value(ast.parse(written, mode="eval").body)
        return value if abs(value) <= LARGEST else None
    except (SyntaxError, ValueError, DivisionByZero, InvalidOperation, RecursionError):
        return None


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Decimal(str(node.value))
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTE:
        return _COMPUTE[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError("no expression")
