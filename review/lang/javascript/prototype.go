package javascript

import "github.com/ringfence-go/ringfence/review/ir"

// prototypes names the functions of a file that are given to members, and makes classes of
// what has a prototype: Closer.prototype.begin = function (done) {}.
func prototypes(f *ir.File) {
	classes := map[string]*ir.Class{}
	for _, s := range f.Top().Body {
		if s.Does != ir.Let || len(s.To) != 1 || s.To[0].Kind != ir.Member || s.X == nil {
			continue
		}
		to := s.To[0]
		switch {
		case s.X.Kind == ir.Lambda && s.X.Func.Name == "":
			s.X.Func.Name = to.Name
			if to.X.Kind == ir.Member && to.X.Name == "prototype" {
				method(f, classes, to.X.X.Path(), to.Name, s.X)
			}
		case s.X.Kind == ir.Map && to.Name == "prototype":
			for i, a := range s.X.Args {
				if a.Kind == ir.Lambda {
					method(f, classes, to.X.Path(), s.X.Key(i), a)
				}
			}
		}
	}
	for _, fn := range f.Funcs[1:] { // what makes an object
		if c := classes[fn.Name]; c != nil && fn.Class == nil && fn.Outer == f.Top() {
			fn.Class = c
			c.Methods = append(c.Methods, fn)
		}
	}
}

func method(f *ir.File, classes map[string]*ir.Class, class, name string, x *ir.Expr) {
	c := classes[class]
	if c == nil {
		c = &ir.Class{Name: class, Pos: x.Pos}
		classes[class] = c
		f.Classes = append(f.Classes, c)
	}
	x.Func.Name, x.Func.Class = name, c
	c.Methods = append(c.Methods, x.Func)
}
