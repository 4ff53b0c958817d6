package session

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MySQLHome makes a folder for the variable MYSQL_HOME, whose option file has the
// client mysql, also called mariadb, set variables of its session. It includes the
// option file of the folder outer, where that isn't empty. The caller removes it.
func MySQLHome(outer string, variables map[string]string) (string, error) {
	home, err := os.MkdirTemp("", "ringfence-mysql-")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(home, "my.cnf"), []byte(optionFile(outer, variables)), 0o600); err != nil {
		_ = os.RemoveAll(home)
		return "", err
	}
	return home, nil
}

// optionFile is its text. Values have no quotes and no backslashes, as the texts of
// fences and signatures haven't.
func optionFile(outer string, variables map[string]string) string {
	var s strings.Builder
	if outer != "" {
		s.WriteString("!include " + filepath.Join(outer, "my.cnf") + "\n")
	}
	s.WriteString("[mysql]\ninit-command=\"SET ")
	for i, name := range slices.Sorted(maps.Keys(variables)) {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString("@" + name + " = '" + variables[name] + "'")
	}
	s.WriteString("\"\n")
	return s.String()
}
