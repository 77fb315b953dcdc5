"""Equations and raised marks in one line of text."""

import pytest
from lxml import etree

from articulado.ingestion.files.formats.inline import linear, lowered, raised

M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
GAP = "[fórmula que no se ha podido leer]"


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(content: str, tag: str = "e") -> str:
    return f"<m:{tag}>{content}</m:{tag}>"


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        (f"<m:f>{e(r('salario') + r(' anual'), 'num')}{e(r('360'), 'den')}</m:f>", "(salario anual)/360"),
        (r("x = ") + f"<m:f>{e(r('a'), 'num')}{e(r('b'), 'den')}</m:f>" + r("c"), "x = a/b c"),
        (f"<m:sSup>{e(r('(1+i)'))}{e(r('n'), 'sup')}</m:sSup>", "(1+i)^n"),
        (f"<m:sSub>{e(r('B'))}{e(r('i+1'), 'sub')}</m:sSub>", "B_(i+1)"),
        (f"<m:sSubSup>{e(r('x'))}{e(r('1'), 'sub')}{e(r('2'), 'sup')}</m:sSubSup>", "x_1^2"),
        (f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>{e(r("x"))}</m:rad>', "√(x)"),
        (f"<m:rad>{e(r('3'), 'deg')}{e(r('x'))}</m:rad>", "(x)^(1/3)"),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>'
            f"{e(r('i=1'), 'sub')}{e(r('n'), 'sup')}{e(r('B'))}</m:nary>",
            "∑_(i=1)^n B",
        ),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>{e(r("a"))}{e(r("b"))}</m:d>', "[a | b]"),
        (f"<m:func>{e(r('min'), 'fName')}<m:e><m:d>{e(r('a, b'))}</m:d></m:e></m:func>", "min(a, b)"),
        (f"<m:eqArr>{e(r('a si x'))}{e(r('b si no'))}</m:eqArr>", "a si x; b si no"),
        (f"<m:m><m:mr>{e(r('1'))}{e(r('2'))}</m:mr><m:mr>{e(r('3'))}{e(r('4'))}</m:mr></m:m>", "1, 2; 3, 4"),
        (f'<m:phant><m:phantPr><m:show m:val="0"/></m:phantPr>{e(r("no"))}</m:phant>', GAP),
        ("", GAP),
    ],
)
def test_an_equation_of_word_is_one_line(equation: str, text: str) -> None:
    assert linear(etree.fromstring(f"<m:oMath {M}>{equation}</m:oMath>")) == text


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        (
            "<mi>I</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>360</mn></mfrac>",
            "I = (a + b)/360",
        ),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>-</mo><mn>1</mn><mo>)</mo></mrow><mn>2</mn></msup>", "(a - 1)^2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>B</mi>", "∑_i^n B"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x + 1)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "(x)^(1/3)"),
        ("<mfenced open='[' close=']' separators=';'><mi>a</mi><mi>b</mi></mfenced>", "[a; b]"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "a, b"),
        ("<semantics><mrow><mi>a</mi><mo>\u2062</mo><mi>b</mi></mrow><annotation>x</annotation></semantics>", "a·b"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x"),
        ("<mtext>salario</mtext><mi>anual</mi>", "salario anual"),
        ("<mspace/>", GAP),
    ],
)
def test_an_equation_of_a_page_is_one_line(equation: str, text: str) -> None:
    assert linear(etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{equation}</math>')) == text


@pytest.mark.parametrize(
    ("before", "mark", "text"),
    [
        ("320", "1", " (1)"),
        ("1.320,50", "2", " (2)"),
        ("horas", "3", " (3)"),
        ("horas", "(3)", " (3)"),
        ("horas", "1, 2", " (1, 2)"),
        ("", "1", "(1) "),
        ("mide 25 m", "2", "²"),
        ("son 3 km", "2", "²"),
        ("pagan 25 cm", "3", "³"),
        ("tramo", "2", " (2)"),
        ("2", "3", "^3"),
        ("10", "6", "^6"),
        ("5", "1", " (1)"),
        ("es x", "2", "^2"),
        ("(1 + i)", "n", "^n"),
        ("10", "-3", "^(-3)"),
        ("el 1", "o", "º"),
        ("n", "o", "º"),
        ("Nubia", "TM", "TM"),
    ],
)
def test_a_superscript_keeps_its_meaning(before: str, mark: str, text: str) -> None:
    assert raised(before, mark) == text


def test_note_marks_are_no_exponents_and_subscripts_follow_digits() -> None:
    assert raised("2", "3", {"3"}) == " (3)"
    assert (lowered("CO", "2"), lowered("320", "1"), lowered("x", "i")) == ("2", "_1", "i")
