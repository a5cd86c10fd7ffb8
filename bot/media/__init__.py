"""Files that people send: their names, their kinds, their words, and where they are kept."""
