import pytest

from legal.boe_ids import is_boe_id


@pytest.mark.parametrize(
    "text", ["BOE-A-2015-11430", "DOGC-f-2015-90448", "BOA-d-2001-90007", "BOCM-m-2015-90005", "DOUE-L-2016-80807"]
)
def test_identifiers_of_the_gazettes(text):
    assert is_boe_id(text)


@pytest.mark.parametrize(
    "text", ["", "BOE-A-2015", "boe-A-2015-11430", "BOE-A-2015-11430 ", "xBOE-A-2015-1", "BOE-A-15-1", "BOE-A-2015-١"]
)
def test_what_is_no_identifier(text):
    assert not is_boe_id(text)
