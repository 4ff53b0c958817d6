package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// Do is what a call does with a lock.
type Do uint8

// What a call may do.
const (
	Acquire Do = iota + 1 // take it, if it is free
	Put                   // write it, whoever has it
	Read                  // look who has it
	Exists                // look whether anybody has it
	Expire                // set how long it lasts, whoever has it
	Renew                 // make it last longer, if it is ours
	Release               // end it, whoever has it
	GiveUp                // end it, if it is ours
	Make                  // make the object that stands for it
	Confirm               // ask the lock's object whether it is still ours
)

// Gives says how a call tells that it did not get what it wanted.
type Gives uint8

// The ways to tell. They add up.
const (
	GivesValue Gives = 1 << iota // a false, a nil, a zero
	GivesError                   // an error that is returned
	GivesThrow                   // an exception
)

// An Op is something that a call does with a lock.
type Op struct {
	*Site
	Do      Do
	Key     string   // see Function.Key
	KeyAt   *ir.Expr // what the key is made of, nil if it is no argument
	Family  Family
	Gives   Gives
	Value   *ir.Expr // who takes it
	TTL     TTL
	Command *Command
	SQL     *query.Statement
	Library *Library
	Of      *ir.Expr // the object of a library's lock
	Through *Op      // what a helper does, for a call of it
	Lock    *Lock
	Conn    *ir.Expr // what an SQL statement is sent through

	far *Act // what it is in the package where it is done, for a call of a function there
}

// Family is the kind of store behind a lock.
type Family uint8

// The families.
const (
	Redis     Family = iota + 1
	Table            // a row of a table
	Advisory         // a lock of a database session
	Library_         // a lock library, which does it right or not
	Procedure        // a stored procedure or a service that is named like it
	Cache            // a cache with an add command
	Object           // an object of a store that puts it if there is none
)

// A TTL is how long a lock lasts.
type TTL struct {
	Set   bool
	Expr  *ir.Expr
	Unit  time.Duration // what a bare number counts
	Value time.Duration // 0 if it is not known here
}

// Root is what is done in the end, behind all helpers.
func (o *Op) Root() *Op {
	for o.Through != nil {
		o = o.Through
	}
	return o
}

// File is where an op stands.
func (o *Op) File() *ir.File { return o.In.File }

// words cuts a name into its words, in lower case: lockKey_v2 is lock, key, v2.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			if lower {
				b.WriteByte(' ')
			}
			lower = false
			b.WriteRune(r + 32)
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			lower = true
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// hasWord reports whether a name has one of the words. It is asked of every name of a
// program, and makes nothing.
func hasWord(name string, set map[string]bool) bool {
	var word [40]byte
	n, lower := 0, false
	ends := func() bool {
		is := n > 0 && set[string(word[:n])]
		n = 0
		return is
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if lower && ends() {
				return true
			}
			lower = false
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			lower = true
		default:
			if ends() {
				return true
			}
			continue
		}
		if n < len(word) {
			word[n] = c
		}
		n = min(n+1, len(word))
	}
	return ends()
}

// lockWords name what is exclusive.
var lockWords = wordSet("lock locks locker locking mutex mutexes lease leases leader leaders leadership leading election semaphore unlock lockname lockkey locktable mtx exclusive exclusively running inprogress singleton holder trylock dlock")

// leaderWords name what only one process of many is.
var leaderWords = wordSet("leader leaders leadership leading election elected master primary elector isleader captain chief coordinator")
