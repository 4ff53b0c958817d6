package guardtest

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Forgery is a fence and a signature, as text, that no receiver may take.
type Forgery struct {
	What      string
	Fence     string
	Signature string
	Cause     fence.Cause // of the refusal: Invalid or Future
}

// Forgeries lists what a writer may present who has one good signature, that of c by
// key, and not the key; and what the authority itself may not sign. now is the
// receiver's clock, on which c is good.
func Forgeries(key fence.Key, c fence.Claim, now time.Time) ([]Forgery, error) {
	m := &forger{key: key, claim: c}
	good := m.sign(key, c)
	m.texts(good)
	m.signatures(good)
	m.signers()
	c.Fence.Token = fence.FutureLimit(fence.TickOf(now)) + fence.TokensPerTick*3_600_000
	m.add("a token an hour too far ahead", c.Fence.String(), m.sign(key, c), fence.Future)
	c = m.claim
	c.NotAfter = now.Add(-2 * time.Second)
	m.add("a signature that is over", c.Fence.String(), m.sign(key, c), fence.Invalid)
	return m.all, m.err
}

type forger struct {
	key   fence.Key
	claim fence.Claim
	all   []Forgery
	err   error // the first of a signature that could not be made
}

func (m *forger) add(what, text, signature string, c fence.Cause) {
	m.all = append(m.all, Forgery{what, text, signature, c})
}

func (m *forger) sign(k fence.Key, c fence.Claim) string {
	s, err := k.Sign(c)
	if err != nil && m.err == nil {
		m.err = err
	}
	return s
}

// texts are fences beside a good signature.
func (m *forger) texts(good string) {
	_, name, _ := strings.Cut(strings.TrimPrefix(m.claim.Fence.String(), "rf1:"), ":")
	for _, token := range []string{
		"0", "-1", "9007199254740992", "9223372036854775808", "1e3", "05", "+5", " 5", "5 ", "5.0", "0x5", "\uff15", "", strings.Repeat("9", 1<<20),
	} {
		m.add("the token "+fence.Quote(token), "rf1:"+token+":"+name, good, fence.Invalid)
	}
	higher, other := m.claim.Fence, m.claim.Fence
	higher.Token++
	other.Name += "x"
	m.add("a higher token", higher.String(), good, fence.Invalid)
	m.add("the highest token", fence.Fence{Name: other.Name, Token: fence.MaxToken}.String(), good, fence.Invalid)
	m.add("another name", other.String(), good, fence.Invalid)
	m.add("no fence", "", good, fence.Invalid)
	m.add("no name", "rf1:5:", good, fence.Invalid)
	m.add("another version", "rf2:5:"+name, good, fence.Invalid)
	m.add("a name of 1 MiB", "rf1:5:"+strings.Repeat("n", 1<<20), good, fence.Invalid)
}

// signatures are what can be made of a good one, beside its fence.
func (m *forger) signatures(good string) {
	last := len(good) - 1
	for what, signature := range map[string]string{
		"no signature":         "",
		"a prefix alone":       "rs1",
		"a cut signature":      good[:last],
		"half of a signature":  good[:len(good)/2],
		"a longer signature":   good + "A",
		"a doubled signature":  good + good,
		"a space before":       " " + good,
		"a line's end":         good + "\n",
		"a signature of 1 MiB": strings.Repeat(good, 1<<20/len(good)),
		"an altered first bit": string(good[0]^1) + good[1:],
		"an altered last bit":  good[:last] + string(good[last]^1),
		"capital letters":      strings.ToUpper(good),
	} {
		m.add(what, m.claim.Fence.String(), signature, fence.Invalid)
	}
}

// signers are good signatures in the place of another one.
func (m *forger) signers() {
	unknown, stranger, confused := m.key, m.key, m.key
	unknown.ID += "x"
	stranger.Authority += "x"
	confused.Algorithm, confused.Public = fence.HMACSHA256, nil
	if confused.Secret = m.key.Public; m.key.Algorithm == fence.HMACSHA256 {
		confused.Secret = make([]byte, len(m.key.Secret))
	}
	twin, err := fence.NewKey(m.key.ID, m.key.Authority, m.key.Algorithm)
	if err != nil && m.err == nil {
		m.err = err
	}
	for what, k := range map[string]fence.Key{
		"an unknown key": unknown, "another authority": stranger, "a key of the same id": twin, "a secret that is known to all": confused,
	} {
		m.add(what, m.claim.Fence.String(), m.sign(k, m.claim), fence.Invalid)
	}
	for what, change := range map[string]func(*fence.Claim){
		"the signature of another name":     func(c *fence.Claim) { c.Fence.Name += "x" },
		"the signature of another token":    func(c *fence.Claim) { c.Fence.Token++ },
		"the signature of another audience": func(c *fence.Claim) { c.Audience += "x" },
	} {
		c := m.claim
		change(&c)
		m.add(what, m.claim.Fence.String(), m.sign(m.key, c), fence.Invalid)
	}
}
