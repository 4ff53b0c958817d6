package imports

import (
	"context"
	"database/sql"
	"hash/fnv"
)

type Importer struct{ DB *sql.DB }

func key(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int64(h.Sum64())
}

func (i *Importer) exclusively(ctx context.Context, name string, f func(context.Context) error) error {
	k := key(name)
	if _, err := i.DB.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, k); err != nil { // want 13
		return err
	}
	defer func() {
		var ok bool
		if err := i.DB.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, k).Scan(&ok); err != nil || !ok {
			panic("imports: not ours")
		}
	}()
	return f(ctx)
}
