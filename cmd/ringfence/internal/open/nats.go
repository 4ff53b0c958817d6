package open

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/natsstore"
)

const natsForm = "nats://user@host:4222,host2:4222/bucket, or tls:// for TLS; parameters: creds=FILE, replicas=3"

// natsTarget is what a URL says of a bucket, and how to reach its server.
type natsTarget struct {
	natsstore.Options
	connect func(context.Context) (jetstream.JetStream, error)
}

func parseNATS(raw string) (Target, error) {
	t, u, err := parseServer(raw, NATS, natsForm)
	if err != nil {
		return Target{}, err
	}
	if _, known := u.User.Password(); u.User != nil && !known { // a lone user of NATS is a secret
		t.HasPassword = true
		t.Label = label(&url.URL{Host: u.Host, Path: u.Path}, strings.ToLower(u.Scheme))
	}
	o, err := natsOptions(u)
	if err != nil {
		return Target{}, err
	}
	t.nats = natsTarget{o, func(ctx context.Context) (jetstream.JetStream, error) { return natsConnection(ctx, u) }}
	t.server = func(ctx context.Context, label string) (Store, error) {
		js, err := t.nats.connect(ctx)
		if err != nil {
			return nil, err
		}
		o := o
		o.Label = label
		s, err := natsstore.Open(ctx, js, &o)
		if err != nil {
			js.Conn().Close()
			return nil, err
		}
		return &inNATS{s, js}, nil
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		js, err := natsConnection(ctx, u)
		if err != nil {
			return nil, err
		}
		defer js.Conn().Close()
		o := o
		o.Label = label
		return natsstore.Examine(ctx, js, &o)
	}
	return t, nil
}

func natsOptions(u *url.URL) (o natsstore.Options, err error) {
	for name, values := range u.Query() {
		switch name {
		case "creds":
		case "replicas":
			if o.Replicas, err = strconv.Atoi(values[0]); err != nil || o.Replicas < 1 || o.Replicas > 5 {
				return o, invalidServer(NATS, "replicas is 1 to 5", natsForm)
			}
		default:
			return o, invalidServer(NATS, "it takes no other parameters", natsForm)
		}
	}
	o.Bucket = strings.TrimPrefix(u.Path, "/")
	if u.Host == "" || strings.ContainsAny(o.Bucket, "./") {
		return o, invalidServer(NATS, "it needs a host, and a bucket of letters, digits, - and _", natsForm)
	}
	return o, nil
}

// natsConnection connects to the first of the servers that answers.
func natsConnection(ctx context.Context, u *url.URL) (jetstream.JetStream, error) {
	var servers []string
	for host := range strings.SplitSeq(u.Host, ",") {
		servers = append(servers, strings.ToLower(u.Scheme)+"://"+host)
	}
	options := []nats.Option{
		nats.Name("ringfence"), nats.Timeout(connectTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // what matters is in the errors
	}
	switch password, known := u.User.Password(); {
	case known:
		options = append(options, nats.UserInfo(u.User.Username(), password))
	case u.User != nil:
		options = append(options, nats.Token(u.User.Username()))
	}
	if file := u.Query().Get("creds"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	nc, err := aside(ctx, func() (*nats.Conn, error) { return nats.Connect(strings.Join(servers, ","), options...) }, (*nats.Conn).Close)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, unfit(err, "check the user and the password, or the file that creds names")
	case err != nil:
		return nil, unavailable(err)
	}
	return jetstream.New(nc)
}

type inNATS struct {
	*natsstore.Store
	js jetstream.JetStream
}

// Close closes the store, then its connection.
func (s *inNATS) Close() error {
	err := s.Store.Close()
	s.js.Conn().Close()
	return err
}
