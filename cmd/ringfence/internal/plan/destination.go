package plan

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

// destination is a kind of place that work writes to.
type destination struct {
	words []string // of the command line; the first is the usual one
	name  string   // for people
	code  string   // whose pieces of Go it takes: a prefix of the names in snippet/
	guard string   // the package that refuses there, "" where nothing can
	page  string   // that says the rest
	write string   // one write from a shell; "" where there is none
	open  string   // what the guard doesn't close
}

const (
	openSQL    = "A program that writes to the tables without the guard is not stopped; ringfence guard install stops it (docs/guards/tables.md)."
	openObject = "A program that puts the object without the guard is not stopped: give the right to write to nobody else."
	openAbroad = "Nobody there compares a fence: a holder that is paused just before it sends will send when it wakes up."
)

var destinations = []destination{
	{words: []string{"postgres", "postgresql"}, name: "PostgreSQL", code: "sql", guard: "sqlguard", page: "docs/guards/sql.md",
		write: "ringfence sql postgres://jobs@db/app", open: openSQL},
	{words: []string{"mysql", "mariadb"}, name: "MySQL", code: "sql", guard: "sqlguard", page: "docs/guards/sql.md",
		write: "ringfence sql mysql://jobs@db/app", open: openSQL},
	{words: []string{"sqlite"}, name: "SQLite", code: "sql", guard: "sqlguard", page: "docs/guards/sql.md",
		write: "ringfence sql sqlite:///srv/app.db", open: openSQL},
	{words: []string{"redis", "valkey"}, name: "Redis", code: "redis", guard: "redisguard", page: "docs/guards/redis.md",
		open: "A plain SET passes the guard by: give other programs a user without rights to the keys. From a shell the guard is FCALL ringfence_admit."},
	{words: []string{"etcd"}, name: "etcd", code: "etcd", guard: "etcdguard", page: "docs/guards/etcd.md",
		open: "A plain put passes the guard by: give the role that writes to nobody else. The guard is for programs in Go."},
	{words: []string{"s3"}, name: "an object of S3", code: "s3", guard: "s3guard", page: "docs/guards/s3.md",
		write: "ringfence publish result s3://reports/latest", open: openObject},
	{words: []string{"gs", "gcs"}, name: "an object of Google Cloud Storage", code: "gs", guard: "gcsguard", page: "docs/guards/gcs.md",
		write: "ringfence publish result gs://reports/latest", open: openObject},
	{words: []string{"file", "folder"}, name: "a file", code: "file", guard: "fileguard", page: "docs/guards/files.md",
		write: "ringfence publish result /srv/reports/latest",
		open:  "Whoever writes to the path without the guard is not stopped. On NFS a machine that stood still for 90 s can still rename."},
	{words: []string{"http", "https"}, name: "a service of yours over HTTP", code: "http", guard: "httpguard", page: "docs/guards/http.md",
		write: `curl --fail-with-body -H "Ringfence-Fence: $RINGFENCE_FENCE" -d @result https://reports.example.com/`,
		open:  "The service has to decide, by a guard in its own transaction. One that isn't yours can't: plan for payment then, and send the key that it knows."},
	{words: []string{"mail"}, name: "mail", code: "mail", page: "docs/guards/sql.md",
		open: openAbroad + " What is noted as begun, and not as sent, is looked at by a person: it may have gone out."},
	{words: []string{"payment"}, name: "a payment", code: "payment", page: "docs/guards/sql.md",
		open: openAbroad + " The same key makes that harmless for as long as the provider keeps it, often a day: ask before you send what was begun longer ago."},
	{words: []string{"queue"}, name: "a queue", code: "queue", page: "docs/guards/sql.md",
		open: openAbroad + " So a message can go out twice: its consumer keeps the id, as a primary key, in the transaction of its work."},
}

// Destinations are the usual words for them.
func Destinations() []string {
	all := make([]string, len(destinations))
	for i, d := range destinations {
		all[i] = d.words[0]
	}
	return all
}

// ParseDestination returns the usual word for the destination that a word means.
func ParseDestination(word string) (string, error) {
	d, err := lookUp(word)
	if err != nil {
		return "", err
	}
	return d.words[0], nil
}

func lookUp(word string) (destination, error) {
	for _, d := range destinations {
		if slices.Contains(d.words, word) {
			return d, nil
		}
	}
	if scheme, _, is := strings.Cut(word, "://"); is { // the rest may hold a password
		word = scheme + "://"
	}
	return destination{}, invalid("--destination %s: want one of %s", fence.Quote(word), strings.Join(Destinations(), ", "))
}

// abroad reports whether nobody there compares anything before it is done.
func (d destination) abroad() bool { return d.guard == "" }

// checkCompares refuses a place that has no write under a condition.
func (d destination) checkCompares() error {
	if d.abroad() || d.code == "file" {
		return invalid("--goal cas with --destination %s: nothing there compares before it writes; plan for --goal once or sequence", d.words[0])
	}
	return nil
}
