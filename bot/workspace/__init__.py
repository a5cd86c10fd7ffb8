"""The workspace: the files that make the assistant who it is, and how a new one begins."""
