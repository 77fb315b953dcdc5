"""What a server says of the files of a generation leads nowhere but into the folder of the index."""

import pytest
from pydantic import ValidationError

from articulado.store.registry import StoredFile


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../x", "a//x", "a/.x", ".x", "", "a/x\n", "a\\..\\x"])
def test_no_path_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(ValidationError):
        StoredFile(name=name, size=1, parts=())


@pytest.mark.parametrize("name", ["catalog.sqlite", "models/encoder-1.npz"])
def test_paths_within_it_are_as_they_are(name: str) -> None:
    assert StoredFile(name=name, size=1, parts=()).name == name
