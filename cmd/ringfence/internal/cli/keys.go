package cli

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/keys"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) keysCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "keys",
		Short: "Keep the keys that fences are signed with",
		Long: `Keep the keys of an authority in a file that only its owner may read. What they sign,
destinations can tell from a fence that somebody has made up.

  ringfence keys new keys.json --authority prod
  ringfence keys export keys.json > trusted.json       for the destinations
  ringfence run report --timeout 5m --if-unavailable fail \
      --sign keys.json --audience reports -- ./make-report

To rotate, so that no destination refuses anything in between:

  ringfence keys rotate keys.json --prepare            the next key verifies already
  ringfence keys export keys.json > trusted.json       to every destination
  ringfence keys rotate keys.json                      the next key signs
  ringfence keys revoke keys.json --key ID             when no signature of ID is good any more
  ringfence keys export keys.json > trusted.json       to every destination

After a leak of the key that signs, rotate at once and revoke it at once.`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.keysNewCmd(), a.keysListCmd(), a.keysRotateCmd(), a.keysRevokeCmd(), a.keysExportCmd())
	return c
}

const keysExitHelp = `Exit status:
  0    done
  64   usage: a flag, the file or the key is wrong; nothing was changed
  125  the file can't be read or written; it is as it was`

const oneFile = "one FILE"

// algorithmFlag is --algorithm; absent is what the default says.
func algorithmFlag(c *cobra.Command, to *string, absent string) {
	c.Flags().StringVar(to, "algorithm", "", "`ALGORITHM` of the key: ed25519, or hmac-sha256 where both sides hold one secret; "+absent+" where absent")
	words := []string{string(fence.Ed25519), string(fence.HMACSHA256)}
	_ = c.RegisterFlagCompletionFunc("algorithm", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) keysNewCmd() *cobra.Command {
	var authority, algorithm string
	c := &cobra.Command{
		Use:   "new FILE --authority NAME [--algorithm ALGORITHM]",
		Short: "Make a file with a new key",
		Long: `Make FILE, which must not be there yet, with one new key that signs for the authority
NAME: whatever your destinations know you by, 1 to 48 characters without spaces.

` + keysExitHelp,
		Args: arguments(1, 1, oneFile),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			if !c.Flags().Changed("authority") {
				return usage("--authority is required: say who signs, such as prod")
			}
			s, err := keys.New(authority, orEd25519(algorithm), time.Now())
			if err == nil {
				err = keys.Create(args[0], s)
			}
			return a.showKeys(s, err)
		},
	}
	c.Flags().StringVar(&authority, "authority", "", "`NAME` of who signs; required")
	algorithmFlag(c, &algorithm, string(fence.Ed25519))
	a.outputFlag(c)
	return c
}

func orEd25519(algorithm string) fence.Algorithm {
	if algorithm == "" {
		return fence.Ed25519
	}
	return fence.Algorithm(algorithm)
}

func (a *app) keysListCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "list FILE",
		Short: "List the keys, without their secrets",
		Long: `List the keys of FILE, of which no secret is shown. Destinations take what any of them
has signed. Their state is one of
  next      signs after the next rotation
  signing   signs
  previous  has signed before

` + keysExitHelp,
		Args: arguments(1, 1, oneFile),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.showKeys(keys.Load(args[0]))
		},
	}
	a.outputFlag(c)
	return c
}

func (a *app) keysRotateCmd() *cobra.Command {
	var prepare bool
	var algorithm string
	c := &cobra.Command{
		Use:   "rotate FILE [--prepare] [--algorithm ALGORITHM]",
		Short: "Have the next key sign",
		Long: `Have the next key of FILE sign, or a new one where none was prepared. Those before it
go on to verify until they are revoked.

A key that destinations don't have yet signs nothing that they take. With --prepare
the next key is made, and signs nothing yet: export it to the destinations first.

` + keysExitHelp,
		Args: arguments(1, 1, oneFile),
		RunE: func(c *cobra.Command, args []string) error {
			step := keys.Rotate
			if prepare {
				step = keys.Prepare
			}
			had := 0
			s, err := a.changeKeys(c, args[0], func(s fence.KeySet) (fence.KeySet, error) {
				had = len(s.Keys)
				return step(s, fence.Algorithm(algorithm), time.Now())
			})
			if err == nil && !prepare && len(s.Keys) > had {
				a.say("destinations refuse what %s signs until they have it: export it to them now", s.Signing)
			}
			return a.showKeys(s, err)
		},
	}
	c.Flags().BoolVar(&prepare, "prepare", false, "make the next key, and let the present one sign")
	algorithmFlag(c, &algorithm, "that of the key that signs")
	a.outputFlag(c)
	return c
}

func (a *app) keysRevokeCmd() *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "revoke FILE --key ID",
		Short: "Take a key away",
		Long: `Take the key ID out of FILE. Destinations trust it until they get what keys export
writes then. The key that signs can't be revoked: rotate first.

` + keysExitHelp,
		Args: arguments(1, 1, oneFile),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("key") {
				return usage("--key is required: name the key by its id, as keys list shows it")
			}
			return a.showKeys(a.changeKeys(c, args[0], func(s fence.KeySet) (fence.KeySet, error) { return keys.Revoke(s, id) }))
		},
	}
	c.Flags().StringVar(&id, "key", "", "`ID` of the key; required")
	a.outputFlag(c)
	return c
}

func (a *app) keysExportCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE",
		Short: "Print what destinations need to verify",
		Long: `Print the keys of FILE without what signs, as JSON that fence.ParseKeySet reads. Of an
hmac-sha256 key that is its secret all the same, and ringfence says so.

` + keysExitHelp,
		Args: arguments(1, 1, oneFile),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := keys.Load(args[0])
			if err != nil {
				return err
			}
			for _, k := range s.Keys {
				if k.Algorithm == fence.HMACSHA256 {
					a.say("warning: whoever reads this can sign as %s by the key %s: keep it as you keep a password", k.Authority, k.ID)
				}
			}
			_, err = a.out.Write(s.Verifiers().Text())
			return err
		},
	}
}

// changeKeys changes the file, and returns what is in it then.
func (a *app) changeKeys(c *cobra.Command, file string, change func(fence.KeySet) (fence.KeySet, error)) (fence.KeySet, error) {
	if err := a.checkOutput(); err != nil {
		return fence.KeySet{}, err
	}
	return keys.Change(c.Context(), file, change)
}

// keyJSON is a key for programs, without its secret.
type keyJSON struct {
	fence.Key
	State keys.State `json:"state"`
}

func (a *app) showKeys(s fence.KeySet, err error) error {
	if err != nil {
		return err
	}
	all := []keyJSON{}
	for i, k := range s.Keys {
		all = append(all, keyJSON{k, keys.StateOf(s, i)})
	}
	return a.print(map[string]any{"keys": all}, func(w io.Writer) error {
		rows := [][]string{{"KEY", "STATE", "ALGORITHM", "AUTHORITY"}}
		for _, k := range all {
			rows = append(rows, []string{k.ID, string(k.State), string(k.Algorithm), k.Authority})
		}
		return table(w, rows)
	})
}
