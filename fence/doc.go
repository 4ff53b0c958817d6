// Package fence holds what travels with a protected write: the token that only
// ever rises, the fence that binds it to a name, and the verdict that the
// written resource answers.
//
// It is a leaf: a destination that wants to check a fence needs this package
// and nothing else of the project. It reads no clock and opens no connection.
package fence
