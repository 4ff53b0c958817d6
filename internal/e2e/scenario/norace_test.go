//go:build !race

package scenario

const slowed = false
