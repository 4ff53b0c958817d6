package etcdstore

import (
	"testing"

	"github.com/ringfence-go/ringfence/driver"
)

func TestSized(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, quota int64
		told        bool
		want        driver.Grade
	}{
		{20 << 20, 2 << 30, false, driver.Fit},
		{1900 << 20, 2 << 30, false, driver.Warning},
		{1900 << 20, 8 << 30, true, driver.Fit},
		{7000 << 20, 8 << 30, true, driver.Warning},
	} {
		if got := sized(c.size, c.quota, c.told); got.Grade != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestCompactedAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		revision  int64
		compacted bool
		want      driver.Grade
	}{
		{5, false, driver.Fit}, {manyRevisions, false, driver.Warning}, {manyRevisions, true, driver.Fit},
	} {
		if got := compactedAt(c.revision, c.compacted); got.Grade != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
