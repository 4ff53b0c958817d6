-- Judges a write and applies its commands. ARGV: rule, name, token, seq, key, the time of its inputs, their greatest age,
-- both in milliseconds and 0 for none, then each command as a count and its words.
return admit_fresh_step(KEYS, ARGV)
