// Package session hands a fence to programs that have never heard of one, through
// what their database's client reads from its environment.
package session
