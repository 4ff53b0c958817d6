// Package gcstest is a server for tests that answers the requests of the JSON API of
// Google Cloud Storage which package gcs sends, as Google documents them: uploads with
// ifGenerationMatch, reads, lists, settings of a bucket. It is not Google's, and proves
// nothing about Google's; its clock can be set and its answers can be broken, which
// Google's can't.
package gcstest
