"""What to say where no article that passes the filter handles an inquiry."""

from collections.abc import Mapping, Sequence

from articulado.config.sections import TOPIC, FilterField
from articulado.language.languages import Language
from services.case.filters import kept_out_by, unknown_values
from services.case.matching.matcher import Match

MAX_TITLES = 8
"""Titles that are listed: more of them nobody reads."""


def say_kept_out(
    match: Match,
    passing: Sequence[Match],
    fields: Sequence[FilterField],
    filters: Mapping[str, str],
    language: Language,
) -> str:
    """Say why the filter keeps out the article of a match: by a value that is not held, or by another than its own.

    ``passing`` are the matches that pass: that there are none, because no article has all the values, is said, too.
    """
    names = kept_out_by(match.guide.attributes, filters)
    keeping = [field for field in fields if field.name in names]
    if unknown := unknown_values(keeping, filters, language):
        return ". ".join(unknown)
    reasons = [
        language.translate(
            "case_kept_out",
            title=match.guide.title,
            field=field.label,
            own=match.guide.attributes[field.name],
            value=filters[field.name],
        )
        for field in keeping
    ]
    if not passing:
        given = [filters[field.name] for field in fields if field.name != TOPIC and field.name in filters]
        reasons.insert(0, language.translate("case_no_article_for", values=" + ".join(given)))
    return ". ".join(reasons)


def say_out_of_scope(
    matches: Sequence[Match], fields: Sequence[FilterField], filters: Mapping[str, str], language: Language
) -> str:
    """Say that no article handles an inquiry, and which ones there are: of those that pass, the nearest.

    Where none passes, it is said which values are not held.
    """
    message = language.translate("case_out_of_scope")
    if not matches:
        return ". ".join([message, *unknown_values(fields, filters, language)])
    titles = "; ".join(match.guide.title for match in matches[:MAX_TITLES])
    more = len(matches) - MAX_TITLES
    listed = (
        language.translate("case_nearest_titles", titles=titles, number=more)
        if more > 0
        else language.translate("case_titles", titles=titles)
    )
    return f"{message}. {listed}"
