"""How people name a provision: every style of citation, every usual name of each law."""

from datetime import date

import pytest

from articulado.legal.laws.registry import known_laws
from articulado.legal.reading import read
from articulado.retrieval.question import provisions_asked, read_question

TODAY = date(2026, 7, 1)
DEFAULT_LAW = "BOE-A-2015-11430"

# question | law | provision; the provision is all that is asked about.
LOOKUPS = """
¿Qué dice el art. 55.4 ET? | BOE-A-2015-11430 | art:55
LGSS 205 | BOE-A-2015-11724 | art:205
DT 7ª LGSS | BOE-A-2015-11724 | dt:7
artículo once del decreto de alta dirección | BOE-A-1985-17006 | art:11

art 38 et | BOE-A-2015-11430 | art:38
art.38 ET | BOE-A-2015-11430 | art:38
art38 ET | BOE-A-2015-11430 | art:38
Art. 38 E.T. | BOE-A-2015-11430 | art:38
art. 38 del E. T. | BOE-A-2015-11430 | art:38
ET 38 | BOE-A-2015-11430 | art:38
ET, 38 | BOE-A-2015-11430 | art:38
ET: 38 | BOE-A-2015-11430 | art:38
ET-38 | BOE-A-2015-11430 | art:38
ET art. 38 | BOE-A-2015-11430 | art:38
ET, art. 38 | BOE-A-2015-11430 | art:38
ET (art. 38) | BOE-A-2015-11430 | art:38
el 38 del ET | BOE-A-2015-11430 | art:38
el 38 del estatuto | BOE-A-2015-11430 | art:38
38 ET | BOE-A-2015-11430 | art:38
38.3 ET | BOE-A-2015-11430 | art:38
38 del Estatuto de los Trabajadores | BOE-A-2015-11430 | art:38
artículo 38 (ET) | BOE-A-2015-11430 | art:38
artículo 38, ET | BOE-A-2015-11430 | art:38
artículo 38 de la ley del estatuto de los trabajadores | BOE-A-2015-11430 | art:38
ARTICULO 38 ESTATUTO TRABAJADORES | BOE-A-2015-11430 | art:38
articulo 38 estatuto de los trabajadores vigente | BOE-A-2015-11430 | art:38
Estatuto de los Trabajadores, artículo 38 | BOE-A-2015-11430 | art:38
el artículo 38 del texto refundido de la Ley del Estatuto de los Trabajadores | BOE-A-2015-11430 | art:38
artículo treinta y ocho del Estatuto | BOE-A-2015-11430 | art:38
artículo 38 del RDL 2/2015 | BOE-A-2015-11430 | art:38
art. 38 RDLeg 2/2015 | BOE-A-2015-11430 | art:38
art. 38 R.D. Leg. 2/2015, de 23 de octubre | BOE-A-2015-11430 | art:38
artículo 38 del Real Decreto Legislativo 2/2015, de 23 de octubre | BOE-A-2015-11430 | art:38
art. 38 TRLET | BOE-A-2015-11430 | art:38
art. 38 del TRET | BOE-A-2015-11430 | art:38
art. núm. 38 ET | BOE-A-2015-11430 | art:38
artículo nº 38 del ET | BOE-A-2015-11430 | art:38
artículo número 38 del ET | BOE-A-2015-11430 | art:38
art. 38º ET | BOE-A-2015-11430 | art:38
artic. 38 ET | BOE-A-2015-11430 | art:38
el artículo 38 | BOE-A-2015-11430 | art:38
explícame el artículo 38 del ET | BOE-A-2015-11430 | art:38
dime qué pone en el artículo 38 del ET | BOE-A-2015-11430 | art:38
texto íntegro del artículo 38 del ET | BOE-A-2015-11430 | art:38
contenido literal del art. 38 ET | BOE-A-2015-11430 | art:38
¿Qué regula el artículo 38 ET? | BOE-A-2015-11430 | art:38
¿Qué establece el apartado 3 del artículo 38 del ET? | BOE-A-2015-11430 | art:38
artículo 38, apartado 3, párrafo segundo, del ET | BOE-A-2015-11430 | art:38
apartado tercero del art. 38 ET | BOE-A-2015-11430 | art:38
letra d) del artículo 54.2 del ET | BOE-A-2015-11430 | art:54
54.2.d) ET | BOE-A-2015-11430 | art:54
art. 54.2 d ET | BOE-A-2015-11430 | art:54
art. 52.c ET | BOE-A-2015-11430 | art:52
punto 1 del artículo 4 del ET | BOE-A-2015-11430 | art:4
artículo primero del ET | BOE-A-2015-11430 | art:1
artículo 1.º ET | BOE-A-2015-11430 | art:1
47 bis ET | BOE-A-2015-11430 | art:47 bis
art. 47.bis ET | BOE-A-2015-11430 | art:47 bis
art. 20bis ET | BOE-A-2015-11430 | art:20 bis
art. 48-bis del ET | BOE-A-2015-11430 | art:48 bis
ET 48 bis | BOE-A-2015-11430 | art:48 bis
disposición adicional vigésima tercera del ET | BOE-A-2015-11430 | da:23
disposición adicional vigesimotercera ET | BOE-A-2015-11430 | da:23
disposición adicional 23 del ET | BOE-A-2015-11430 | da:23
DA 23 ET | BOE-A-2015-11430 | da:23
D.A. 23.ª ET | BOE-A-2015-11430 | da:23
da 23ª et | BOE-A-2015-11430 | da:23
Disp. Adic. 23ª ET | BOE-A-2015-11430 | da:23
disp adicional 23 ET | BOE-A-2015-11430 | da:23
DA vigesimotercera del ET | BOE-A-2015-11430 | da:23
DA23 ET | BOE-A-2015-11430 | da:23
ET DA 23 | BOE-A-2015-11430 | da:23
ET, disposición adicional 23ª | BOE-A-2015-11430 | da:23
adicional 23 del ET | BOE-A-2015-11430 | da:23
la transitoria undécima del ET | BOE-A-2015-11430 | dt:11
DT XI ET | BOE-A-2015-11430 | dt:11
disposición transitoria undécima del ET | BOE-A-2015-11430 | dt:11
disposición final segunda ET | BOE-A-2015-11430 | df:2
disposición derogatoria única ET | BOE-A-2015-11430 | dd:unica

¿Qué dice el artículo 205.1.a) de la LGSS? | BOE-A-2015-11724 | art:205
art. 205.1 a) L.G.S.S. | BOE-A-2015-11724 | art:205
205 LGSS | BOE-A-2015-11724 | art:205
LGSS art.205 | BOE-A-2015-11724 | art:205
TRLGSS 205 | BOE-A-2015-11724 | art:205
ley general de la seguridad social artículo 205 | BOE-A-2015-11724 | art:205
ley general seguridad social 205 | BOE-A-2015-11724 | art:205
artículo 205 de la ley de seguridad social | BOE-A-2015-11724 | art:205
artículo 205 de la Ley Gral. de la Seguridad Social | BOE-A-2015-11724 | art:205
art. 205 RDL 8/2015 | BOE-A-2015-11724 | art:205
artículo 205 del Real Decreto-Legislativo 8/2015 | BOE-A-2015-11724 | art:205
art. 249 ter LGSS | BOE-A-2015-11724 | art:249 ter
art. 9999 LGSS | BOE-A-2015-11724 | art:9999
artículo 12345 bis de la LGSS | BOE-A-2015-11724 | art:12345 bis
artículo doscientos cinco de la LGSS | BOE-A-2015-11724 | art:205
LGSS, DA 61ª | BOE-A-2015-11724 | da:61
DT 34.ª de la LGSS | BOE-A-2015-11724 | dt:34
disposición transitoria trigésima cuarta LGSS | BOE-A-2015-11724 | dt:34
artículo 161 de la LGSS de 1994 | BOE-A-1994-14960 | art:161
art. 161 LGSS 1994 | BOE-A-1994-14960 | art:161
art. 38 del Estatuto de los Trabajadores de 1995 | BOE-A-1995-7730 | art:38
art. 38 ET de 1995 | BOE-A-1995-7730 | art:38

artículo 28 de la Constitución | BOE-A-1978-31229 | art:28
art. 28.2 CE | BOE-A-1978-31229 | art:28
art. 28.2 C.E. | BOE-A-1978-31229 | art:28
CE 35 | BOE-A-1978-31229 | art:35
artículo 35 de la carta magna | BOE-A-1978-31229 | art:35
art. 103 LRJS | BOE-A-2011-15936 | art:103
art. 103 L.R.J.S. | BOE-A-2011-15936 | art:103
artículo 103 de la ley de la jurisdicción social | BOE-A-2011-15936 | art:103
artículo 103 ley jurisdicción social | BOE-A-2011-15936 | art:103
artículo 103 de la ley reguladora de la jurisdicción laboral | BOE-A-2011-15936 | art:103
art. 103 de la Ley 36/2011 | BOE-A-2011-15936 | art:103
art. 103 Ley 36/11 | BOE-A-2011-15936 | art:103
LISOS 7.5 | BOE-A-2000-15060 | art:7
artículo 22 de la ley de infracciones y sanciones | BOE-A-2000-15060 | art:22
artículo 40 de la ley de sanciones en el orden social | BOE-A-2000-15060 | art:40
art. 40 de la ley de infracciones laborales | BOE-A-2000-15060 | art:40
art. 40 de la ley de sanciones laborales | BOE-A-2000-15060 | art:40
art 14 ley prevención riesgos laborales | BOE-A-1995-24292 | art:14
artículo 14 de la ley de prevención | BOE-A-1995-24292 | art:14
art. 14 LPRL | BOE-A-1995-24292 | art:14
artículo 14 de la ley de PRL | BOE-A-1995-24292 | art:14
art. 22 Ley 31/95 | BOE-A-1995-24292 | art:22
LO 11/1985 artículo 2 | BOE-A-1985-16660 | art:2
art. 2 LOLS | BOE-A-1985-16660 | art:2
artículo 2 de la ley orgánica de libertad sindical | BOE-A-1985-16660 | art:2
artículo 10 de la ley de libertad sindical | BOE-A-1985-16660 | art:10
art. 48 EBEP | BOE-A-2015-11719 | art:48
art. 48 TREBEP | BOE-A-2015-11719 | art:48
artículo 48 del estatuto del empleado público | BOE-A-2015-11719 | art:48
artículo 48 del estatuto básico | BOE-A-2015-11719 | art:48
artículo 48 del estatuto básico del empleado público | BOE-A-2015-11719 | art:48
art. 11 LETA | BOE-A-2007-13409 | art:11
artículo 11 de la ley del autónomo | BOE-A-2007-13409 | art:11
artículo 11 del estatuto del trabajo autónomo | BOE-A-2007-13409 | art:11
artículo 11 del estatuto del autónomo | BOE-A-2007-13409 | art:11
artículo 11 de la ley de autónomos | BOE-A-2007-13409 | art:11
art. 24 del estatuto de los trabajadores autónomos | BOE-A-2007-13409 | art:24
artículo 7 de la ley de teletrabajo | BOE-A-2021-11472 | art:7
artículo 7 de la ley de trabajo a distancia | BOE-A-2021-11472 | art:7
art. 18 Ley 10/2021 | BOE-A-2021-11472 | art:18
artículo 10 de la ley del IMV | BOE-A-2021-21007 | art:10
artículo 10 ley ingreso mínimo vital | BOE-A-2021-21007 | art:10
artículo 46 de la ley de igualdad | BOE-A-2007-6115 | art:46
artículo 46 LOI | BOE-A-2007-6115 | art:46
artículo 46 de la ley orgánica de igualdad entre mujeres y hombres | BOE-A-2007-6115 | art:46
artículo 4 de la ley de igualdad de trato | BOE-A-2022-11589 | art:4
artículo 4 de la ley zerolo | BOE-A-2022-11589 | art:4
artículo 3 de la ley de empleo | BOE-A-2023-5365 | art:3
art. 12 de la ley de ETT | BOE-A-1994-12554 | art:12
art. 12 ley de las ETTs | BOE-A-1994-12554 | art:12
artículo 12 LETT | BOE-A-1994-12554 | art:12
artículo 13 de la ley de la inspección de trabajo | BOE-A-2015-8168 | art:13
artículo 13 de la ley de la inspección | BOE-A-2015-8168 | art:13
artículo 87 de la LOPD | BOE-A-2018-16673 | art:87
artículo 87 de la ley de protección de datos | BOE-A-2018-16673 | art:87
artículo 88 LOPDGDD | BOE-A-2018-16673 | art:88
artículo 21 LPAC | BOE-A-2015-10565 | art:21
artículo 21 de la ley de procedimiento administrativo | BOE-A-2015-10565 | art:21
art. 21 LPACAP | BOE-A-2015-10565 | art:21
artículo 42 de la ley de discapacidad | BOE-A-2013-12632 | art:42
artículo 42 de la ley general de discapacidad | BOE-A-2013-12632 | art:42
artículo 23 de la ley de los trabajadores del mar | BOE-A-2015-11346 | art:23
artículo 6 de la ley de huelga | BOE-A-1977-6061 | art:6
artículo seis del decreto de huelga | BOE-A-1977-6061 | art:6
art. 6 RDLRT | BOE-A-1977-6061 | art:6
art. 6 del RDL 17/1977 | BOE-A-1977-6061 | art:6
artículo 10 del Real Decreto-ley 17/1977 | BOE-A-1977-6061 | art:10
disposición transitoria segunda del RDL 32/2021 | BOE-A-2021-21788 | dt:2
artículo 14 del RDL 1/2023 | BOE-A-2023-625 | art:14
artículo 14 del decreto de bonificaciones | BOE-A-2023-625 | art:14
artículo 2 de la ley 43/2006 | BOE-A-2006-22949 | art:2

artículo 9 del decreto de empleadas de hogar | BOE-A-2011-17975 | art:9
artículo 9 del RD de empleadas de hogar | BOE-A-2011-17975 | art:9
art. 9 RD 1620/2011 | BOE-A-2011-17975 | art:9
artículo 9 del real decreto de las empleadas del hogar | BOE-A-2011-17975 | art:9
artículo 3 del RD 893/2024 | BOE-A-2024-18182 | art:3
artículo 12 del reglamento de los servicios de prevención | BOE-A-1997-1853 | art:12
artículo 12 del reglamento de prevención | BOE-A-1997-1853 | art:12
RSP art. 12 | BOE-A-1997-1853 | art:12
artículo 23 del reglamento de cotización | BOE-A-1996-1579 | art:23
artículo 23 del reglamento general de cotización | BOE-A-1996-1579 | art:23
RD 2064/1995 artículo 23 | BOE-A-1996-1579 | art:23
artículo 29 del reglamento de afiliación | BOE-A-1996-4447 | art:29
artículo 29 del reglamento de inscripción de empresas | BOE-A-1996-4447 | art:29
art 29 rd 84/96 | BOE-A-1996-4447 | art:29
artículo 31 del reglamento de recaudación | BOE-A-2004-11836 | art:31
artículo 31 del reglamento general de recaudación de la seguridad social | BOE-A-2004-11836 | art:31
artículo 13 del reglamento de sanciones | BOE-A-1998-12816 | art:13
art. 13 RD 928/98 | BOE-A-1998-12816 | art:13
artículo 61 del reglamento de mutuas | BOE-A-1995-26716 | art:61
artículo 7 del reglamento de despidos colectivos | BOE-A-2012-13419 | art:7
artículo 17 del reglamento de los ERTE | BOE-A-2012-13419 | art:17
artículo 2 de la orden de cotización | BOE-A-2026-7296 | art:2
art. 2 Orden PJC/297/2026 | BOE-A-2026-7296 | art:2
artículo 8 del decreto de jornadas especiales | BOE-A-1995-21346 | art:8
artículo 8 del RD 1561/1995 | BOE-A-1995-21346 | art:8
artículo 7 del decreto de incapacidad temporal | BOE-A-2014-7684 | art:7
artículo 7 del RD de bajas médicas | BOE-A-2014-7684 | art:7
artículo 8 del real decreto de maternidad | BOE-A-2009-4724 | art:8
artículo 4 del decreto del CUME | BOE-A-2011-13119 | art:4
artículo 2 del decreto de reintegro de prestaciones | BOE-A-1996-3691 | art:2
artículo 3 del RD 1300/1995 | BOE-A-1995-19848 | art:3
artículo 12 del decreto de jubilación parcial | BOE-A-2002-23037 | art:12
artículo 5 del decreto de jubilación flexible | BOE-A-2002-23038 | art:5
artículo 6 del decreto de PNC | BOE-A-1991-7270 | art:6
artículo 16 del decreto de prestaciones familiares | BOE-A-2005-19151 | art:16
artículo 2 del decreto de la RAI | BOE-A-2006-21239 | art:2
artículo 7 del reglamento de desempleo | BOE-A-1985-8124 | art:7
artículo 2 del decreto de enfermedades profesionales | BOE-A-2006-22169 | art:2
artículo 4 del decreto de coordinación de actividades empresariales | BOE-A-2004-1848 | art:4
artículo 14 del decreto del FOGASA | BOE-A-1985-6029 | art:14
artículo 6 del decreto de deportistas profesionales | BOE-A-1985-12313 | art:6
artículo 6 del decreto de deportistas | BOE-A-1985-12313 | art:6
artículo 5 del decreto de artistas | BOE-A-1985-17303 | art:5
artículo 11 del decreto de representantes de comercio | BOE-A-1985-17410 | art:11
artículo 12 del decreto de abogados de despachos | BOE-A-2006-20113 | art:12
artículo 4 del decreto de los TRADE | BOE-A-2009-3673 | art:4
artículo 2 del decreto de registro de convenios | BOE-A-2010-9274 | art:2
artículo 7 del decreto de planes de igualdad | BOE-A-2020-12214 | art:7
artículo 5 del decreto de igualdad retributiva | BOE-A-2020-12215 | art:5
artículo 5 del decreto de registro retributivo | BOE-A-2020-12215 | art:5
artículo 8 del decreto LGTBI | BOE-A-2024-20402 | art:8
artículo 22 del decreto del contrato formativo | BOE-A-2025-24011 | art:22
artículo 1 del decreto del SMI | BOE-A-2026-3815 | art:1
artículo 1 del decreto del SMI de 2025 | BOE-A-2025-2576 | art:1
artículo 2 del decreto de contratos temporales | BOE-A-1999-346 | art:2
artículo 3 del RD 1647/1997 | BOE-A-1997-24163 | art:3

qué dice la ley de empleo en su artículo 3 | BOE-A-2023-5365 | art:3
en el artículo 3 de la ley de empleo, ¿qué se dice? | BOE-A-2023-5365 | art:3
según el 34.8 ET | BOE-A-2015-11430 | art:34
artículo 34.8 y 9 del ET | BOE-A-2015-11430 | art:34
Ley 31/1995 art. 22.1 párrafo 2 | BOE-A-1995-24292 | art:22
CE: artículo 14 | BOE-A-1978-31229 | art:14
ET artículo 4, apartado 2, letra e | BOE-A-2015-11430 | art:4
et 4.2.e | BOE-A-2015-11430 | art:4
art cincuenta y cinco ET | BOE-A-2015-11430 | art:55
art.º 38 ET | BOE-A-2015-11430 | art:38
articulo 37.3b ET | BOE-A-2015-11430 | art:37
artículo 37.3 letra b bis del ET | BOE-A-2015-11430 | art:37
arts. 12 y ss. ET | BOE-A-2015-11430 | art:12
D.Tª 4ª LGSS | BOE-A-2015-11724 | dt:4
DTª 4 LGSS | BOE-A-2015-11724 | dt:4
disp. trans. 4 LGSS | BOE-A-2015-11724 | dt:4
DF única LISOS | BOE-A-2000-15060 | df:unica
disposición adicional única del RD 1435/1985 | BOE-A-1985-17303 | da:unica
Anexo I RD 1299/2006 | BOE-A-2006-22169 | anexo:1
anexo VIII del reglamento de los servicios de prevención | BOE-A-1997-1853 | anexo:8
anexo único del RD 1148/2011 | BOE-A-2011-13119 | anexo:unico
el anexo del RD 1148/2011 | BOE-A-2011-13119 | anexo:unico
artículo 4 del Real Decreto 1620 de 2011 | BOE-A-2011-17975 | art:4
artículo 4 RD 1620/2011 de 14 de noviembre | BOE-A-2011-17975 | art:4
Ley 31 de 1995, artículo 14 | BOE-A-1995-24292 | art:14
L.O. 3/2007 art. 7 | BOE-A-2007-6115 | art:7
Ley 20/2007 articulo 11 bis | BOE-A-2007-13409 | art:11 bis
art 11 bis ley 20/2007 del estatuto del trabajo autonomo | BOE-A-2007-13409 | art:11 bis
art. 48.h EBEP | BOE-A-2015-11719 | art:48
art 49 TREBEP letra c | BOE-A-2015-11719 | art:49
artículo 26, punto 5, ET | BOE-A-2015-11430 | art:26
orden de cotización de 2026 artículo 2 | BOE-A-2026-7296 | art:2
"""

