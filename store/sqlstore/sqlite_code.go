package sqlstore

import (
	"errors"
	"strings"
)

// sqliteCode rules on an error that carries SQLite's result code, which modernc's
// driver tells by a method. The others are known by SQLite's own texts.
func sqliteCode(err error) (ruling, bool) {
	var e interface{ Code() int }
	if errors.As(err, &e) {
		if r, ok := sqliteCodes[e.Code()&0xff]; ok {
			return r, true
		}
	}
	text := err.Error()
	for _, known := range sqliteTexts {
		if strings.Contains(text, known.part) {
			return sqliteCodes[known.code], true
		}
	}
	return ruling{}, false
}

// The primary result codes that have a ruling of their own.
const (
	sqliteError      = 1
	sqlitePerm       = 3
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteNoMem      = 7
	sqliteReadOnly   = 8
	sqliteIOErr      = 10
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteProtocol   = 15
	sqliteSchema     = 17
	sqliteConstraint = 19
	sqliteAuth       = 23
	sqliteNotADB     = 26
)

const (
	writable = "the store needs to write the file and to create files beside it: check the path, the owner and the mode of both"
	altered  = "the tables are not as this release made them: compare them with sqlstore.Schema"
	damaged  = "restore it, or move it away and start anew: no number comes back, because the clock lends the floor"
)

var sqliteCodes = map[int]ruling{
	sqliteBusy:     retry("another connection keeps the database locked"),
	sqliteLocked:   retry("another connection keeps the database locked"),
	sqliteProtocol: retry(""),
	sqliteSchema:   retry(""),

	sqliteFull:  unavailable("the disk is full, or the file has reached its max_page_count"),
	sqliteNoMem: unavailable(""),
	sqliteIOErr: {kind: doubt.kind, hint: "check the disk, which may be full; " + resolve},

	sqliteError:      unfit(altered),
	sqlitePerm:       unfit(writable),
	sqliteReadOnly:   unfit(writable),
	sqliteCantOpen:   unfit(writable),
	sqliteAuth:       unfit(writable),
	sqliteCorrupt:    unfit("the database file is damaged: " + damaged),
	sqliteNotADB:     unfit("name another file; or, if this one was a database, " + damaged),
	sqliteConstraint: unfit(altered),
}

// sqliteTexts are parts of SQLite's own messages, for drivers that tell no code.
var sqliteTexts = []struct {
	part string
	code int
}{
	{"database is locked", sqliteBusy},
	{"database table is locked", sqliteLocked},
	{"readonly database", sqliteReadOnly},
	{"disk is full", sqliteFull},
	{"unable to open database file", sqliteCantOpen},
	{"disk I/O error", sqliteIOErr},
	{"disk image is malformed", sqliteCorrupt},
	{"file is not a database", sqliteNotADB},
	{"constraint failed", sqliteConstraint},
	{"no such table", sqliteError},
}
