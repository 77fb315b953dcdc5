"""Filters as the embedded engine takes them."""

from collections.abc import Sequence

import qdrant_edge as q

from services.store.filters import After, Clause, Condition, Holds, IsNull, OneOf, UpTo
from services.store.layout import field_path


def edge_filter(must: Sequence[Clause]) -> q.Filter:
    """Return the filter that all these clauses make."""
    return q.Filter(must=[q.Filter(should=[_condition(condition) for condition in clause]) for clause in must])


def _condition(condition: Condition) -> q.IsNullCondition | q.FieldCondition:
    key = field_path(condition.field)
    match condition:
        case IsNull():
            return q.IsNullCondition(key)
        case OneOf(values=values):
            return q.FieldCondition(key, match=q.MatchAny(list(values)))
        case Holds(values=numbers):
            return q.FieldCondition(key, match=q.MatchAny(list(numbers)))
        case UpTo(day=day):
            return q.FieldCondition(key, range=q.RangeDateTime(lte=day.isoformat()))
        case After(day=day):
            return q.FieldCondition(key, range=q.RangeDateTime(gt=day.isoformat()))
