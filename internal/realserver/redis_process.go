package realserver

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func findRedis() (string, error) {
	if err := supported(); err != nil {
		return "", err
	}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("Redis 6.2 or later is not installed: %s", howTo("redis-server", "redis"))
}

// redisProcess is one Redis with its files.
type redisProcess struct {
	*home
	*child
	bin      string
	port     int
	bus      int // of a cluster
	password string
	config   []string
}

func newRedisProcess(bin string, o RedisOptions) (*redisProcess, error) {
	h, err := newHome("redis")
	if err != nil {
		return nil, err
	}
	p := &redisProcess{home: h, child: h.add("redis", filepath.Join(h.dir, "log")), bin: bin, password: rand.Text()}
	p.config = []string{
		"bind 127.0.0.1", "dir " + h.dir, "logfile " + p.log, "save \"\"",
		"requirepass " + p.password, "repl-diskless-sync-delay 0", "repl-diskless-sync yes",
	}
	if o.Durable {
		p.config = append(p.config, "appendonly yes", "appendfsync always")
	}
	p.config = append(p.config, o.Settings...)
	if !o.Cluster {
		return p, nil
	}
	p.bus, err = freePort() // by default 10,000 above the other one, where outgoing connections are
	p.config = append(p.config, "cluster-enabled yes", "cluster-node-timeout 1000", "cluster-port "+strconv.Itoa(p.bus))
	return p, err
}

// start starts the server and waits until it answers. The port is chosen at the
// first start and kept, so that a client finds the server again.
func (p *redisProcess) start() error {
	if p.main != nil {
		return errors.New("the server is running")
	}
	if p.port == 0 {
		port, err := freePort()
		if err != nil {
			return err
		}
		p.port = port
	}
	file := filepath.Join(p.dir, "redis.conf")
	text := strings.Join(append(p.config, "port "+strconv.Itoa(p.port)), "\n") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(p.bin, file)
	ownGroup(cmd)
	if err := p.child.start(cmd); err != nil {
		return err
	}
	return p.waitReady(func() error { _, err := p.exec("PING"); return err })
}

// exec sends one command on a connection of its own.
func (p *redisProcess) exec(command ...string) (string, error) {
	conn, err := net.DialTimeout("tcp", address(p.port), time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(queryLimit)); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	if _, err := ask(conn, r, "AUTH", p.password); err != nil {
		return "", err
	}
	return ask(conn, r, command...)
}

// ask speaks RESP, the protocol of Redis.
func ask(w io.Writer, r *bufio.Reader, command ...string) (string, error) {
	text := fmt.Sprintf("*%d\r\n", len(command))
	for _, word := range command {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return "", err
	}
	out, err := readReply(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", command[0], err)
	}
	return out, nil
}

func readReply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	kind, rest := line[:min(1, len(line))], line[min(1, len(line)):]
	switch kind {
	case "+", ":":
		return rest, nil
	case "-":
		return "", errors.New(rest)
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		return "", err // a null
	}
	if kind == "$" {
		text := make([]byte, n+2)
		_, err := io.ReadFull(r, text)
		return string(text[:n]), err
	}
	lines := make([]string, n)
	for i := range lines {
		if lines[i], err = readReply(r); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, "\n"), nil
}
