package session

import (
	"maps"
	"slices"
	"strings"
)

// PGOptions is the variable PGOPTIONS with settings added to what base holds. A setting
// takes the place of one of the same name, which an outer run may have put there; an
// empty value only takes it away.
func PGOptions(base string, settings map[string]string) string {
	var kept []string
	args := splitOptions(base)
	for i := 0; i < len(args); i++ {
		option := args[i : i+1]
		if args[i] == "-c" && i+1 < len(args) {
			option = args[i : i+2]
			i++
		}
		if _, ours := settings[settingIn(option)]; !ours {
			kept = append(kept, option...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if value := settings[name]; value != "" {
			kept = append(kept, "-c", name+"="+value)
		}
	}
	return joinOptions(kept)
}

// settingIn is the name of the setting that an option of the server sets, in one of the
// forms -c NAME=VALUE, -cNAME=VALUE and --NAME=VALUE.
func settingIn(option []string) string {
	word := option[len(option)-1]
	if len(option) == 1 {
		long, isLong := strings.CutPrefix(word, "--")
		short, isShort := strings.CutPrefix(word, "-c")
		switch {
		case isLong:
			word = long
		case isShort:
			word = short
		}
	}
	name, _, _ := strings.Cut(word, "=")
	return strings.ToLower(strings.ReplaceAll(name, "-", "_"))
}

// spaces are what separates the words of PGOPTIONS, unless a backslash stands before it.
const spaces = " \t\n\v\f\r"

// splitOptions reads the words of PGOPTIONS as the server does.
func splitOptions(options string) (words []string) {
	var word strings.Builder
	inside, escaped := false, false
	for _, b := range []byte(options) {
		switch {
		case !escaped && b == '\\':
			escaped, inside = true, true
		case !escaped && strings.IndexByte(spaces, b) >= 0:
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteByte(b)
			escaped, inside = false, true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}

func joinOptions(words []string) string {
	var s strings.Builder
	for i, word := range words {
		if i > 0 {
			s.WriteByte(' ')
		}
		for _, b := range []byte(word) {
			if b == '\\' || strings.IndexByte(spaces, b) >= 0 {
				s.WriteByte('\\')
			}
			s.WriteByte(b)
		}
	}
	return s.String()
}
