-- Hand a write to the transaction, which takes the lock of the database by it.
INSERT INTO ringfence_session (fence, seq, key) VALUES (?1, ?2, ?3)
