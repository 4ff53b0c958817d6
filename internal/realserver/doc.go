// Package realserver starts the servers that the tests need, and breaks them:
// it restarts, kills, pauses and fails over a PostgreSQL of its own, moves its
// clock, and cuts the network in front of it.
//
// Only tests import it. Every server listens on a free loopback port with a
// random password (etcd asks for none), keeps its files in a temporary folder, and ends with the
// test that started it, or with the test binary, however that comes to its end
// (see watch.sh).
//
// # A missing server
//
// A test whose server is not installed is skipped and says which package to
// install. Where the environment has CI=true or RINGFENCE_REQUIRE_SERVERS=1 it
// fails instead, so that no run passes by leaving out what it was to prove.
//
// # Settings that find mistakes
//
// A PostgreSQL here sorts text by the rules of a language and lives in New
// York, so that a statement which relies on byte order or on UTC without saying
// so fails its test.
package realserver
