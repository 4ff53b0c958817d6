// Package proof proves the five promises that the rest stands on, on real
// stores, with real processes and servers.
//
// Each proof is one function of a system under test, and returns what it found
// wrong. The real system must be found right. Its twin is the same system
// without the mechanism, and the same proof must find exactly the harm that the
// mechanism is there to prevent: a proof that can't fail proves nothing.
package proof
