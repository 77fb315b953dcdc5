"""What ``articulado case calibrate`` does: labelled inquiries in, a curve of each graph and its worth out."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cli.options import read_configuration
from cli.render import console
from cli.session import opened_services
from evaluation.case_desk.cases import LabelledCase, own_cases, read_cases
from evaluation.case_desk.findings import ProfileFindings, calibrate_profile
from services.case.calibration import write_calibration
from state.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from services.profile.profile import Profile
    from services.settings import Settings

MIN_CASES = 20
"""Of a profile: with fewer, a half says nothing."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for. Without profiles, that of the settings; without ``gold``, the own inquiries."""

    profiles: Sequence[str] = ()
    gold: Path | None = None
    index: Path | None = None
    report: Path | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class CalibrationResult:
    """What one command has measured of each profile, and the files that it has written."""

    profiles: Sequence[ProfileFindings]
    written: Sequence[Path]


async def measure(request: Request) -> CalibrationResult:
    """Run the inquiries of each profile through its graphs; write what is to be written, once all is measured.

    Raises:
        ArticuladoError: a file, the index or a service cannot be used.
    """
    _check_output(request)
    cases = read_cases(request.gold) if request.gold else own_cases()
    configurations = [read_configuration(request.index, name) for name in dict.fromkeys(request.profiles) or [None]]
    cases_by_profile = [_cases_of(cases, settings, profile, request) for settings, profile in configurations]
    findings = [
        await _measure_profile(settings, profile, profile_cases)
        for (settings, profile), profile_cases in zip(configurations, cases_by_profile, strict=True)
    ]
    written = []
    if not request.dry_run:
        for (_, profile), profile_findings in zip(configurations, findings, strict=True):
            written.append(write_calibration(profile.own_folder, profile_findings.calibration))
    if request.report:
        from evaluation.case_desk.report import write_report

        written += write_report(request.report, findings)
    return CalibrationResult(findings, written)


async def _measure_profile(settings: "Settings", profile: "Profile", cases: Sequence[LabelledCase]) -> ProfileFindings:
    async with opened_services(settings, profile) as services:
        with console(stderr=True).status(f"Perfil «{services.profile.name}»…") as status:
            return await calibrate_profile(
                services,
                cases,
                lambda graph, done: status.update(
                    f"Perfil «{services.profile.name}», {graph}: {done} de {len(cases)}…"
                ),
            )


def _cases_of(
    cases: Sequence[LabelledCase], settings: "Settings", profile: "Profile", request: Request
) -> list[LabelledCase]:
    """Return the inquiries of a profile.

    Raises:
        InvalidInput: they are too few, all or none of them have an article, or there is nothing to search in.
    """
    if not settings.rag_enabled:
        raise InvalidInput(
            "Los casos se buscan en el índice, que ARTICULADO_RAG_ENABLED=false desactiva. Quítelo y repita la orden."
        )
    name = profile.name
    where = str(request.gold) if request.gold else "El fichero de consultas incluido"
    profile_cases = [case for case in cases if case.profile == name]
    if len(profile_cases) < MIN_CASES:
        raise InvalidInput(
            f"{where} tiene {len(profile_cases)} consultas del perfil «{name}» y hacen falta al menos {MIN_CASES}. "
            "Escriba más, o indique otro fichero en --gold u otro perfil en --profile."
        )
    if len({case.answerable for case in profile_cases}) == 1:
        raise InvalidInput(
            f"{where} debe tener, del perfil «{name}», consultas con artículo y otras sin él («article»: null): una "
            "tercera parte, por ejemplo."
        )
    return profile_cases


def _check_output(request: Request) -> None:
    """Say before the work that its result could not be written."""
    if request.index and len(request.profiles) > 1:
        raise InvalidInput("--index solo se puede usar con un --profile: cada perfil tiene su índice.")
    if request.report and request.report.exists() and not request.report.is_dir():
        raise InvalidInput(f"No se puede escribir el informe: {request.report} no es una carpeta.")
    if request.report and find_spec("matplotlib") is None:
        raise ConfigurationError(
            'Los gráficos del informe necesitan matplotlib. Instálelo con: pip install -e ".[eval]"'
        )
