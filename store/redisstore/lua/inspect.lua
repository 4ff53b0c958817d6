-- Shows the record of a name.
return (shown(KEYS[3]))
