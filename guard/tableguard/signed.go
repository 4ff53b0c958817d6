package tableguard

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

// Signed is a table whose writers have to carry a signature of their fence.
type Signed struct {
	// Table is its name, as in [Table]. Required.
	Table string
	// Exempt are roles that need none, and their members. Whoever logs in counts, not
	// what SET ROLE makes of it. Defaults to nobody.
	Exempt []string
}

// SignedStatus is a table that demands signatures, as the database has it.
type SignedStatus struct {
	Signed
	// Off says that some writes need none: a trigger was disabled or dropped, or the
	// table has become a partition or an heir since, so that rows of it are written by the
	// name of another one. RequireSigned again says what is in the way.
	Off bool
}

// The names of the triggers that verify: each comes before the one that judges.
const (
	authorityTrigger    = "ringfence_authority"
	authorityRowTrigger = "zz_ringfence_authority"
)

// Trust replaces the keys that signatures are verified with by those given: while one is
// rotated, the old and the new one. audience is what signatures call this database.
// Only HMACSHA256 will do, as PostgreSQL can compute no other. The keys lie in a table that
// the owner of the schema ringfence alone can read. Supported for PostgreSQL.
func (d *DB) Trust(ctx context.Context, audience string, keys ...fence.Key) error {
	p, err := d.verifier()
	if err != nil {
		return err
	}
	if _, err := fence.NewKeyring(audience, keys...); err != nil {
		return err
	}
	for _, k := range keys {
		if k.Algorithm != fence.HMACSHA256 {
			return fmt.Errorf("%w %s: a database verifies %s only", fence.ErrInvalid, k, fence.HMACSHA256)
		}
	}
	return about("replace the trusted keys", p.trust(ctx, audience, keys))
}

func (p postgres) trust(ctx context.Context, audience string, keys []fence.Key) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range []string{oneAtATime, setup("") + Postgres.sql("signed"), "DELETE FROM ringfence.guard_key"} {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	for _, k := range keys {
		if _, err := tx.ExecContext(ctx, Postgres.sql("trust"), k.ID, k.Authority, audience, pad(k.Secret, 0x36), pad(k.Secret, 0x5c)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// pad is one of the two blocks that HMAC-SHA256 makes of a secret.
func pad(secret []byte, with byte) []byte {
	block := make([]byte, 64)
	copy(block, secret)
	for i := range block {
		block[i] ^= with
	}
	return block
}

// RequireSigned has a table refuse, as Invalid and before any mark is looked at, the
// writes of a session whose setting ringfence.signature is no signature of its fence by
// a key of [DB.Trust]. It takes the place of an earlier call for the table. Supported for
// PostgreSQL.
func (d *DB) RequireSigned(ctx context.Context, s Signed) error {
	p, err := d.verifier()
	if err != nil {
		return err
	}
	for _, role := range s.Exempt {
		if role == "" || strings.ContainsRune(role, 0) {
			return fmt.Errorf("%w exempt role %s of table %s", fence.ErrInvalid, fence.Quote(role), fence.Quote(s.Table))
		}
	}
	if err := checkTable(s.Table); err != nil {
		return err
	}
	return p.change(ctx, Table{Name: s.Table, Lease: "any"}.find, func(r relation) (string, error) {
		return setup("") + Postgres.sql("signed") + unsigned(r) + signed(r, s.Exempt), nil
	})
}

// AllowUnsigned ends RequireSigned for a table.
func (d *DB) AllowUnsigned(ctx context.Context, table string) error {
	p, err := d.verifier()
	if err != nil {
		return err
	}
	if err := checkTable(table); err != nil {
		return err
	}
	return p.change(ctx, Table{Name: table}.look, func(r relation) (string, error) { return unsigned(r), nil })
}

// signed is the DDL that demands signatures. Statements are enough for a table whose rows
// are written by its own name alone: one verification for all of them. Partitions can be
// written to directly, ones that are attached later as well, so there it is rows.
func signed(r relation, exempt []string) string {
	var s strings.Builder
	events := "INSERT OR UPDATE OR DELETE OR TRUNCATE"
	if r.byOthers {
		create(&s, r.name, authorityRowTrigger, "INSERT OR UPDATE OR DELETE", "ROW", "", "guard_signed", literals(exempt), "ALWAYS")
		events = "DELETE OR TRUNCATE" // a term begins with a DELETE of no row
	}
	create(&s, r.name, authorityTrigger, events, "STATEMENT", "", "guard_signed", literals(exempt), "ALWAYS")
	for _, name := range r.partitions {
		create(&s, name, authorityTrigger, "TRUNCATE", "STATEMENT", "", "guard_signed", literals(exempt), "ALWAYS")
	}
	return s.String()
}

func unsigned(r relation) string {
	var s strings.Builder
	fmt.Fprintf(&s, "DROP TRIGGER IF EXISTS %s ON %s;\n", authorityRowTrigger, r.name)
	for _, name := range append([]string{r.name}, r.partitions...) {
		fmt.Fprintf(&s, "DROP TRIGGER IF EXISTS %s ON %s;\n", authorityTrigger, name)
	}
	return s.String()
}

// SignedTables lists the tables that demand signatures.
func (d *DB) SignedTables(ctx context.Context) ([]SignedStatus, error) {
	p, err := d.verifier()
	if err != nil {
		return nil, err
	}
	all, err := p.signedTables(ctx)
	return all, about("list the tables that demand signatures", err)
}

func (p postgres) signedTables(ctx context.Context) ([]SignedStatus, error) {
	rows, err := p.db.QueryContext(ctx, Postgres.sql("signed_tables"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []SignedStatus
	for rows.Next() {
		var s SignedStatus
		var args string
		if err := rows.Scan(&s.Table, &args, &s.Off); err != nil {
			return nil, err
		}
		raw, err := hex.DecodeString(args)
		if err != nil {
			return nil, err
		}
		if text := strings.TrimSuffix(string(raw), "\x00"); text != "" {
			s.Exempt = strings.Split(text, "\x00")
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func (d *DB) verifier() (postgres, error) {
	if d.dialect != Postgres {
		return postgres{}, fmt.Errorf("signatures in %s: %w", d.dialect, errors.ErrUnsupported)
	}
	return postgres{d.db}, nil
}
