-- Reads which of the tables are there: that of the leases, that of the store, and the three of those who wait.
SELECT to_regclass('ringfence.lease') IS NOT NULL, to_regclass('ringfence.store') IS NOT NULL,
       to_regclass('ringfence.waiter') IS NOT NULL AND to_regclass('ringfence.listener') IS NOT NULL
       AND to_regclass('ringfence.line') IS NOT NULL
