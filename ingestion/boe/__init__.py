"""Laws from the open data of the official gazette, with every wording."""
