package pgxstore

import "embed"

//go:embed postgres/*.sql
var files embed.FS

// statement is the text of a file in the folder postgres.
func statement(name string) string {
	text, err := files.ReadFile("postgres/" + name + ".sql")
	if err != nil {
		panic(err) // an embedded file is always there
	}
	return string(text)
}
