// Package ir is what rules see of a program: one small tree for every language.
//
// A front-end (see package lang) lowers a file into it. It keeps what a lock's
// life consists of, calls with their receivers and arguments, assignments,
// branches, handlers, blocks and returns, and drops the rest. A reference to the
// object that a method belongs to is the name "this" everywhere, interpolated
// text is a String with its holes as arguments, and a block that is passed to a
// call is a Lambda among the arguments.
//
// Positions are byte offsets into the source of the file.
package ir
