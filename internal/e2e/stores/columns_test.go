package stores

import "testing"

// columns are the stores, in the order of the table.
var columns = []column{
	sqlite, postgres, pgxColumn, mariadb, redisColumn, etcd, zookeeper, s3Column, gcsColumn, natsColumn,
}

// What a store can't meet, in the words of the table.
const (
	noServer    = "There is no server and no network: the store is a file that each process opens."
	notEvicting = "The server has no setting by which it drops what it was told to keep."
	noLine      = "The store keeps no line: whoever asks first when the name is free is granted it, and the dead ask for nothing."
	noZones     = "No time zone enters: times are counted since 1970, on the server alone."
	noClock     = "The server's clock is that of the machine, which a test can't move."
	quorum      = "A server is put in charge only with all that was acknowledged, by a vote of the majority."
)

func TestEveryRowIsPlayedOrExplained(t *testing.T) {
	t.Parallel()
	for _, c := range columns {
		for id := range c.lacks {
			found := false
			for _, r := range rows {
				found = found || r.id == id
			}
			if !found {
				t.Errorf("%s explains %s, which is no row", c.name, id)
			}
		}
	}
}
