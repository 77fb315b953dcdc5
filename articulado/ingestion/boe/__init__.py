"""Client of the open data of the BOE and reader of its XML."""
