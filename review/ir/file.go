package ir

import (
	"sort"
	"strings"
)

// A Language is the name of a language, in lower case.
type Language string

// The languages that have a front-end.
const (
	Go         Language = "go"
	Python     Language = "python"
	JavaScript Language = "javascript" // TypeScript as well
	Java       Language = "java"
	Ruby       Language = "ruby"
	PHP        Language = "php"
	Lua        Language = "lua"
	Shell      Language = "shell"
	SQL        Language = "sql"
)

// A File is one source file.
type File struct {
	Path     string
	Language Language
	Source   []byte
	Imports  []Import
	Classes  []*Class
	Funcs    []*Func // every function and lambda of the file; Funcs[0] is what stands outside of any
	Comments []Comment
	Faults   []Fault // what could not be read; the rest was

	lines []Pos
}

// An Import says that Name stands for something of Path.
type Import struct {
	Path string // the module, package or class, as it is written
	Item string // what of it; "" for all
	Name string // what the file calls it; "" if it has no name of its own
}

// A Class is a class, a struct type, a module: what methods and fields belong to.
type Class struct {
	Name    string
	Bases   []string
	Fields  []Field
	Marks   []*Expr // decorators, annotations
	Methods []*Func
	Wants   []string // of an interface: the names of the methods that it asks for
	Pos     Pos
}

// A Field is a declared member of a class.
type Field struct {
	Name, Type string
	Value      *Expr // what it is declared with, or nil
}

// A Func is a function, a method, a lambda, a block, or the text of a file.
type Func struct {
	Name     string // "" for a lambda
	Class    *Class
	Params   []Param
	Results  []Param // what it returns, where the language says; nil in others, as for nothing
	Marks    []*Expr // decorators, annotations
	Body     []*Stmt
	Pos, End Pos
	Outer    *Func
	File     *File
	Short    bool // the value of its last statement is returned
}

// A Param is a parameter of a function.
type Param struct {
	Name, Type string
	Value      *Expr // its default, or nil
}

// A Comment is a comment, without its markers.
type Comment struct {
	Pos, End Pos
	Text     string
}

// A Fault is a place that could not be read, and why.
type Fault struct {
	Pos  Pos
	Text string
}

// Top is what stands outside of any function.
func (f *File) Top() *Func { return f.Funcs[0] }

// Position turns an offset into a line and a column, both from 1; the column
// counts bytes.
func (f *File) Position(p Pos) (line, column int) {
	if f.lines == nil {
		f.lines = []Pos{0}
		for i, b := range f.Source {
			if b == '\n' {
				f.lines = append(f.lines, Pos(i+1))
			}
		}
	}
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > p })
	return line, int(p-f.lines[line-1]) + 1
}

// Line is the text of a line, from 1.
func (f *File) Line(n int) string {
	f.Position(0)
	if n < 1 || n > len(f.lines) {
		return ""
	}
	rest := string(f.Source[f.lines[n-1]:min(len(f.Source), int(f.lines[n-1])+4096)])
	text, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(text, "\r")
}

// Imported finds what a name of the file stands for.
func (f *File) Imported(name string) (Import, bool) {
	for _, i := range f.Imports {
		if i.Name == name && name != "" {
			return i, true
		}
	}
	return Import{}, false
}
