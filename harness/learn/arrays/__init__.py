"""Many games at once: a batch of tables whose numbers stand in arrays that are filled anew with every step."""
