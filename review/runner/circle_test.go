package runner_test

import "testing"

// TestValuesAreMadeOfEachOther reviews two values of which each is read from the other.
func TestValuesAreMadeOfEachOther(t *testing.T) {
	t.Parallel()
	src := `package a

func (c *Lock) run(args []string) (err error) {
	if len(args) > 1 {
		row, flags, err = c.Find(args)
	}
	if err != nil && row != nil {
		c = row
	}
	row.held = true
	return row.Find(args)
}
`
	r := review(t, tree(t, map[string]string{"a.go": src, "b.py": unsafe}), nil)
	if paths(r) != "b.py" || len(r.Problems) > 0 {
		t.Errorf("found %q, told %v", paths(r), r.Problems)
	}
}

// TestNothingEndsByItself reviews functions that return what the other one makes, and classes
// of which each seems to extend the other: a stack that overflows ends the whole program.
func TestNothingEndsByItself(t *testing.T) {
	t.Parallel()
	functions := `import redis

def left(n):
    return right(n - 1)

def right(n):
    return left(n + 1)

def go():
    if redis.Redis().set("lock", 1, nx=True):
        left(3).send("x")
`
	classes := `class Lock < Entry
  def self.take
    Lock.where(name: 'x').first
  end
end

class Entry < Lock
  def take
    update!(name: 'y')
  end
end
`
	r := review(t, tree(t, map[string]string{"a.py": functions, "b.rb": classes}), nil)
	if paths(r) != "a.py" || len(r.Problems) > 0 {
		t.Errorf("found %q, told %v", paths(r), r.Problems)
	}
}
