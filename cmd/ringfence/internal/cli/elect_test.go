package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/election"
)

// TestACandidateDoesNotLeadBesideWhatItCouldNotEnd: the term was lost, and processes of its
// command live on.
func TestACandidateDoesNotLeadBesideWhatItCouldNotEnd(t *testing.T) {
	t.Parallel()
	early := catchEarly(t.Context())
	defer early.stop()
	early.release()
	over, end := context.WithCancel(early.ctx)
	end()
	var out strings.Builder
	h := held{app: &app{err: &out}, job: job{name: "job"}, early: early}
	h.follow(over, election.Candidacy{}, nil, true, &exitError{exitInternal, errors.New("processes [4711] are not ended by KILL")})
	if early.ctx.Err() == nil || out.String() != "" {
		t.Errorf("it stands again, and said %q", out.String())
	}
}
