"""Work on what strangers wrote, in processes of its own: none of it can stop the program."""
