package realserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

var mariaPrograms = []string{"mariadbd", "mariadb-install-db", "mariadb"}

// findMariaDB returns the paths of the programs, in the order of mariaPrograms.
func findMariaDB() ([]string, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range mariaPrograms {
		path, err := exec.LookPath(name)
		if err != nil {
			path, err = exec.LookPath("/usr/sbin/" + name)
		}
		if err != nil {
			return nil, fmt.Errorf("MariaDB 10.6 or later is not installed: %s", howTo("mariadb-server", "mariadb"))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// mariaProcess is one MariaDB with its files.
type mariaProcess struct {
	*home // holds data/, the log and the socket
	*child
	bin      []string
	account  *account
	port     int
	password string
	settings []string
	env      []string
}

func newMariaProcess(o MariaDBOptions) (*mariaProcess, error) {
	bin, err := findMariaDB()
	if err != nil {
		return nil, err
	}
	who, err := serverAccount()
	if err != nil {
		return nil, err
	}
	h, err := newHome("mariadb")
	if err != nil {
		return nil, err
	}
	p := &mariaProcess{home: h, child: h.add("mariadb", filepath.Join(h.dir, "log.err")), bin: bin, account: who, password: rand.Text()}
	if !o.Durable {
		// Commits still reach the system's memory, so that a kill loses none.
		p.settings = []string{"innodb-flush-log-at-trx-commit=2", "innodb-doublewrite=0", "innodb-flush-method=nosync"}
	}
	p.settings = append(p.settings, o.Settings...)
	if err := errors.Join(who.own(h.dir), p.setClock(o.FakeTime)); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// setClock holds from the next start on.
func (p *mariaProcess) setClock(fakeTime string) (err error) {
	p.env, err = fakeClock(fakeTime)
	return err
}

func (p *mariaProcess) data() string { return filepath.Join(p.dir, "data") }

// command prepares a program of MariaDB's to run as the server's account, with no
// configuration but ours.
func (p *mariaProcess) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, append([]string{"--no-defaults"}, args...)...)
	p.account.run(cmd)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin:" + filepath.Dir(path), "HOME=" + p.dir, "LC_ALL=C", "TZ=America/New_York"}
	return cmd
}

// mariaTemplate has an empty data folder, made once in a test binary: to make one takes
// ten times as long as to copy it. Its watchdog removes it with the test binary.
var mariaTemplate = sync.OnceValues(func() (*mariaProcess, error) {
	p, err := newMariaProcess(MariaDBOptions{})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	out, err := p.command(ctx, p.bin[1], "--datadir="+p.data(), "--skip-test-db", "--auth-root-authentication-method=normal",
		"--skip-name-resolve", "--innodb-log-file-size=4M").CombinedOutput()
	if err != nil {
		p.close()
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	return p, nil
})

// initialize makes an empty server's files.
func (p *mariaProcess) initialize() error {
	from, err := mariaTemplate()
	if err != nil {
		return err
	}
	if err := os.CopyFS(p.data(), os.DirFS(from.data())); err != nil {
		return err
	}
	secret := filepath.Join(p.dir, "init.sql")
	text := ""
	for _, host := range []string{"localhost", "127.0.0.1"} { // a statement takes one line, and a line one statement
		text += "ALTER USER root@'" + host + "' IDENTIFIED BY '" + p.password + "';\n"
	}
	if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
		return err
	}
	return filepath.Walk(p.dir, func(path string, _ os.FileInfo, err error) error {
		return errors.Join(err, p.account.own(path))
	})
}

// start starts the server and waits until it answers. The port is chosen at the
// first start and kept, so that a client finds the server again.
func (p *mariaProcess) start() error {
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
	args := append([]string{
		"--datadir=" + p.data(), "--port=" + strconv.Itoa(p.port), "--bind-address=127.0.0.1", "--skip-name-resolve",
		"--socket=" + filepath.Join(p.dir, "socket"), "--pid-file=" + filepath.Join(p.dir, "pid"), "--init-file=" + filepath.Join(p.dir, "init.sql"),
		"--log-error=" + p.log, "--tmpdir=" + p.dir, "--innodb-log-file-size=4M", "--innodb-buffer-pool-size=16M",
		"--key-buffer-size=1M", "--aria-pagecache-buffer-size=1M", "--max-connections=300", "--default-storage-engine=MyISAM",
		"--character-set-server=latin1", "--innodb-buffer-pool-load-at-startup=0", "--innodb-buffer-pool-dump-at-shutdown=0",
	}, dashes(p.settings)...)
	cmd := p.command(context.Background(), p.bin[0], args...)
	cmd.Env = append(cmd.Env, p.env...)
	if err := p.child.start(cmd); err != nil {
		return err
	}
	// Only a server with our password answers.
	if err := p.waitReady(func() error { _, err := p.query("SELECT 1"); return err }); err != nil {
		return errors.Join(err, p.end(sigKill))
	}
	return nil
}

func dashes(settings []string) []string {
	args := make([]string, len(settings))
	for i, s := range settings {
		args[i] = "--" + s
	}
	return args
}

// query runs SQL by MariaDB's own client, through the socket.
func (p *mariaProcess) query(sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryLimit)
	defer cancel()
	cmd := p.command(ctx, p.bin[2], "--socket="+filepath.Join(p.dir, "socket"), "--user=root", "--batch", "--skip-column-names", "-e", sql)
	cmd.Env = append(cmd.Env, "MYSQL_PWD="+p.password)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s\nin: %s", err, strings.TrimSpace(complaint.String()), sql)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
