package open

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// parseServer reads what the URLs of all servers have in common. form is how a
// right one looks.
func parseServer(raw string, kind Kind, form string) (Target, *url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Fragment != "" || strings.Contains(raw, "@") && misread(u) {
		return Target{}, nil, invalidServer(kind, "it can't be parsed; percent-encode what is special in the user and the password: %40 is @, %2F is /, %3A is :, %3F is ?, %23 is #", form)
	}
	t := Target{Kind: kind, Label: label(u, strings.ToLower(u.Scheme)), resolution: time.Millisecond}
	_, t.HasPassword = u.User.Password()
	return t, u, nil
}

func invalidServer(kind Kind, why, form string) error {
	return fmt.Errorf("%w %s URL: %s; want %s", fence.ErrInvalid, kind, why, form)
}

// unavailable is a connection that did not come about.
func unavailable(err error) error { return &driver.Fault{Kind: driver.ErrUnavailable, Err: err} }
