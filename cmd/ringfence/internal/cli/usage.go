package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/plan"
	"github.com/ringfence-go/ringfence/fence"
)

// duration is a flag's value.
type duration time.Duration

func (d *duration) String() string {
	if *d == 0 {
		return "" // no default to show
	}
	return span(time.Duration(*d))
}

// Type is the word for the value in the help.
func (d *duration) Type() string { return "DURATION" }

// Set implements pflag.Value.
func (d *duration) Set(s string) error {
	parsed, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("write a duration like 500ms, 90s, 5m or 2h, up to 720h, which are 30 days")
	}
	*d = duration(parsed)
	return nil
}

func span(d time.Duration) string { return plan.Span(d) }

// flagError says in our own words what pflag says of a flag.
func flagError(c *cobra.Command, err error) error {
	see := "; see " + c.CommandPath() + " --help"
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		cause := bad.Unwrap()
		if bad.GetFlag().Value.Type() == "bool" {
			cause = errors.New("want true or false")
		}
		return usage("--%s %s: %w%s", bad.GetFlag().Name, fence.Quote(bad.GetValue()), cause, see)
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usage("--%s needs a value%s", bare.GetFlag().Name, see)
	}
	return usage("%w%s", err, see)
}

// arguments checks how many there are; what names them, as the usage line does.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("%s takes %s, and got %d; see %s --help", c.Name(), what, len(args), c.CommandPath())
		}
		return nil
	}
}

// subcommand refuses the word that names none.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := c.CommandPath() + " --help lists them"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage("there is no command %s; %s", fence.Quote(args[0]), hint)
}
