"""Which article a case is handled by: the one that the inquiry matches, where several do the one that is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.case.data.collected import sent_values
from services.case.matching.guides import Guide
from services.case.matching.matcher import Match

TOPIC_ODDS = 2.0
"""Log odds that the topic which a caller names weighs among articles: one that matches 7 times better is taken all the
same (docs/cases.md)."""

DATA_ODDS = 1.0
"""Log odds that data weigh which are all that an article needs."""


@dataclass(frozen=True)
class Choice:
    """The article of a case, its match, and the best match of any that could handle it.

    ``is_redirected``: it is of another topic than the one that the caller named. ``of_data`` is another article that
    the data are of, if they are.
    """

    guide: Guide
    log_odds: float
    best: float
    is_redirected: bool
    of_data: Guide | None


def choose(matches: Sequence[Match], topic: str, collected: Mapping[str, str]) -> Choice | None:
    """Return the article that handles a case, by matches that pass its filter; ``None`` where there are none.

    Topic and data choose among articles. They have no part in ``log_odds``: whether the inquiry is of that article.
    """
    if not matches:
        return None

    def preference(match: Match) -> tuple[float, str]:
        asked_for = TOPIC_ODDS if topic and match.guide.topic == topic else 0.0
        return -(match.log_odds + asked_for + DATA_ODDS * _share(match.guide, collected)), match.guide.article_id

    chosen = min(matches, key=preference)
    return Choice(
        guide=chosen.guide,
        log_odds=chosen.log_odds,
        best=max(match.log_odds for match in matches),
        is_redirected=bool(topic) and chosen.guide.topic != topic,
        of_data=_of_data(chosen.guide, [match.guide for match in matches], collected),
    )


def unasked_data(guides: Iterable[Guide], collected: Mapping[str, str]) -> list[str]:
    """Return the names of the data that no article asks for, in the order in which they were sent."""
    asked = {name for guide in guides for name in _asked(guide, collected)}
    return [name for name in collected if name not in asked]


def _of_data(chosen: Guide, guides: Iterable[Guide], collected: Mapping[str, str]) -> Guide | None:
    """Return the article that all required data were sent of, where some of the chosen one's were not.

    What was sent of the chosen one is all asked for by the other, too, and something only by that. Of several, the one
    that asks for most of what was sent; of equal ones, the one that matches best.
    """
    if _share(chosen, collected) == 1:
        return None
    own = _asked(chosen, collected)
    others = [guide for guide in guides if _share(guide, collected) == 1 and own < _asked(guide, collected)]
    return max(others, key=lambda guide: len(_asked(guide, collected)), default=None)


def _asked(guide: Guide, collected: Mapping[str, str]) -> set[str]:
    """Return the names of the data that an article asks for among those sent."""
    return {name for spec in guide.fields for name in sent_values(spec, collected)}


def _share(guide: Guide, collected: Mapping[str, str]) -> float:
    """Return the share in [0, 1] of the data that an article requires which were sent; 0 where it requires none."""
    required = [spec for spec in guide.fields if spec["required"]]
    return sum(bool(sent_values(spec, collected)) for spec in required) / len(required) if required else 0.0
