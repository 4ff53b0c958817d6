package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/keys"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const signHelp = `--sign has a key of a file of ringfence keys vouch for the fence, for destinations
that ask for it. The signature is in RINGFENCE_SIGNATURE, and with --fence postgres in
PGOPTIONS too. It is for the one destination that --audience names, and good until five
minutes after the timeout and the grace, or for --signature-lasts.`

// signMargin is how long a signature is good after the work must be over, for a
// destination whose clock is ahead.
const signMargin = 5 * time.Minute

// signFlags ask for a signed fence.
type signFlags struct {
	file, audience string
	lasts          duration
}

func (f *signFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "sign", "", "have the key that signs in `FILE` sign the fence")
	c.Flags().StringVar(&f.audience, "audience", "", "`NAME` of the destination that the signature is for; required by --sign")
	c.Flags().Var(&f.lasts, "signature-lasts", "how long the signature is good; required by --sign where there is no --timeout")
}

// signing signs the fence of a run. Its zero value signs nothing.
type signing struct {
	key   fence.Key
	claim fence.Claim // but for its token and its end
	lasts time.Duration
}

// check reads the key, and signs once, so that a bad one is found before the store is
// touched.
func (f signFlags) check(c *cobra.Command, j job) (signing, error) {
	given := c.Flags().Changed
	if !given("sign") {
		if given("audience") || given("signature-lasts") {
			return signing{}, usage("--audience and --signature-lasts go with --sign")
		}
		return signing{}, nil
	}
	lasts := time.Duration(f.lasts)
	switch {
	case !given("audience"):
		return signing{}, usage("--audience is required by --sign: name the destination, as its keyring does")
	case given("signature-lasts") && (lasts < time.Second || lasts > driver.MaxTTL):
		return signing{}, usage("--signature-lasts %s: want 1s to 720h, which are 30 days", span(lasts))
	case !given("signature-lasts") && j.work.Timeout == 0:
		return signing{}, usage("--signature-lasts is required by --sign where no --timeout says when the work is over")
	case !given("signature-lasts"):
		lasts = j.work.Timeout + j.plan.Grace + signMargin
	}
	set, err := keys.Load(f.file)
	if err != nil {
		return signing{}, usage("--sign: %w", err)
	}
	s := signing{claim: fence.Claim{Fence: fence.Fence{Name: j.name, Token: 1}, Holder: j.work.Holder, Audience: f.audience}, lasts: lasts}
	if s.claim.Holder == "" {
		s.claim.Holder = ringfence.DefaultHolder()
	}
	if s.key, err = set.Signer(); err == nil {
		_, err = s.sign(s.claim.Fence)
	}
	if err != nil {
		return s, usage("--sign %q: %w", f.file, err)
	}
	return s, nil
}

// sign vouches for a fence; without a key, or a fence, there is no signature.
func (s signing) sign(held fence.Fence) (string, error) {
	if s.key.ID == "" || held == (fence.Fence{}) {
		return "", nil
	}
	c := s.claim
	c.Fence, c.NotAfter = held, time.Now().Add(s.lasts+time.Second) // it counts in whole seconds
	signature, err := s.key.Sign(c)
	if err != nil {
		return "", &exitError{exitInternal, err}
	}
	return signature, nil
}
