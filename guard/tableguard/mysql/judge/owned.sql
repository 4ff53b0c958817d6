-- Judge a row under the rule owned.
CALL ringfence_own({name}, {place})
