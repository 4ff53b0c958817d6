package realserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// How long a step of a server may take on a busy machine.
const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
	queryLimit = 30 * time.Second
	pollEvery  = 10 * time.Millisecond
)

// cluster is one PostgreSQL with its files. Its methods return errors; PG turns
// them into failures of a test.
type cluster struct {
	bin      string   // folder of the programs
	dir      string   // holds data/, log and the password
	account  *account // whom it runs as
	port     int
	password string
	settings []string // name=value
	env      []string // what its environment has beyond the programs' own
	dog      *watchdog
	main     *process // nil while it is down
	paused   []int    // stopped processes other than the main one
}

// newCluster makes the folder and its watchdog, and no files yet.
func newCluster(bin string, who *account, o PostgresOptions) (*cluster, error) {
	h, err := newHome("postgres")
	if err != nil {
		return nil, err
	}
	c := &cluster{bin: bin, dir: h.dir, account: who, password: rand.Text(), settings: o.Settings, dog: h.dog}
	if !o.Durable {
		// Commits still reach the system's memory, so a kill of all processes loses none.
		c.settings = append([]string{"fsync=off", "full_page_writes=off"}, c.settings...)
	}
	if err := errors.Join(who.own(h.dir), c.setClock(o.FakeTime)); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// setClock holds from the next start on.
func (c *cluster) setClock(fakeTime string) (err error) {
	c.env, err = fakeClock(fakeTime)
	return err
}

// fakeClock is the environment of a server with another clock; see
// PostgresOptions.FakeTime.
func fakeClock(fakeTime string) ([]string, error) {
	if fakeTime == "" {
		return nil, nil
	}
	library, err := findFaketime()
	if err != nil {
		return nil, err
	}
	return []string{
		"LD_PRELOAD=" + library,
		"FAKETIME=" + fakeTime,
		"FAKETIME_DONT_FAKE_MONOTONIC=1", // its waits would go wrong
	}, nil
}

func (c *cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *cluster) logFile() string { return filepath.Join(c.dir, "log") }

// command prepares a program of PostgreSQL's to run as the server's account,
// with nothing of our environment that could lead it elsewhere.
func (c *cluster) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, program), args...)
	c.account.run(cmd)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + c.bin + ":/usr/bin:/bin", "HOME=" + c.dir, "LC_ALL=C", "TZ=UTC",
		"PGPASSWORD=" + c.password, "PGCONNECT_TIMEOUT=10", "PGSSLMODE=disable",
	}
	return cmd
}

// output runs a program to its end and returns what it printed.
func (c *cluster) output(program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var out, complaint bytes.Buffer
	cmd := c.command(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// initialize makes an empty cluster, which takes less than a second.
func (c *cluster) initialize() error {
	secret := filepath.Join(c.dir, "password")
	if err := os.WriteFile(secret, []byte(c.password), 0o600); err != nil {
		return err
	}
	if err := c.account.own(secret); err != nil {
		return err
	}
	_, err := c.output("initdb", "--pgdata="+c.data(), "--username=postgres", "--pwfile="+secret,
		"--auth=scram-sha-256", "--no-sync", "--no-instructions", "--encoding=UTF8",
		"--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
	return err
}

func (c *cluster) query(port int, database, sql string) (string, error) {
	out, err := c.output("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
		"-h", "127.0.0.1", "-p", strconv.Itoa(port), "-U", "postgres", "-d", database, "-c", sql)
	if err != nil {
		return "", fmt.Errorf("%w\nin: %s", err, sql)
	}
	return out, nil
}

// waitFor asks again and again until the answer is t, PostgreSQL's true.
func (c *cluster) waitFor(sql string) error {
	var out string
	var err error
	if until(queryLimit, func() bool {
		out, err = c.query(c.port, "postgres", sql)
		return err == nil && out == "t"
	}) {
		return nil
	}
	return fmt.Errorf("not true within %s (last answer %q, last error %v): %s", queryLimit, out, err, sql)
}

// until looks again and again whether done has come true, and gives up at the limit.
func until(limit time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(limit); !done(); time.Sleep(pollEvery) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func (c *cluster) url(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword("postgres", c.password),
		Host:     address(c.port),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// logTail returns the end of the server's log.
func (c *cluster) logTail() string { return tail(c.logFile()) }

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort finds a port below those that a system gives to outgoing
// connections, so that none takes it while its server is down.
func freePort() (int, error) {
	var err error
	for range 100 {
		port := 20000 + mathrand.IntN(12000)
		var l net.Listener
		if l, err = net.Listen("tcp", address(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}
