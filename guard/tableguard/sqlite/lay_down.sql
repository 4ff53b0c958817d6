-- Take it from the transaction, without which that can't commit.
DELETE FROM ringfence_session
