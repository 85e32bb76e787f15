"""Everything that touches the world: processes, files, the terminal."""

__version__ = "0.1.0"
