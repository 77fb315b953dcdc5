"""The reply of a rerank endpoint: Cohere's form, and what others have made of it."""

import math


def read_reply(reply: object, passages: int) -> tuple[list[float | None], int]:
    """Return the score of each passage as it is given, ``None`` where there is none, and the tokens reported.

    ``{"results": [{"index": 0, "relevance_score": 0.9}, …]}``; the list may be called ``data`` or stand alone, and the
    score be called ``score``. What is no result, or points to no passage, is passed over.
    """
    fields = reply if isinstance(reply, dict) else {"results": reply}
    rows = fields.get("results", fields.get("data"))
    scores: list[float | None] = [None] * passages
    for row in rows if isinstance(rows, list) else []:
        place, score = _row(row)
        if 0 <= place < passages and math.isfinite(score):
            scores[place] = score
    usage = fields.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
    return scores, tokens if isinstance(tokens, int) else 0


def _row(row: object) -> tuple[int, float]:
    """Return the place and the score of one result; place -1 for what is none."""
    if not isinstance(row, dict):
        return -1, math.nan
    place, score = row.get("index"), row.get("relevance_score", row.get("score"))
    if isinstance(place, bool) or not isinstance(place, int) or not isinstance(score, int | float):
        return -1, math.nan
    try:
        return place, float(score)
    except OverflowError:
        return -1, math.nan
