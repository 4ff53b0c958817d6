-- Shows the record of a name.
return shown(record(KEYS[1]))
