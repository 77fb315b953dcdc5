"""Run context: the options that a caller may set for one question.

Studio shows ``RunContext`` as the configuration of the assistant; an option of ``None`` means the default
of the settings. Nodes read ``ResolvedContext``, in which every default is applied.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from articulado.values.answers import RerankStrategy, StoreName
from articulado.values.documents import OwnText


class RunContext(BaseModel):
    """Options of one run; ``None`` means "as the settings say".

    LangGraph hands nodes ``None`` when a caller passes no context, and LangServe never passes one, so nodes
    read ``ResolvedContext``, which the stage wrapper makes of this and of the settings.
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
    """The run context with every default applied; what nodes read.

    ``footnotes`` of ``None``: sources stand in the text of the answer's message if the question came as a message.
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
        """Which store answers with these options."""
        return "index" if self.rag_enabled else "records"

    def overridden_by(self, context: RunContext | None) -> "ResolvedContext":
        """Return these defaults with whatever the caller set on top."""
        if context is None:
            return self
        overrides = context.model_dump(exclude_none=True)
        if "collections" in overrides:
            overrides["collections"] = tuple(overrides["collections"])
        return self.model_copy(update=overrides)
