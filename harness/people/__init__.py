"""Games for people: at the table, played again, told in English."""
