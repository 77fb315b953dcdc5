"""Count what is lost of the norms of a folder on their way into chunks.

    python benchmarks/completeness.py FOLDER [--sample N --seed S] [--show 20]

Reads Markdown with front matter below the folder: all files, or a random sample of them. Prints how many norms are
read, why the others are refused, and of how many some line is in no chunk. The lines are followed by a scanner that
knows nothing of the reader: each paragraph of a chunk must be a line of the file, in the order of the file and once.
What may stay out are the preamble of a norm with articles, signatures, notes, earlier wordings that editors quote,
marks of repeal and tables of contents.
"""

import argparse
import html
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Law, Provision
from articulado.values.errors import InvalidInput

_NOT_WORD = re.compile(r"[\W_]+")
_LINK = re.compile(r"\]\(https?://[^)]*\)")
_TAG = re.compile(r"</?(?:small|sub|sup|em|strong|i|b|br ?/?)>")
_DATED = re.compile(
    r"(?:Dad[oa] (?:en|el) |(?:En )?[A-ZÁÉÍÓÚ].{2,60}, ?(?:a )?\d{1,2} de \w+ de \d{4}|por tanto,$|JUAN CARLOS|FELIPE)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"> ?|\(\*\) Téngase|Norma derogada|Téngase en cuenta que, con fecha|Norma anulada")
_MARK = re.compile(r"[#* ]*\(?(?:Derogad|Suprimid|Anulad)[oa]s?\)?\.?[* ]*")
_LEADERS = re.compile(r"(?:\. ?){4,}|…{2,}")
_LABELLED = re.compile(r"artículo|disposición|anexo|anejo")
_NAME = re.compile(
    r"#|\[?(?:ANEXO|ANEJO|APÉNDICE)|(?:LIBRO|T[ÍI]TULO|CAP[IÍ]TULO|(?:SUB)?SECCI[OÓ]N) \w", re.IGNORECASE
)
_SHORT = re.compile(r"^arts?(?=[\dúupstcqnod])")
_IMAGE = "imagenofórmulavéaseeltextoenelboe"
_SIGNATURES = 12
_SIGNATURE, _DATED_LINE = 180, 400


@dataclass
class Followed:
    """The lines of a norm that are in no chunk, and whether every paragraph of a chunk was a line, in order."""

    lost: list[str] = field(default_factory=list)
    in_order: bool = True


def follow(lines: Sequence[str], law: Law) -> Followed:
    """Follow the text of a law through the lines of its file, which have neither front matter nor empty lines."""
    trail = _Trail(law.provisions)
    above = "|".join(sorted({squeezed(part) for one in law.provisions for part in (one.breadcrumb, one.label)}))
    notes = {squeezed(note) for provision in law.provisions for note in provision.notes}
    has_articles = any(provision.key.startswith("art:") for provision in law.provisions)
    followed, signature, earlier = Followed(), 0, False
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], "#"], strict=True)):
        text = _IMAGE if line.startswith("![") else squeezed(line)
        if not text or trail.take(text):
            signature, earlier = 0, earlier and not text
            continue
        signature = _SIGNATURES if _DATED.match(line.strip("*# ")) else max(0, signature - 1)
        explained = (
            (trail.at == 0 and (has_articles or number == 0))
            or text in above
            or text in notes
            or _NOTE.match(line)
            or _MARK.fullmatch(line)
            or _LEADERS.search(line)
            or (_NAME.match(line) and _NAME.match(following))
            or (signature and len(line) < (_DATED_LINE if signature == _SIGNATURES else _SIGNATURE))
            or (earlier and line.startswith(("|", "![")))
            or line.startswith('###### "')
        )
        earlier = line.startswith((">", '###### "')) or (earlier and line.startswith(("|", "![")))
        if not explained:
            followed.lost.append(line)
    followed.in_order = trail.is_complete
    return followed


def squeezed(text: str) -> str:
    """Return the letters and figures of a text, in small letters."""
    return _NOT_WORD.sub("", _TAG.sub("", _LINK.sub("]", html.unescape(text)))).casefold()


