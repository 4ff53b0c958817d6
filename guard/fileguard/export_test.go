package fileguard

import (
	"context"
	"os"
)

// At calls f at each point of a publication where a crash could leave something half
// done.
func At(f func(point string)) { at = f }

// Lock holds the lock of a guard, as another process would.
func (g *Guard) Lock() (unlock func(), err error) {
	s, err := g.open(context.Background())
	if err != nil {
		return nil, err
	}
	return s.close, nil
}

// OnFlush calls f with the name of each file before it is brought to the disk, until restore.
func OnFlush(f func(name string)) (restore func()) {
	before := flush
	flush = func(file *os.File) error {
		f(file.Name())
		return before(file)
	}
	return func() { flush = before }
}
