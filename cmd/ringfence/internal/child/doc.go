// Package child runs one command as a process tree that does not outlive its
// permission.
//
// [Start] puts the command into a process group of its own and [Process.Wait]
// watches over it: signals that reach this process are passed on to the group;
// at the end, whoever brings it about, every process of the tree gets TERM, then
// KILL, and Wait returns when none is left. So a lease that is released after
// Wait has no late writer behind it.
//
// The tree is everything that descends from the command. On Linux this process
// becomes the reaper of orphans, so a daemon that forked twice or opened a
// session of its own still belongs to the tree, and a KILL of this process takes
// the command with it. What gets away on Linux: work handed to another service
// (cron, systemd, a container engine), a process that runs as another user and
// may not be signalled (it is reported), and the command's own children when
// this process itself dies by KILL; with [Command.Isolate] only the first of
// these. On macOS an orphan that has also left the process group gets away as
// well, and the command outlives a KILL of this process. The destination's guard
// is what refuses such a writer.
//
// A process supervises one tree at a time and starts no other children
// meanwhile. Those it had before are left alone, but where this process reaps
// orphans, one that such a child leaves behind meanwhile counts as the command's
// and is ended with it.
package child