class _Trail:
    """The labels, titles and paragraphs of a law in their order, and how far the lines of its file have come."""

    def __init__(self, provisions: Sequence[Provision]) -> None:
        self.at = 0
        self._named = False
        self._pieces: list[tuple[str, str] | str] = []
        for provision in provisions:
            self._pieces.append((squeezed(provision.label), squeezed(provision.title)))
            self._pieces += filter(None, map(squeezed, provision.text.splitlines()))

    @property
    def is_complete(self) -> bool:
        """Whether no paragraph is left."""
        return not any(isinstance(piece, str) for piece in self._pieces[self.at :])

    def take(self, text: str) -> bool:
        """Go on if a line is what comes next: a paragraph, or a label with or without what stands beside it."""
        piece = self._pieces[self.at] if self.at < len(self._pieces) else ""
        if isinstance(piece, str):
            return self._go_on(1) if piece == text else False
        (label, title), paragraph = piece, self._paragraph()
        if self._named or not _LABELLED.match(label):
            if text == title and title:
                return self._go_on(1)
            if text == paragraph:
                return self._go_on(2)
        for beside, pieces in ((title + paragraph, 2), (title, 1), (paragraph, 2)):
            if beside and text.endswith(beside) and _is_label(text[: -len(beside)], label):
                return self._go_on(pieces)
        if _is_label(text, label):
            self._named = True
            return True
        return False

    def _paragraph(self) -> str:
        piece = self._pieces[self.at + 1] if self.at + 1 < len(self._pieces) else ""
        return piece if isinstance(piece, str) else ""

    def _go_on(self, pieces: int) -> bool:
        self.at, self._named = self.at + pieces, False
        return True


def _is_label(written: str, label: str) -> bool:
    written = _SHORT.sub("artículo", written).replace("apéndice", "anexo").replace("anejo", "anexo")
    label = label.replace("anejo", "anexo")
    return bool(written) and (written == label or label.endswith(written) or written.startswith(label))


def _cut_whole(law: Law) -> bool:
    """Tell whether the chunks of each provision hold all its text, in order."""
    groups = groupby(law_chunks(law), key=lambda chunk: (chunk["provision_key"], chunk["valid_from"]))
    texts = ["".join(squeezed(chunk["text"]) for chunk in group) for _, group in groups]
    return texts == [squeezed(provision.text) for provision in law.provisions]


def body_lines(path: Path) -> list[str]:
    """Return the lines of a file below its front matter, without empty ones."""
    body = path.read_text(encoding="utf-8").replace("\u00ad", "").split("\n---", 1)[1]
    return [line for line in (" ".join(line.split()) for line in body.splitlines()[1:]) if line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="norms, at random (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=20, help="norms with lost lines to name")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.rglob("*.md"))
    if arguments.sample:
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    refused: Counter[str] = Counter()
    losing: list[tuple[Path, list[str], bool]] = []
    read = lines = lost = 0
    for path in files:
        try:
            law = read_law(path)
        except InvalidInput as error:
            refused[str(error).replace(str(path), path.name)] += 1
            continue
        read += 1
        source = body_lines(path)
        followed = follow(source, law)
        lines, lost = lines + len(source), lost + len(followed.lost)
        whole = followed.in_order and _cut_whole(law)
        if followed.lost or not whole:
            losing.append((path, followed.lost, whole))
    print(f"norms: {len(files)}, read: {read}, refused: {sum(refused.values())}")
    for reason, count in refused.most_common():
        print(f"  {count} {reason}")
    print(f"lines: {lines}, lost: {lost}, in {sum(bool(gone) for _, gone, _ in losing)} norms")
    print(f"norms with a paragraph out of order or twice: {sum(not whole for _, _, whole in losing)}")
    for path, gone, whole in losing[: arguments.show]:
        print(f"{path}: {len(gone)} lost{'' if whole else ', out of order'}")
        for line in gone[:3]:
            print(f"    {line[:150]}")


if __name__ == "__main__":
    main()
