"""Other people's retrieval on the same provisions and the same questions, one adapter a file.

Needs the optional extra ``peers``; a peer whose packages are absent is left out and said to be.
"""
