"""The stages of the graphs, one file each, named after the stage."""
