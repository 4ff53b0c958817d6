// Package publication puts a file or a folder where a guard decides who may: at a path,
// or in an object of a bucket.
package publication
