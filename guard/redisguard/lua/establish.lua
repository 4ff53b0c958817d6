-- Begins a term at a resource. ARGV: name, token.
return establish_step(KEYS, ARGV)
