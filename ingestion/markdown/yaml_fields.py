"""Load YAML that a user wrote, and tell which line of it cannot be read."""

import yaml
from yaml.reader import ReaderError


class UnreadableYaml(ValueError):
    """What is written is no YAML; ``line`` counts from 1, ``None`` where it is not known."""

    def __init__(self, line: int | None) -> None:
        super().__init__(line)
        self.line = line


def load_yaml(written: str, loader: type[yaml.BaseLoader | yaml.SafeLoader]) -> object:
    """Return what YAML says, by a loader in Python: those in C end the process over brackets that nest too deep.

    Raises:
        UnreadableYaml: it is none, or has a value that cannot be (a date that no calendar has).
    """
    try:
        return yaml.load(written, Loader=loader)
    except yaml.MarkedYAMLError as error:
        raise UnreadableYaml(error.problem_mark.line + 1 if error.problem_mark else None) from error
    except ReaderError as error:
        raise UnreadableYaml(written.count("\n", 0, error.position) + 1) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableYaml(None) from error
    except RecursionError:
        # It is the YAML that nests too deep, and not the document, of which that would be said.
        raise UnreadableYaml(None) from None
