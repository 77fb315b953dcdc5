"""Client of the BOE's open data, and reader of its XML."""
