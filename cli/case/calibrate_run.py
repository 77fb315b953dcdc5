"""Running ``articulado case calibrate``: the services of each profile in turn, its curves and a report out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.cases.confidence import write_calibration
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import read_configuration
from cli.render import console
from cli.session import opened_services
from evaluation.case_desk.cases import LabelledCase, cases_of_profile, own_decisions, read_cases
from evaluation.case_desk.findings import ProfileFindings, measure_profile

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings


@dataclass(frozen=True)
class Request:
    """What the command line asks for. Without profiles, that of the settings; without ``gold``, the own cases.

    ``fitted``: a curve is fitted, and stored but for a ``dry_run``; else the one at hand is measured on all cases.
    ``every``: also say what is decided on all cases.
    """

    profiles: Sequence[str] = ()
    gold: Path | None = None
    index: Path | None = None
    report: Path | None = None
    dry_run: bool = False
    fitted: bool = True
    every: bool = False


@dataclass(frozen=True)
class CalibrationResult:
    """What one command has measured of each profile, and the files that it has written."""

    profiles: Sequence[ProfileFindings]
    written: Sequence[Path]


async def measure(request: Request) -> CalibrationResult:
    """Run the cases of each profile through its graphs; write what is to be written, once all is measured.

    Raises:
        ArticuladoError: a file, the index or a service cannot be used.
    """
    _check_output(request)
    cases = read_cases(request.gold) if request.gold else own_decisions()
    configurations = [read_configuration(request.index, name) for name in dict.fromkeys(request.profiles) or [None]]
    source = str(request.gold) if request.gold else "El fichero de casos incluido"
    cases_by_profile = [cases_of_profile(cases, settings, profile, source) for settings, profile in configurations]
    findings = [
        await _measure_profile(request, settings, profile, profile_cases)
        for (settings, profile), profile_cases in zip(configurations, cases_by_profile, strict=True)
    ]
    written = []
    if request.fitted and not request.dry_run:
        for (_, profile), profile_findings in zip(configurations, findings, strict=True):
            written.append(write_calibration(profile.own_folder, profile_findings.calibration))
    if request.report:
        from evaluation.case_desk.report import write_report

        written += write_report(request.report, findings)
    return CalibrationResult(findings, written)


async def _measure_profile(
    request: Request, settings: "Settings", profile: "Profile", cases: Sequence[LabelledCase]
) -> ProfileFindings:
    async with opened_services(settings, profile) as services:
        with console(stderr=True).status(f"Perfil «{services.profile.name}»…") as status:
            return await measure_profile(
                services,
                cases,
                fitted=request.fitted,
                every=request.every,
                on_case=lambda graph, done: status.update(f"Perfil «{services.profile.name}», {graph}: {done} casos…"),
            )


def _check_output(request: Request) -> None:
    """Say before the work that its result could not be written."""
    if request.index and len(request.profiles) > 1:
        raise InvalidInput(translate("command.one_profile"))
    if request.report:
        from evaluation.report.write import check_report

        check_report(request.report)
