-- Creates the table of the journal, where it is missing.

-- Append-only, but for the oldest rows. A row is what one program wrote at once: one row an event would cost ten times as
-- much. It has no index on names: to read all of it from the end is quick, and every row that is added would pay for one.
CREATE TABLE IF NOT EXISTS ringfence_journal (
    seq    BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at     BIGINT NOT NULL COMMENT 'when it was written, in microseconds since 1970, in UTC',
    events BIGINT NOT NULL COMMENT 'how many',
    bundle MEDIUMBLOB NOT NULL COMMENT 'the events, a JSON array; each says how many microseconds ago it was'
) ENGINE = InnoDB
