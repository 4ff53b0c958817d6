package open

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"golang.org/x/oauth2/google"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/guard/gcsguard"
	"github.com/ringfence-go/ringfence/guard/s3guard"
	"github.com/ringfence-go/ringfence/store/gcsstore"
	"github.com/ringfence-go/ringfence/store/s3store"
)

const (
	s3Form = "s3://bucket/prefix; parameters: region=NAME, endpoint=https://HOST, path-style=true; the credentials are those of the AWS tools"
	gsForm = "gs://bucket/prefix; parameter: endpoint=https://HOST; the credentials are the application default ones, and none for http://"
)

// parseBucket reads what the URLs of object stores have in common: they name no
// user, and their host is a bucket.
func parseBucket(raw string, kind Kind, form string, parameters ...string) (Target, *url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.User != nil || u.Fragment != "" || u.Port() != "":
		return Target{}, nil, invalidServer(kind, "it can't be read", form)
	case u.Host == "":
		return Target{}, nil, invalidServer(kind, "it names no bucket", form)
	}
	for name := range u.Query() {
		if !slices.Contains(parameters, name) {
			return Target{}, nil, invalidServer(kind, "it takes no other parameters", form)
		}
	}
	if e := u.Query().Get("endpoint"); e != "" {
		if at, err := url.Parse(e); err != nil || at.Host == "" || at.User != nil || at.Scheme != "http" && at.Scheme != "https" {
			return Target{}, nil, invalidServer(kind, "its endpoint is no http:// or https:// URL without a password", form)
		}
	}
	return Target{Kind: kind, Label: label(u, strings.ToLower(u.Scheme)), resolution: time.Second}, u, nil
}

// keyPrefix is the path of a bucket's URL as the beginning of keys, "" for none.
func keyPrefix(u *url.URL) string {
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return prefix
}

func parseS3(raw string) (Target, error) {
	t, u, err := parseBucket(raw, S3, s3Form, "region", "endpoint", "path-style")
	if err != nil {
		return Target{}, err
	}
	if style := u.Query().Get("path-style"); style != "" && style != "true" && style != "false" {
		return Target{}, invalidServer(S3, "path-style is true or false", s3Form)
	}
	t.server = func(ctx context.Context, label string) (Store, error) {
		client, err := s3Client(ctx, u)
		if err != nil {
			return nil, err
		}
		return opened(s3store.Open(ctx, client, u.Host, &s3store.Options{Label: label, Prefix: keyPrefix(u)}))
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		client, err := s3Client(ctx, u)
		if err != nil {
			return nil, err
		}
		return s3store.Examine(ctx, client, u.Host, &s3store.Options{Label: label, Prefix: keyPrefix(u)})
	}
	t.object = func(ctx context.Context, r guard.Rule) (*casguard.Guard, error) {
		client, err := s3Client(ctx, u)
		if err != nil {
			return nil, err
		}
		return s3guard.New(client, u.Host, strings.TrimPrefix(u.Path, "/"), r, nil)
	}
	return t, nil
}

// s3Client takes from the environment and the files of the AWS tools what the URL
// does not say.
func s3Client(ctx context.Context, u *url.URL) (*s3.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what matters is in the errors
	if err != nil {
		return nil, unfit(err, "mend the configuration of the AWS tools: AWS_PROFILE, AWS_CONFIG_FILE and the like")
	}
	if region := u.Query().Get("region"); region != "" {
		cfg.Region = region
	}
	endpoint := u.Query().Get("endpoint")
	if cfg.Region == "" {
		if endpoint == "" {
			return nil, fmt.Errorf("%w S3 URL: no region is named; add ?region=NAME or set AWS_REGION", fence.ErrInvalid)
		}
		cfg.Region = "us-east-1" // as other services take it
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
		o.UsePathStyle = u.Query().Get("path-style") == "true"
	}), nil
}

func parseGS(raw string) (Target, error) {
	t, u, err := parseBucket(raw, GCS, gsForm, "endpoint")
	if err != nil {
		return Target{}, err
	}
	options := func(label string) *gcsstore.Options {
		return &gcsstore.Options{Label: label, Prefix: keyPrefix(u), Endpoint: u.Query().Get("endpoint")}
	}
	t.server = func(ctx context.Context, label string) (Store, error) {
		client, err := gcsClient(ctx, u)
		if err != nil {
			return nil, err
		}
		return opened(gcsstore.Open(ctx, client, u.Host, options(label)))
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		client, err := gcsClient(ctx, u)
		if err != nil {
			return nil, err
		}
		return gcsstore.Examine(ctx, client, u.Host, options(label))
	}
	t.object = func(ctx context.Context, r guard.Rule) (*casguard.Guard, error) {
		client, err := gcsClient(ctx, u)
		if err != nil {
			return nil, err
		}
		o := &gcsguard.Options{Endpoint: u.Query().Get("endpoint")}
		return gcsguard.New(client, u.Host, strings.TrimPrefix(u.Path, "/"), r, o)
	}
	return t, nil
}

// gcsClient sends with the application default credentials. An endpoint without
// TLS is an emulator, which gets none.
func gcsClient(ctx context.Context, u *url.URL) (gcsstore.Client, error) {
	if strings.HasPrefix(u.Query().Get("endpoint"), "http://") {
		return http.DefaultClient, nil
	}
	client, err := google.DefaultClient(context.WithoutCancel(ctx), gcsstore.Scope)
	if err != nil {
		return nil, unfit(err, "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`")
	}
	return client, nil
}

// CheckObject reports why t is no object that can be published to, or nil.
func (t Target) CheckObject() error {
	if t.object == nil {
		return fmt.Errorf("%w destination %s: want a path, s3://BUCKET/KEY or gs://BUCKET/OBJECT", fence.ErrInvalid, t.Label)
	}
	return nil
}

// Object is the guard of the object behind t.
func (t Target) Object(ctx context.Context, r guard.Rule) (*casguard.Guard, error) {
	if err := t.CheckObject(); err != nil {
		return nil, err
	}
	return t.object(ctx, r)
}

// opened keeps a failed store from being taken for one.
func opened[S Store](s S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
