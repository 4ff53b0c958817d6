package realserver

import (
	"strings"
	"testing"
)

func TestPoolerFollowsAFailover(t *testing.T) {
	t.Parallel()
	primary := NewPostgres(t, nil)
	primary.Exec("CREATE TABLE kept (n int)")
	standby := primary.Standby(t)
	primary.CatchUp(standby)
	pooler := NewPooler(t, primary)
	if got, direct := pooler.URL(primary, "postgres"), primary.URL("postgres"); got == direct || strings.Contains(got, primary.Addr()) {
		t.Errorf("the pooler's URL %s leads past it", got)
	}
	primary.Kill()
	standby.Promote()
	pooler.Retarget(standby)
	if _, err := standby.c.query(pooler.port, "postgres", "INSERT INTO kept VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if got := standby.Exec("SELECT n FROM kept"); got != "1" {
		t.Errorf("rows on the promoted standby: got %q, want 1", got)
	}
}
