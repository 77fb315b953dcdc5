"""Run context: the options that a caller may set for one question.

Studio shows ``RunContext`` as the configuration of the assistant. Nodes read ``ResolvedContext``.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from articulado.values.answers import RerankStrategy, StoreName
from articulado.values.documents import OwnText


class RunContext(BaseModel):
    """Options of one run; ``None`` means the default of the settings.

    LangGraph passes ``None`` instead of a context if the caller sends none, and LangServe never sends one.
    """

    model_config = ConfigDict(extra="forbid")

    rerank_strategy: RerankStrategy | None = Field(
        default=None, description="Reordenación: auto, none, learnt, heuristic, cross_encoder, llm o api"
    )
    grounded_prompting: bool | None = Field(default=None, description="Respuestas con marcas [C1] y reglas de cita")
    max_chunks_in_prompt: int | None = Field(default=None, ge=1, le=100, description="Fragmentos que lee el modelo")
    rag_enabled: bool | None = Field(default=None, description="Sin él se consultan solo los resúmenes incluidos")
    collections: list[str] | None = Field(default=None, description="Colecciones en las que se busca")
    as_of: date | None = Field(default=None, description="Derecho vigente en esta fecha (AAAA-MM-DD)")
    territory: str | None = Field(default=None, description="Comunidad autónoma o municipio")
    footnotes: bool | None = Field(
        default=None,
        description="Fuentes y avisos también en el texto del mensaje; sin valor, si la pregunta llega en «messages»",
    )
    document: OwnText | None = Field(
        default=None, description="Documento propio que se lee junto a la ley en esta pregunta; no se guarda"
    )
    ask_missing: bool | None = Field(
        default=None, description="Un caso en un hilo se interrumpe para pedir los datos que faltan"
    )


class ResolvedContext(BaseModel):
    """Run context with every default applied.

    ``footnotes`` of ``None``: the message lists its sources if the question came as a message.
    """

    model_config = ConfigDict(frozen=True)

    rerank_strategy: RerankStrategy = "auto"
    grounded_prompting: bool = True
    max_chunks_in_prompt: int = 25
    rag_enabled: bool = True
    collections: tuple[str, ...] = ()
    as_of: date | None = None
    territory: str | None = None
    footnotes: bool | None = None
    document: OwnText | None = None
    ask_missing: bool = True

    @property
    def store(self) -> StoreName:
        return "index" if self.rag_enabled else "records"

    def overridden_by(self, context: RunContext | None) -> "ResolvedContext":
        """Return these defaults, replaced by the caller's options."""
        if context is None:
            return self
        overrides = context.model_dump(exclude_none=True)
        if "collections" in overrides:
            overrides["collections"] = tuple(overrides["collections"])
        return self.model_copy(update=overrides)
