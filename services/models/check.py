"""Check of the chat models before an ingest."""

from articulado.config.settings import ModelSettings, Role, Settings


def check_models(settings: Settings) -> None:
    """Check what the chat models need, before anything is paid for.

    Raises:
        ConfigurationError: a key, an address or another part is missing.
    """
    roles: tuple[tuple[Role, ModelSettings], ...] = (("reader", settings.reader), ("principal", settings.principal))
    for role, model in roles:
        if model.provider != "offline":
            from articulado.models.openai import check_settings

            check_settings(role, model)