SEVERAL = """
arts. 51 y 52 ET | BOE-A-2015-11430 | art:51 art:52
artículos 44 a 46 del ET | BOE-A-2015-11430 | art:44 art:45 art:46
ET 51, 52 y 53 | BOE-A-2015-11430 | art:51 art:52 art:53
art. 34.8 y 37.6 ET | BOE-A-2015-11430 | art:34 art:37
los artículos 7, 22 y 40 de la LISOS | BOE-A-2000-15060 | art:7 art:22 art:40
arts. 12-14 ET | BOE-A-2015-11430 | art:12 art:13 art:14
DA 14ª y DT 31ª LGSS | BOE-A-2015-11724 | da:14 dt:31
disposiciones adicionales primera y tercera de la LETA | BOE-A-2007-13409 | da:1 da:3
"""


def rows(table):
    return [row.split(" | ") for row in table.strip().splitlines() if row]


def asked(question):
    reading = read(question, TODAY)
    return read_question(reading, provisions_asked(reading, [], DEFAULT_LAW, reading.day))


def named(question):
    provisions = asked(question)["provisions"]
    return [(provision["law_id"], provision["provision_key"]) for provision in provisions]


@pytest.mark.parametrize(("question", "law_id", "key"), rows(LOOKUPS))
def test_a_question_names_exactly_one_provision(question, law_id, key):
    assert named(question) == [(law_id, key)]


