//go:build linux || darwin

package child

import (
	"maps"
	"slices"
	"strings"
)

// Env makes the command's environment from ours. Every RINGFENCE_ variable is
// taken out, since it may hold the store's password or the fence of an outer
// run, and so is what drop names; then add is put in, above what was there.
func Env(base []string, add map[string]string, drop ...string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := add[name]
		return replaced || strings.HasPrefix(name, "RINGFENCE_") || slices.Contains(drop, name)
	})
	for _, name := range slices.Sorted(maps.Keys(add)) {
		env = append(env, name+"="+add[name])
	}
	return env
}
