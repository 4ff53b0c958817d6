package sqlstore

import "regexp"

// redacted is an error of a driver whose text is safe to log. It unwraps to the
// driver's own error, whose text may not be.
type redacted struct {
	what string
	err  error
}

func (e *redacted) Error() string {
	text := redact(e.err.Error())
	if e.what != "" {
		text = e.what + ": " + text
	}
	return text
}

func (e *redacted) Unwrap() error { return e.err }

var (
	// userinfo is the password of scheme://user:password@host, up to the last @
	// before the path, since a password may hold one.
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]*):[^\s/]*@`)
	// setting is password=..., also quoted and as part of a query.
	setting = regexp.MustCompile(`(?i)((?:password|passwd|pwd|passfile|sslpassword)\s*=\s*)('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s&;,]*)`)
)

// redact removes passwords from a text that may hold the address of a database.
func redact(s string) string {
	return setting.ReplaceAllString(userinfo.ReplaceAllString(s, "$1:***@"), "$1***")
}
