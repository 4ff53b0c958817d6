// Package scenario replays on real stores the failures that broke other locks.
// docs/track-record.md lists them all, with those whose test stands elsewhere.
package scenario
