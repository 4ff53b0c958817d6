// Package guard decides at the written resource whether a write counts.
//
// A lease can end while its holder is paused, and nothing can stop the holder
// from waking up and writing. So the resource itself keeps a mark, the highest
// token that it has admitted or established, and compares it in the same atomic
// step as the write. This package holds what all guards share: the rules, the
// mark, and the decision as a pure function without clock, lock or connection.
// The packages below it bring the decision to a destination: guard/sqlguard to
// SQLite, PostgreSQL and MySQL, guard/tableguard into these databases themselves,
// guard/fileguard to files and folders, guard/redisguard to Redis,
// guard/etcdguard to etcd, and guard/s3guard to object stores that speak S3.
// guard/httpguard carries a fence to a service that has one of them. Where writers
// are not trusted, a [Door] stands before any of these and verifies who has signed
// the fence.
//
// A term begins at a resource with [Establish], which raises the mark before
// the holder reads what it will change; from then on nothing older can land.
// Each write is then judged by [Decide]. After a lost answer [Resolve] finds out
// whether a write landed. A limit to the age of what a write was computed from is a
// rule of its own beside the fence: [Freshness].
//
// To guard a destination of your own, keep a [Mark] as durable as the data,
// and in one atomic step load it, decide, and store the new mark together with
// the data. guard/guardtest checks the result.
package guard
