"""Tables of the legal room, one documented file each."""
