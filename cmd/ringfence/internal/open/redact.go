package open

import "regexp"

var (
	// userinfo is the password of scheme://user:password@host, up to the last @
	// before the path, since a password may hold one.
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]*):[^\s/]*@`)
	// setting is password=..., also quoted and as part of a query.
	setting = regexp.MustCompile(`(?i)((?:password|passwd|pwd|passfile|sslpassword)\s*=\s*)('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s&;,]*)`)
)

// Redact takes passwords out of a text that repeats what a person typed.
func Redact(s string) string {
	return setting.ReplaceAllString(userinfo.ReplaceAllString(s, "$1:***@"), "$1***")
}
