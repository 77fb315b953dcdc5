"""Which author writes the cases of a process."""

from services.case.author import CaseAuthor
from services.case.model_author import ModelCaseAuthor
from services.case.offline_author import OfflineCaseAuthor
from services.profile.profile import Profile
from services.protocols import ChatModel
from services.settings import Settings


def author_of(settings: Settings, principal: ChatModel, profile: Profile) -> CaseAuthor:
    """Return the principal model as an author, or offline the one that needs no model."""
    return OfflineCaseAuthor() if settings.principal.provider == "offline" else ModelCaseAuthor(principal, profile)
