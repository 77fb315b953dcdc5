"""What a provider refuses while a question is answered."""

from state.errors import ConfigurationError, ModelError


def refusal(error: ConfigurationError, requests: int) -> ModelError:
    """Return a wrong key or an unknown model as a failure of the model, after so many requests.

    The message still names the setting to mend, and the question goes on without the model.
    """
    failure = ModelError(str(error))
    failure.attempts = requests
    return failure
