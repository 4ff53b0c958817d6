// Package gcs sends the few requests of the JSON API of Google Cloud Storage that a
// lease or a guard is made of, over an HTTP client that adds the credentials. It does no
// more than one request at a time and repeats none, so that its caller knows what may
// have been applied; and it shows the time of each answer. Google's own libraries
// show neither.
//
// A generation is the condition of a write: it is another one for each content of an
// object. It is opaque here. A metageneration is never looked at.
package gcs
