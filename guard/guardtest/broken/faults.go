package broken

import (
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Faults lists the wrong guards, at least one for each clause.
func Faults() []Fault {
	return []Fault{
		{Name: "takes no mark for zero", Clause: "G01", Rule: guard.Latest,
			spoil: answersInstead(because(fence.NotEstablished), fence.Admitted, fence.NoCause)},
		{Name: "clears the text when a term begins", Clause: "G02", Rule: guard.Latest, spoil: establishClears},
		{Name: "compares tokens as texts", Clause: "G03", Rule: guard.Latest, spoil: asTexts},
		{Name: "leaves the mark where a term has written", Clause: "G04", Rule: guard.Latest, spoil: establishUnlessWritten},
		{Name: "lets a term write once", Clause: "G05", Rule: guard.Latest, spoil: oneKeyOnly},
		{Name: "lets a term publish again", Clause: "G05", Rule: guard.Once,
			spoil: answersInstead(because(fence.Conflict), fence.Admitted, fence.NoCause)},
		{Name: "compares numbers of different leases", Clause: "G06", Rule: guard.Latest, spoil: anyLease},
		{Name: "believes any number", Clause: "G07", Rule: guard.Latest, spoil: anyNumber},
		{Name: "allows other clocks no difference", Clause: "G08", Rule: guard.Latest, spoil: noSlack},
		{Name: "reads a bad token as an old one", Clause: "G09", Rule: guard.Latest, spoil: answersInstead(badToken, fence.Refused, fence.Superseded)},
		{Name: "cuts long keys off", Clause: "G10", Rule: guard.Once, spoil: cutKeys},
		{Name: "counts from 0 as from 1", Clause: "G10", Rule: guard.Sequenced, spoil: zeroIsOne},
		{Name: "begins a term anew", Clause: "G11", Rule: guard.Once, spoil: establishRestarts},
		{Name: "lets a term begin again", Clause: "G12", Rule: guard.Latest, spoil: establishLowers},
		{Name: "applies a repeated key with another text", Clause: "G13", Rule: guard.Once, spoil: applyOtherText},
		{Name: "takes another write for a repeated one", Clause: "G13", Rule: guard.Once, bare: true,
			spoil: answersInstead(sameKey, fence.Duplicate, fence.NoCause)},
		{Name: "knows only the last write as repeated", Clause: "G14", Rule: guard.Sequenced, spoil: answersInstead(earlier, fence.Refused, fence.OutOfSequence)},
		{Name: "does not compare keys", Clause: "G15", Rule: guard.Sequenced,
			spoil: answersInstead(because(fence.Conflict), fence.Duplicate, fence.NoCause)},
		{Name: "admits whatever is higher", Clause: "G16", Rule: guard.Sequenced, spoil: answersInstead(gap, fence.Admitted, fence.NoCause)},
		{Name: "goes on with the older term's number", Clause: "G17", Rule: guard.Sequenced, spoil: answersInstead(wrongStart, fence.Admitted, fence.NoCause)},
		{Name: "forgets what a superseded term wrote", Clause: "G18", Rule: guard.Sequenced, spoil: landedNothing},
		{Name: "says that every superseded write landed", Clause: "G18", Rule: guard.Sequenced, spoil: landedAll},
		{Name: "checks before the write", Clause: "G19", Rule: guard.Latest, spoil: outside(anyWrite)},
		{Name: "creates the mark without a look", Clause: "G20", Rule: guard.Latest, spoil: outside(firstEstablish)},
		{Name: "looks for a repeated write outside of the step", Clause: "G21", Rule: guard.Sequenced, spoil: outside(sameTerm)},
		{Name: "stores the mark before the data", Clause: "G22", Rule: guard.Latest, spoil: markFirst},
		{Name: "takes a lost reply for a refusal", Clause: "G23", Rule: guard.Sequenced, spoil: cutIs(fence.Refused)},
		{Name: "takes a lost reply for a failure", Clause: "G23", Rule: guard.Latest, spoil: cutIs(fence.Unavailable)},
		{Name: "ignores its context", Clause: "G24", Rule: guard.Latest, spoil: deaf},
		{Name: "refuses without the mark", Clause: "G25", Rule: guard.Latest, spoil: silent},
		{Name: "refuses without an error", Clause: "G25", Rule: guard.Latest, spoil: noError},
		{Name: "establishes although it does not say so", Clause: "G26", Rule: guard.Latest, bare: true, spoil: undeclared},
		{Name: "takes the inputs of an established term for fresh", Clause: "G27", Rule: guard.Latest, spoil: freshSinceEstablished},
		{Name: "raises the mark for outdated inputs", Clause: "G28", Rule: guard.Latest, spoil: outdatedRaises},
		{Name: "asks for the age first", Clause: "G29", Rule: guard.Once, spoil: instead(fence.Duplicate, fence.NoCause)},
		{Name: "calls a stale writer outdated", Clause: "G30", Rule: guard.Latest, spoil: instead(fence.Refused, fence.Superseded)},
		{Name: "takes no time for the present", Clause: "G31", Rule: guard.Latest, spoil: undatedIsNow},
		{Name: "takes the future for the present", Clause: "G31", Rule: guard.Once, spoil: futureIsNow},
	}
}

func badToken(_ guard.Mark, w guard.Write, _ fence.Verdict) bool { return !w.Fence.Token.Valid() }

func sameKey(m guard.Mark, w guard.Write, v fence.Verdict) bool {
	return v.Cause == fence.Conflict && w.Key == m.Key
}

func earlier(m guard.Mark, w guard.Write, v fence.Verdict) bool {
	return v.Outcome == fence.Duplicate && w.Seq < m.Seq
}

func gap(m guard.Mark, w guard.Write, v fence.Verdict) bool {
	return v.Cause == fence.OutOfSequence && w.Fence.Token == m.Token
}

func wrongStart(m guard.Mark, w guard.Write, v fence.Verdict) bool {
	return v.Cause == fence.OutOfSequence && w.Fence.Token > m.Token
}
