// Package filejournal keeps a journal in a file: one event a line, as JSON, on the
// clock of the machine that wrote it.
//
//	j := filejournal.Open("/var/log/ringfence/journal", nil)
//
// Several processes of one machine may write it at once; they take turns by the lock
// on FILE.lock. When the file has grown to its limit it becomes FILE.1, in place of the
// one before. A line that a crash cut off, or that something else wrote, is reported to
// readers and left out, and what comes after it is read.
package filejournal
