package ringfencetest_test

import (
	"fmt"
	"regexp"
	"testing"
)

// verbose is a test that says on standard output how it fails, for examples.
type verbose struct{ testing.TB }

func (verbose) Name() string   { return "Example" }
func (verbose) Helper()        {}
func (verbose) Cleanup(func()) {}

// token is a number that differs from run to run.
var token = regexp.MustCompile(`token \d+`)

func (verbose) Errorf(format string, a ...any) {
	fmt.Println("FAIL:", token.ReplaceAllString(fmt.Sprintf(format, a...), "token"))
}

func (v verbose) Fatalf(format string, a ...any) { v.Errorf(format, a...) }
