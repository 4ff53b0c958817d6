package redisstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// reply is what a script answered: a list of texts, or words in one text. doubt: an earlier
// try may have been applied.
type reply struct {
	value any
	doubt bool
}

// verdict is the first word, or empty.
func (r reply) verdict() string {
	if text, ok := r.value.(string); ok {
		word, _, _ := strings.Cut(text, " ")
		return word
	}
	if items, ok := r.value.([]any); ok && len(items) > 0 {
		word, _ := items[0].(string)
		return word
	}
	return ""
}

// words reads the answer as at most n texts; those that a script left out are
// empty, and of those in one text the last has the rest.
func (r reply) words(n int) words {
	w := words{text: make([]string, n)}
	if text, ok := r.value.(string); ok {
		for i := range n - 1 {
			w.text[i], text, _ = strings.Cut(text, " ")
		}
		w.text[n-1] = text
		return w
	}
	items, ok := r.value.([]any)
	if !ok || len(items) == 0 || len(items) > n {
		w.fail(fmt.Sprintf("%.200v", r.value))
	}
	for i, item := range items[:min(n, len(items))] {
		if w.text[i], ok = item.(string); !ok {
			w.fail(fmt.Sprintf("%T", item))
		}
	}
	return w
}

// page reads a page of a list: the last thing that was looked at, empty where there
// are no more, and the texts that were found.
func (r reply) page() (last string, w words) {
	pair, _ := r.value.([]any)
	if len(pair) != 2 {
		return "", r.words(0)
	}
	if items, _ := pair[1].([]any); len(items) > 0 {
		w = reply{value: items}.words(len(items))
	}
	return r.verdict(), w
}

// words are texts, and the first thing that was wrong with one.
type words struct {
	text []string
	err  *ruling
}

func (w *words) fail(what string) {
	if w.err == nil {
		r := refuse("the store's records are not as this release made them: open the store with another Prefix",
			"a script answered "+what)
		w.err = &r
	}
}

func (w *words) number(i int) int64 {
	if w.text[i] == "" {
		return 0
	}
	n, err := strconv.ParseInt(w.text[i], 10, 64)
	if err != nil {
		w.fail(strconv.Quote(w.text[i]))
	}
	return n
}

func (w *words) token(i int) fence.Token { return fence.Token(w.number(i)) }

func (w *words) milliseconds(i int) time.Duration {
	return time.Duration(w.number(i)) * time.Millisecond
}

// moment is a time of the server's clock, none for 0.
func (w *words) moment(i int) time.Time {
	if ms := w.number(i); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// shown is how many words the scripts show of a record.
const shown = 7

func (w *words) record(name string) driver.Record {
	return driver.Record{
		Name: name, State: driver.State(w.text[0]), Token: w.token(1), Holder: w.text[2],
		GrantedAt: w.moment(3), ExpiresAt: w.moment(4), Remaining: w.milliseconds(5), EndedBy: w.text[6],
	}
}
