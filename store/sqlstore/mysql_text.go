package sqlstore

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// fragment is an argument that is SQL itself.
type fragment string

// bind writes args into a statement in the places of $1, $2 and so on. A text
// becomes its bytes in hexadecimal digits: neither the mode nor the character set
// of a session can make anything else of them, and a statement without parameters
// takes one round trip, where one with parameters has to be prepared first.
func bind(statement string, args ...any) string {
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "$"+strconv.Itoa(i+1), literal(a))
	}
	return strings.NewReplacer(pairs...).Replace(statement)
}

func literal(arg any) string {
	switch a := arg.(type) {
	case string:
		return "x'" + hex.EncodeToString([]byte(a)) + "'"
	case fragment:
		return string(a)
	case int:
		return strconv.Itoa(a)
	case int64:
		return strconv.FormatInt(a, 10)
	}
	panic(fmt.Sprintf("an argument of type %T", arg)) // one of our own
}

// table is the calls as rows, for the statements for many.
func table(calls []*call) fragment {
	var b strings.Builder
	for i, c := range calls {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&b, "SELECT %s AS name, %s AS attempt, %s AS holder, %d AS token, %d AS ttl",
			literal(c.name), literal(c.attempt), literal(c.holder), int64(c.token), c.milliseconds())
	}
	return fragment(b.String())
}

// batchNumber makes a statement's number, by which the rows that it changed are
// known again; and a row that gets one has changed, whatever else was in it.
func batchNumber() int64 { return rand.Int64() }
