"""Filters as a Qdrant server takes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.store.filters import After, Clause, Condition, Holds, IsNull, OneOf, UpTo
from services.store.layout import field_path

if TYPE_CHECKING:
    from qdrant_client import models


def server_filter(must: Sequence[Clause]) -> "models.Filter":
    """Return the filter that all these clauses make."""
    from qdrant_client import models

    return models.Filter(
        must=[models.Filter(should=[_condition(condition) for condition in clause]) for clause in must]
    )


def _condition(condition: Condition) -> "models.IsNullCondition | models.FieldCondition":
    from qdrant_client import models

    key = field_path(condition.field)
    match condition:
        case IsNull():
            return models.IsNullCondition(is_null=models.PayloadField(key=key))
        case OneOf(values=values):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        case Holds(values=numbers):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(numbers)))
        case UpTo(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(lte=day))
        case After(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(gt=day))
