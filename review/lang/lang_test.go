package lang_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
	"github.com/ringfence-go/ringfence/review/lock"
)

// samples are the cases of the rules: a few files of each language.
func samples(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	err := filepath.WalkDir("../rules/testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && lang.Of(path, nil) != "" {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || len(out) < 10 {
		t.Fatalf("found %d samples: %v", len(out), err)
	}
	return out
}

func build(path string, src []byte) *lock.Unit {
	return lock.NewUnit([]*ir.File{lang.Parse(lang.Of(path, src), path, src)})
}

// TestBroken reads each sample cut off, with a piece left out, with carriage returns,
// with bytes that are no text. None may end in a panic or not at all.
func TestBroken(t *testing.T) {
	t.Parallel()
	for path, src := range samples(t) {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			step := max(1, len(src)/24)
			for i := 0; i < len(src); i += step {
				build(path, src[:i])
				build(path, append(append([]byte{}, src[:i]...), src[min(len(src), i+step/2+1):]...))
				build(path, append(append([]byte{}, src[:i]...), append([]byte{0xff, 0x00, '"', '{', 0xfe}, src[i:]...)...))
			}
		})
	}
}

// TestSameWithOtherLineEnds reads a sample with carriage returns and a byte order
// mark: it has the same functions and locks.
func TestSameWithOtherLineEnds(t *testing.T) {
	t.Parallel()
	for path, src := range samples(t) {
		plain := build(path, src)
		odd := build(path, []byte("\ufeff"+strings.ReplaceAll(string(src), "\n", "\r\n")))
		if len(plain.Functions) != len(odd.Functions) || len(plain.Locks) != len(odd.Locks) {
			t.Errorf("%s: %d functions and %d locks became %d and %d", path, len(plain.Functions), len(plain.Locks), len(odd.Functions), len(odd.Locks))
		}
	}
}

// TestDeep reads what is nested without end.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x.go", "x.py", "x.js", "x.ts", "x.java", "x.rb", "x.php", "x.lua", "x.sh", "x.sql"} {
		for _, piece := range []string{"(", "[", "{", "((", "f(", "if (", "a ? ", "!", "-", "x => ", "{a: ", "`${", "[x for x in ", "not ", "begin ", "function(", "case ", "a.b(c, ", "<", "\"#{", "case when "} {
			build(name, []byte("<?php lock "+strings.Repeat(piece, 1000)))
			build(name, []byte("lock = "+strings.Repeat(piece, 1000)))
		}
	}
}

// TestSelfReference follows values that are made of themselves.
func TestSelfReference(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("  lock = lock + lock.next(lock) + key\n  key = key + lock\n", 200)
	build("x.py", []byte("def f(key):\n"+body+"  r.set(lock, key, nx=True)\n"))
	build("x.go", []byte("package p\nfunc f(key string) {\n lock := key\n"+strings.Repeat("lock = lock.a(lock).b(key + lock)\nkey = key + lock\n", 200)+"}\n"))
}

func TestOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]ir.Language{
		"a.go": ir.Go, "a.PY": ir.Python, "a.tsx": ir.JavaScript, "a.mjs": ir.JavaScript, "A.java": ir.Java, "a.rake": ir.Ruby,
		"a.php": ir.PHP, "a.lua": ir.Lua, "a.sh": ir.Shell, "a.sql": ir.SQL, "a.txt": "", "Makefile": "",
	} {
		if got := lang.Of(name, nil); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for head, want := range map[string]ir.Language{"#!/usr/bin/env python3\n": ir.Python, "#!/bin/sh\n": ir.Shell, "#!/usr/bin/ruby": ir.Ruby, "text": ""} {
		if got := lang.Of("script", []byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}

// BenchmarkParse reads ten thousand lines of each language.
func BenchmarkParse(b *testing.B) {
	for path, src := range samples(b) {
		lines := strings.Count(string(src), "\n")
		big := []byte(strings.Repeat(string(src)+"\n", 10000/lines+1))
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.SetBytes(int64(len(big)))
			for b.Loop() {
				lang.Parse(lang.Of(path, big), path, big)
			}
			b.ReportMetric(float64(b.N)*float64(strings.Count(string(big), "\n"))/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
