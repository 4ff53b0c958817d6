// Package runner reviews files: it finds them, reads them within bounds, hands the
// files of a folder to the rules together, and drops what is suppressed, known, or
// not asked for.
//
// It never runs, imports or downloads what it reviews.
package runner
