package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/publication"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) publishCmd() *cobra.Command {
	var f writeFlags
	c := &cobra.Command{
		Use:   "publish FILE|FOLDER DEST [flags]",
		Short: "Publish a file or a folder where a newer holder of the lease refuses older ones",
		Long: `Replace DEST by FILE, or by FOLDER, as a whole and in one step, unless a newer holder
of the lease has been there.

  ringfence run report --timeout 5m --if-unavailable fail -- \
      sh -c './make-report > today.csv && ringfence publish today.csv /srv/reports/today.csv'

DEST is one of
  a path                 a file or a folder; the mark lies beside it, in .NAME.ringfence
  s3://BUCKET/KEY        a file of at most 16 MiB; the mark lies in the object, before the data
  gs://BUCKET/OBJECT     the same
The parameters of these URLs are those of --store. A published folder is a symbolic
link, and a real folder that is there already is refused.

` + writeHelp + `

` + writeExitHelp,
		Args: arguments(2, 2, "a FILE or a FOLDER, and a DEST"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			o, to, err := f.publication(args[0], args[1])
			if err != nil {
				return err
			}
			return a.publish(c.Context(), o, to)
		},
	}
	f.add(c)
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

// target is where something is published: a path, or an object.
type target struct {
	label  string
	object *open.Target
}

// publication checks everything that can be checked before the destination is touched.
func (f writeFlags) publication(from, dest string) (publication.Order, target, error) {
	o := publication.Order{Establish: !f.noEstablish}
	to := target{label: dest}
	var err error
	if o.Rule, o.Write, err = f.check(); err != nil {
		return o, to, err
	}
	if o.Source, err = publication.Look(from); err != nil {
		return o, to, usage("FILE: %w", err)
	}
	if o.Write.Key == "" {
		if o.Write.Key, err = o.Source.Key(); err != nil {
			return o, to, usage("FILE: %w", err)
		}
	}
	if !strings.Contains(dest, "://") {
		if err := o.CheckPath(dest); err != nil {
			return o, to, usage("DEST: %w", err)
		}
		return o, to, nil
	}
	t, err := open.Parse(dest)
	if err == nil {
		err = t.CheckObject()
	}
	if err != nil {
		return o, to, fmt.Errorf("DEST: %w", err)
	}
	to = target{t.Label, &t}
	if o.Source.Folder {
		return o, to, usage("DEST: %s is an object, which takes a file; pack the folder into one", t.Label)
	}
	return o, to, nil
}

func (a *app) publish(ctx context.Context, o publication.Order, to target) error {
	early := catchEarly(ctx)
	defer early.stop()
	v, err := to.publish(early.ctx, o)
	if publication.IsSource(err) {
		err = &exitError{exitData, fmt.Errorf("FILE: %w; nothing is published", err)}
	}
	if err != nil {
		a.noteRefusal(ctx, err)
		return endedOr(early, atDestination(to.label, o.Rule, err))
	}
	return a.print(struct {
		Verdict fence.Verdict `json:"verdict"`
	}{v}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%v\n", v)
		return err
	})
}

func (p target) publish(ctx context.Context, o publication.Order) (fence.Verdict, error) {
	if p.object == nil {
		return o.ToPath(ctx, p.label)
	}
	g, err := p.object.Object(ctx, o.Rule)
	if err != nil {
		return fence.Verdict{}, err
	}
	return o.ToObject(ctx, g)
}
