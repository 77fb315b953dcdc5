"""Every error of articulado, by who can act on it; and what the operating system's mean, in Spanish."""

import errno


class ArticuladoError(RuntimeError):
    """Base of all errors that articulado raises on purpose.

    A ``RuntimeError``, because LangGraph's server hides the message of every type that it does not know.
    """


class InvalidInput(ArticuladoError):
    """The question or an option of the call cannot be used."""


class ConfigurationError(ArticuladoError):
    """The settings are incomplete or contradict each other."""


class IndexMissing(ArticuladoError):
    """There is no index where the settings point."""


class IndexMismatch(ArticuladoError):
    """The index was built with another embedder, sparse encoder or chunker than the settings name."""


class StoreUnavailable(ArticuladoError):
    """The chunk store does not answer."""


class SourceUnavailable(ArticuladoError):
    """A source of official law does not answer, or answers what cannot be read."""


class NoResultsFound(ArticuladoError):
    """The search found nothing."""


class InsufficientContext(ArticuladoError):
    """What was found cannot answer the question."""


class ModelError(ArticuladoError):
    """A model provider failed. ``attempts`` says how often it was asked, so that usage can count the requests."""

    attempts: int = 0


class EmptyReply(ModelError):
    """The model replied, and nothing in its reply is an answer."""


class ModelTimeout(ModelError):
    """The provider did not answer within the deadline of the question."""


class ModelRateLimited(ModelError):
    """The provider asks to slow down, or the quota is used up."""


class ContentFiltered(ModelError):
    """The provider's content filter stopped the answer."""


_REASONS = {
    errno.EACCES: "este usuario no tiene permiso",
    errno.EPERM: "este usuario no tiene permiso",
    errno.EROFS: "el sistema de ficheros es de solo lectura",
    errno.ENOENT: "no existe",
    errno.ENOTDIR: "hay un fichero donde debería haber una carpeta",
    errno.EEXIST: "hay un fichero donde debería haber una carpeta",
    errno.EISDIR: "hay una carpeta donde debería haber un fichero",
    errno.ELOOP: "los enlaces simbólicos no llevan a ningún fichero",
    errno.ENAMETOOLONG: "el nombre es demasiado largo",
    errno.ENOSPC: "no queda espacio en el disco",
    errno.EDQUOT: "se ha agotado la cuota de disco",
}


def reason(error: OSError) -> str:
    """Return why the system refused, as the end of a sentence ("… : no existe")."""
    code = error.errno or 0
    return _REASONS.get(code, f"el sistema da el error {errno.errorcode.get(code, code)}")