@pytest.mark.parametrize("question", [row[0] for row in rows(LOOKUPS + SEVERAL)])
def test_a_question_that_names_a_provision_and_says_nothing_else_is_a_look_up(question):
    assert asked(question)["is_lookup"]


@pytest.mark.parametrize(("question", "law_id", "keys"), rows(SEVERAL))
def test_a_question_names_several_provisions_of_a_law(question, law_id, keys):
    assert named(question) == [(law_id, key) for key in keys.split()]


def test_a_question_names_provisions_of_several_laws():
    assert named("art. 1 ET, 11 LETA y 305 LGSS") == [
        ("BOE-A-2015-11430", "art:1"),
        ("BOE-A-2007-13409", "art:11"),
        ("BOE-A-2015-11724", "art:305"),
    ]
    assert named("LGSS 205 y ET 38") == [("BOE-A-2015-11724", "art:205"), ("BOE-A-2015-11430", "art:38")]


@pytest.mark.parametrize(
    "question",
    [
        "artículo 5 de la ley rider",
        "art. 4 de la Ley 32/2006",
        "artículo 2 del decreto de EPIs",
        "artículo 3 del decreto de pantallas",
        "artículo 96 de la ley de procedimiento laboral",
        "art. 96 LPL",
        "artículo 217 L.E.C.",
        "art. 157 TFUE",
        "artículo 20 de la Ley General Tributaria",
        "artículo 3 del Reglamento 883/2004",
        "artículo 10 del estatuto básico del personal estatutario",
        "artículo 10 de la ley de empleo público de Galicia",
        "artículo 5 de la ley de igualdad de Andalucía",
        "artículo 2 de la orden de cotización para 2024",
        "artículo 9 del convenio colectivo de hostelería",
    ],
)
def test_a_law_that_is_not_here_is_not_taken_for_one_that_is(question):
    ((law_id, _),) = named(question)
    assert law_id == ""


@pytest.mark.parametrize(
    "question",
    [
        "me corresponden 15 días y 20 del año pasado",
        "soldador con botellas de gas es anexo I",
        "una jornada adicional 3 días a la semana",
        "la paga adicional 2 meses",
        "¿Quién paga los gastos de la ley de dependencia?",
        "tengo 52 años y 3 hijos",
    ],
)
def test_numbers_that_name_no_provision(question):
    assert named(question) == []


def test_every_law_is_looked_up_by_a_name_or_its_number():
    assert {law_id for _, law_id, _ in rows(LOOKUPS)} == set(known_laws())
