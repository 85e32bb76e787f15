"""Everything that touches the world: processes, files, the terminal."""
