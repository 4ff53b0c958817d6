package realserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// findZooKeeper returns the program java and the class path of a ZooKeeper.
func findZooKeeper() (java, jars string, err error) {
	if err := supported(); err != nil {
		return "", "", err
	}
	if java, err = exec.LookPath("java"); err != nil {
		return "", "", fmt.Errorf("no Java is installed: %s", howTo("default-jre-headless", "openjdk"))
	}
	const debian = "/usr/share/java/zookeeper.jar"
	if _, err := os.Stat(debian); err == nil {
		return java, debian + ":/usr/share/java/slf4j-simple.jar", nil
	}
	for _, pattern := range []string{"/opt/homebrew/opt/zookeeper/libexec/lib", "/usr/local/opt/zookeeper/libexec/lib"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return java, found[0] + "/*", nil
		}
	}
	return "", "", fmt.Errorf("ZooKeeper 3.6 or later is not installed: %s", howTo("libzookeeper-java", "zookeeper"))
}

// sigTerm asks a JVM to end in order. It ignores an interrupt where its parent does.
const sigTerm = syscall.SIGTERM

// ensemble is one ZooKeeper ensemble with its files.
type ensemble struct {
	*home
	java, jars string
	settings   []string
	members    []*zooMember
}

type zooMember struct {
	*child
	id                     int    // as in zoo.cfg, from 1 on
	dir                    string // of its configuration and its log
	data                   string
	client, peer, election int // ports
	fakeTime               string
}

func newEnsemble(java, jars string, members int, settings []string) (*ensemble, error) {
	h, err := newHome("zookeeper")
	if err != nil {
		return nil, err
	}
	e := &ensemble{home: h, java: java, jars: jars, settings: settings}
	for i := range members {
		name := fmt.Sprint("m", i)
		m := &zooMember{id: i + 1, dir: filepath.Join(h.dir, name), data: filepath.Join(e.data(), name)}
		m.child = h.add("ZooKeeper", filepath.Join(m.dir, "log"))
		if err := freePorts(&m.client, &m.peer, &m.election); err != nil {
			e.close()
			return nil, err
		}
		e.members = append(e.members, m)
	}
	return e, nil
}

func (e *ensemble) data() string { return filepath.Join(e.dir, "data") }

func (e *ensemble) start() error {
	for _, m := range e.members {
		if m.main == nil {
			if err := e.startMember(m); err != nil {
				return err
			}
		}
	}
	for _, m := range e.members {
		if err := m.waitReady(func() error { _, err := m.mode(); return err }); err != nil {
			return err
		}
	}
	return nil
}

func (e *ensemble) startMember(m *zooMember) error {
	config, err := e.configure(m)
	if err != nil {
		return err
	}
	cmd := exec.Command(e.java, "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxn=error",   // says when a client leaves
		"-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.ZooKeeperServer=error", // and when one comes
		"-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=256",
		"-cp", e.jars, "org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + e.dir}
	if m.fakeTime != "" {
		library, err := findFaketime()
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+library, "FAKETIME="+m.fakeTime)
	}
	ownGroup(cmd)
	return m.startLogged(cmd)
}

// configure writes what a member reads at its start, and returns its zoo.cfg.
func (e *ensemble) configure(m *zooMember) (string, error) {
	lines := []string{
		"tickTime=500", "initLimit=20", "syncLimit=6", "dataDir=" + m.data,
		fmt.Sprint("clientPort=", m.client), "clientPortAddress=127.0.0.1",
		"admin.enableServer=false", "4lw.commands.whitelist=*", "maxClientCnxns=0",
	}
	if len(e.members) > 1 {
		for _, other := range e.members {
			lines = append(lines, fmt.Sprintf("server.%d=127.0.0.1:%d:%d", other.id, other.peer, other.election))
		}
	}
	file := filepath.Join(m.dir, "zoo.cfg")
	text := strings.Join(append(lines, e.settings...), "\n") + "\n"
	return file, errors.Join(os.MkdirAll(m.dir, 0o700), os.MkdirAll(m.data, 0o700),
		os.WriteFile(file, []byte(text), 0o600),
		os.WriteFile(filepath.Join(m.data, "myid"), fmt.Append(nil, m.id), 0o600))
}

// mode is what a member serves as: leader, follower or standalone.
func (m *zooMember) mode() (string, error) {
	conn, err := net.DialTimeout("tcp", address(m.client), 2*time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		return "", err
	}
	_, mode, serves := strings.Cut(string(text), "Mode: ")
	mode, _, _ = strings.Cut(mode, "\n")
	if !serves {
		return "", fmt.Errorf("it says %q", text)
	}
	return mode, nil
}

// leader asks all members, of which some may be down.
func (e *ensemble) leader() (int, error) {
	var errs []error
	for i, m := range e.members {
		mode, err := m.mode()
		if mode == "leader" || mode == "standalone" {
			return i, nil
		}
		errs = append(errs, err)
	}
	return 0, fmt.Errorf("the ensemble has no leader: %w", errors.Join(errs...))
}
