"""The words of the project: open this folder and you have read the architecture.

Plain Python: frozen dataclasses, enums, Protocols; no I/O and no third-party import.
"""
