// Package script runs SQL as it stands in a file, in one transaction with the guard's
// decision. Each database takes the text apart itself, so that whatever it accepts in
// a string, a comment or the body of a function is no end of a statement here either.
package script
