// Package syntax is what the front-ends of most languages share: a tokenizer that
// is driven by a table, and a tolerant parser of expressions.
//
// It reads what a reviewer has to see, calls with their arguments, strings with
// what is interpolated into them, assignments, lambdas, and it never gives up on
// a file: what it does not understand becomes ir.Bad, and it goes on with the next
// token. Every step consumes a token or ends a loop, and nesting is bounded, so
// that no input holds it up.
package syntax
