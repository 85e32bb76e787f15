"""Games in English: for each game one module whose `sentence(event)` tells what happened.

The events may be the record's, which hold everything, or one seat's, which do not.
"""
