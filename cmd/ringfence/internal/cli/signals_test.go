package cli

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestSignalsThatComeTogether: none is lost behind others that nobody has looked at yet. It
// runs alone, since every test of this process gets the signals.
func TestSignalsThatComeTogether(t *testing.T) {
	sent := []syscall.Signal{syscall.SIGHUP, syscall.SIGHUP, syscall.SIGTERM}
	arrived := make(chan os.Signal, len(sent))
	signal.Notify(arrived, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(arrived)
	early := catchEarly(t.Context())
	defer early.stop()
	early.release()
	early.mu.Lock() // so that it can't look at what comes
	for _, s := range sent {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		for got := <-arrived; got != s; {
			got = <-arrived
		}
	}
	early.mu.Unlock()
	for deadline := time.Now().Add(time.Minute); ; {
		early.mu.Lock()
		passed := early.passed
		early.mu.Unlock()
		if passed == syscall.SIGTERM {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("TERM was lost")
		}
	}
}
