package sqlfault

import (
	"regexp"
	"strconv"
)

// mysqlError is how go-sql-driver writes an error of the server's. Its type has the
// number in a field, which nobody can read who does not import the driver.
var mysqlError = regexp.MustCompile(`\bError (\d{4,5})(?: \(\w{5}\))?: `)

// MySQLNumber is the server's number of an error, 0 where it has none.
func MySQLNumber(err error) int {
	if err == nil {
		return 0
	}
	return numberIn(err.Error())
}

func numberIn(text string) int {
	found := mysqlError.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n
}

// Numbers that a caller looks for.
const (
	Deadlock    = 1213
	NoSavepoint = 1305
)

// ofNumber reads MySQL's number of an error. A lock that was waited for in vain ends
// the statement only, where a deadlock ends the transaction: both are for trying
// again from its beginning.
func ofNumber(n int) Class {
	switch n {
	case 0, 1053, 1152, 1158, 1159, 1160, 1161, 1180, 1317, 1927: // none; connection, shutdown, commit, interrupted
		return Unsure
	case 1020, 1205, Deadlock, 1412, 1615, 3101, 3572: // a newer version; lock wait; deadlock; a changed table; a conflict in a group; no wait
		return Transient
	case 1044, 1142, 1146: // no right to the database, to the table; no table
		return Missing
	}
	return Failed
}
