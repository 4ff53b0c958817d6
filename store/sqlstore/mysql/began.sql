-- Reads when this began, as the session's clock has it. One that stands still gives two of these the same answer.
SELECT CAST(NOW(6) AS CHAR)
