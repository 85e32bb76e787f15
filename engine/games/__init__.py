"""The bundled games, one module each, with its rulebook beside it."""
