// Package lang knows which front-end reads which file.
package lang

import (
	"bytes"
	"path"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/golang"
	"github.com/ringfence-go/ringfence/review/lang/java"
	"github.com/ringfence-go/ringfence/review/lang/javascript"
	"github.com/ringfence-go/ringfence/review/lang/lua"
	"github.com/ringfence-go/ringfence/review/lang/php"
	"github.com/ringfence-go/ringfence/review/lang/python"
	"github.com/ringfence-go/ringfence/review/lang/ruby"
	"github.com/ringfence-go/ringfence/review/lang/shell"
	"github.com/ringfence-go/ringfence/review/lang/sql"
)

// A Parser reads a file of one language. It never fails: what it could not read is
// among the faults of the file.
type Parser func(path string, src []byte) *ir.File

var parsers = map[ir.Language]Parser{
	ir.Go: golang.Parse, ir.Python: python.Parse, ir.JavaScript: javascript.Parse, ir.Java: java.Parse,
	ir.Ruby: ruby.Parse, ir.PHP: php.Parse, ir.Lua: lua.Parse, ir.Shell: shell.Parse, ir.SQL: sql.Parse,
}

var extensions = map[string]ir.Language{
	".go": ir.Go, ".py": ir.Python, ".pyi": ir.Python, ".pyw": ir.Python,
	".js": ir.JavaScript, ".mjs": ir.JavaScript, ".cjs": ir.JavaScript, ".jsx": ir.JavaScript,
	".ts": ir.JavaScript, ".mts": ir.JavaScript, ".cts": ir.JavaScript, ".tsx": ir.JavaScript,
	".java": ir.Java, ".rb": ir.Ruby, ".rake": ir.Ruby, ".php": ir.PHP, ".lua": ir.Lua,
	".sh": ir.Shell, ".bash": ir.Shell, ".ksh": ir.Shell, ".sql": ir.SQL,
}

// Of tells the language of a file by its name, or by its first line if it has no
// extension. Anything else is "".
func Of(name string, head []byte) ir.Language {
	ext := strings.ToLower(path.Ext(name))
	if ext != "" {
		return extensions[ext]
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	for word, language := range map[string]ir.Language{
		"python": ir.Python, "node": ir.JavaScript, "ruby": ir.Ruby, "php": ir.PHP, "lua": ir.Lua, "sh": ir.Shell,
	} {
		if bytes.Contains(line, []byte(word)) {
			return language
		}
	}
	return ""
}

// Known reports whether a name without an extension may be a script all the same.
func Known(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == "" || extensions[ext] != ""
}

// Parse reads a file of a language.
func Parse(language ir.Language, name string, src []byte) *ir.File {
	return parsers[language](name, src)
}
