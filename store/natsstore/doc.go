// Package natsstore hosts leases in a NATS JetStream key-value bucket.
//
//	nc, err := nats.Connect(url)
//	...
//	js, err := jetstream.New(nc)
//	...
//	store, err := natsstore.Open(ctx, js, nil)
//
// It needs nats-server 2.11 or later, and makes its own bucket.
//
// # A step is a message
//
// The record of a name is one message, the last one on its subject. It holds the
// term before the step and the step that was asked for, such as "acquire for 30
// seconds", but not what came of it. That follows from the one thing the server
// adds when it stores the message, its own timestamp: step.apply is a pure
// function of the term before, the step and that timestamp, so that every reader
// comes to the same verdict, and no clock but the server's takes part.
//
// A message is stored only if the one before it is still the last on the subject.
// A read may therefore be as old as it likes: it leads to a refused write, and
// then to another read. A write that came too late is stored and changes nothing,
// because its timestamp says so.
//
// A step that succeeds is one conditional write and one read, which learns the
// timestamp; it begins with another read unless this store has just written the
// record itself.
//
// # Tokens
//
// The timestamp of a grant gives its token too: fence.Next of the token before,
// the floor, and the timestamp. See docs/adr/0005-nats.md for why the revision,
// which also rises, is not the token.
package natsstore
