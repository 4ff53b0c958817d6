package sqlguard

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// deaf is a database with one mark, whose commit is never answered.
type deaf struct {
	sent context.CancelFunc // called when the commit is on its way
	over chan struct{}
}

func (d deaf) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d deaf) Driver() driver.Driver                        { return nil }
func (d deaf) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (d deaf) Begin() (driver.Tx, error)                    { return d, nil }
func (d deaf) Rollback() error                              { return nil }
func (d deaf) Commit() error                                { d.sent(); <-d.over; return io.EOF }
func (d deaf) Close() error                                 { return nil }
func (d deaf) Columns() []string                            { return make([]string, 5) }
func (d deaf) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &mark{deaf: d}, nil
}

type mark struct {
	deaf
	read bool
}

func (m *mark) Next(row []driver.Value) error {
	if m.read {
		return io.EOF
	}
	m.read = true
	copy(row, []driver.Value{"job", int64(7), int64(0), "", time.Now().UnixMilli()})
	return nil
}

// TestCommitThatIsNeverAnswered: the driver of MySQL waits for the answer to a commit
// whatever becomes of the context. The guard does not.
func TestCommitThatIsNeverAnswered(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d := deaf{cancel, make(chan struct{})}
	defer close(d.over)
	g, err := New(MySQL, "report", guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Establish(ctx, sql.OpenDB(d), fence.Fence{Name: "job", Token: 7})
	if !errors.Is(err, guard.ErrUnknown) || v.Outcome != fence.Unknown {
		t.Errorf("%v (error %v); want unknown", v, err)
	}
}
