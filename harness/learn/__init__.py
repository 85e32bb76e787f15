"""Games for those who learn: environments in the forms that learning libraries know. Needs `dalang[learn]`."""
