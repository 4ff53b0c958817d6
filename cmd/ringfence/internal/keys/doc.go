// Package keys keeps the keys of an authority in a file: one that signs, those before
// it, which still verify, and the next one, which verifies already.
package keys
