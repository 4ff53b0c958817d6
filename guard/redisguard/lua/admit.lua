-- Judges a write and applies its commands. ARGV: rule, name, token, seq, key, then each command as a count and its words.
return admit_step(KEYS, ARGV)
