import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.legal.labels import (
    KINDS,
    PART_HEADINGS,
    anchor,
    disposition_kind,
    order_of_kind,
    provision_key,
    provision_name,
    provision_url,
    split_heading,
)


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("Artículo 48 bis", "art:48 bis"),
        ("Artículo\u00a048\u00a0bis", "art:48 bis"),
        ("Artículo treinta y tres", "art:33"),
        ("Art. 6 bis", "art:6 bis"),
        ("Artículo 135 quáter. Prestación.", "art:135 quater"),
        ("Artículo 135 quater", "art:135 quater"),
        ("Artículo 182. bis. Cuantía.", "art:182 bis"),
        ("Artículo 7.º", "art:7"),
        ("Artículo único. Aprobación.", "art:unico"),
        ("Artículos 93.", "art:93"),
        ("Artículos treinta a cuarenta y cuatro.", "art:30-44"),
        ("Artículos 188 bis a 188 sexies.", "art:188 bis-188 sexies"),
        ("Disposición transitoria undécima", "dt:11"),
        ("Disposición adicional vigésima tercera", "da:23"),
        ("DISPOSICION ADICIONAL VIGESIMOTERCERA", "da:23"),
        ("Disposición adicional quincuagésima cuarta [duplicada). Acreditación", "da:54"),
        ("DT 7ª", "dt:7"),
        ("Disposición final única", "df:unica"),
        ("Disposición final.", "df:unica"),
        ("Disposición derogatoria. Derogación normativa.", "dd:unica"),
        ("Disposición adicional nueva [sic]. Mejora", "da:nueva"),
        ("ANEXO II", "anexo:2"),
        ("ANEXO 2.V", "anexo:2.v"),
        ("ANEXO", "anexo:unico"),
        ("48 bis", "art:48 bis"),
        ("49.1.c)", "art:49"),
    ],
)
def test_one_key_for_every_way_to_write_a_label(label, key):
    assert provision_key(label) == key


@pytest.mark.parametrize("label", ["Primero. Cláusulas", "TÍTULO I", "", "Articulado de la ley", "Anexo al contrato"])
def test_texts_that_are_no_provisions_have_no_key(label):
    assert provision_key(label) is None


def test_a_heading_is_label_and_title():
    heading = split_heading("Artículo 47 bis.  Mecanismo RED de Flexibilidad.")
    assert (heading.label, heading.title) == ("Artículo 47 bis", "Mecanismo RED de Flexibilidad")


def test_an_abbreviated_label_is_written_in_full():
    assert split_heading("Art. 6 bis. Consideración.").label == "Artículo 6 bis"


def test_a_heading_without_a_full_stop_has_a_title_too():
    assert split_heading("Artículo 174 bis Prestación temporal")[::2] == ("Artículo 174 bis", "Prestación temporal")


@pytest.mark.parametrize(
    ("label", "fragment"),
    [
        ("Artículo 38", "a38"),
        ("Artículo 48 bis", "a48bis"),
        ("Artículo primero", "aprimero"),
        ("Disposición adicional primera", "daprimera"),
        ("Disposición transitoria undécima", "dtundecima"),
        ("Disposición derogatoria única", "ddunica"),
        ("Disposición final cuarta", "dfcuaa"),
        ("Anexo II bis", "aniibis"),
        ("TÍTULO I", ""),
    ],
)
def test_anchors_are_spelled_as_the_boe_does(label, fragment):
    assert anchor(label) == fragment


def test_the_address_of_a_provision():
    assert provision_url("BOE-A-2015-11430", "Artículo 38") == (
        "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a38"
    )


@given(st.text())
def test_no_label_raises(text):
    key = provision_key(text)
    assert key is None or ":" in key
    assert isinstance(anchor(text), str)


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 99))
def test_the_name_of_a_provision_is_read_back(kind, number):
    assert provision_key(provision_name(f"{kind}:{number}")) == f"{kind}:{number}"


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("da", ["D.A. 3.ª", "DA 3", "disp. adic. 3", "Disposiciones adicionales 3"]),
        ("dt", ["D. T. 3.ª", "DT 3", "disp. trans. 3", "Disposición transit. 3"]),
        ("dd", ["D.D. 3.ª", "DD 3", "disp. derog. 3", "Disposición derogatoria tercera"]),
        ("df", ["D.F. 3.ª", "DF 3", "disp. final 3", "Disposiciones finales 3"]),
    ],
)
def test_dispositions_are_told_by_their_adjective_however_it_is_cut(kind, spellings):
    assert {provision_key(spelling) for spelling in spellings} == {f"{kind}:3"}
    assert disposition_kind(KINDS[kind].adjective) == disposition_kind(KINDS[kind].cut) == kind


def test_kinds_stand_in_the_order_of_a_law():
    keys = ["anexo:1", "df:unica", "texto:tratado", "dd:1", "dt:2", "da:1", "art:9"]
    assert sorted(keys, key=order_of_kind) == ["art:9", "da:1", "dt:2", "dd:1", "df:unica", "anexo:1", "texto:tratado"]
    assert list(PART_HEADINGS.values()) == [
        "Disposiciones adicionales",
        "Disposiciones transitorias",
        "Disposiciones derogatorias",
        "Disposiciones finales",
        "Anexos",
    ]
