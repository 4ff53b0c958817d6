package realserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func findEtcd(program, debian string) (string, error) {
	if sigPause == syscall.Signal(0) {
		return "", errors.New("real servers are started on Linux and macOS only")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s 3.4 or later is not installed: %s", program, howTo(debian, "etcd"))
	}
	return path, nil
}

// etcdCluster is one cluster with its files.
type etcdCluster struct {
	bin, dir string
	settings []string
	dog      *watchdog
	members  []*etcdMember
}

type etcdMember struct {
	name         string
	data, log    string
	client, peer int      // ports
	main         *process // nil while it is down
}

func (m *etcdMember) pid() int        { return m.main.cmd.Process.Pid }
func (m *etcdMember) url() string     { return "http://" + address(m.client) }
func (m *etcdMember) peerURL() string { return "http://" + address(m.peer) }

func newEtcdCluster(bin string, members int, settings []string) (*etcdCluster, error) {
	dir, err := os.MkdirTemp("", "ringfence-etcd-")
	if err != nil {
		return nil, err
	}
	dog, err := startWatchdog(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c := &etcdCluster{bin: bin, dir: dir, settings: settings, dog: dog}
	for i := range members {
		name := fmt.Sprint("m", i)
		m := &etcdMember{name: name, data: filepath.Join(c.data(), name), log: filepath.Join(dir, name+".log")}
		for _, port := range []*int{&m.client, &m.peer} {
			if *port, err = freePort(); err != nil {
				c.close()
				return nil, err
			}
		}
		c.members = append(c.members, m)
	}
	return c, nil
}

func (c *etcdCluster) data() string { return filepath.Join(c.dir, "data") }

func (c *etcdCluster) initial() string {
	var all []string
	for _, m := range c.members {
		all = append(all, m.name+"="+m.peerURL())
	}
	return strings.Join(all, ",")
}

func (c *etcdCluster) start() error {
	for _, m := range c.members {
		if m.main == nil {
			if err := c.startMember(m); err != nil {
				return err
			}
		}
	}
	for _, m := range c.members {
		if err := c.waitReady(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *etcdCluster) startMember(m *etcdMember) error {
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(c.bin, append([]string{
		"--name=" + m.name, "--data-dir=" + m.data,
		"--listen-client-urls=" + m.url(), "--advertise-client-urls=" + m.url(),
		"--listen-peer-urls=" + m.peerURL(), "--initial-advertise-peer-urls=" + m.peerURL(),
		"--initial-cluster=" + c.initial(), "--initial-cluster-token=ringfence", "--initial-cluster-state=new",
		"--heartbeat-interval=50", "--election-timeout=500", "--logger=zap", "--log-level=warn",
	}, c.settings...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.dir} // none of ETCD_*
	cmd.Stdout, cmd.Stderr = log, log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	m.main = &process{cmd: cmd, ended: make(chan struct{})}
	go func(p *process) { _ = p.cmd.Wait(); close(p.ended) }(m.main)
	return c.tellWatchdog()
}

func (c *etcdCluster) tellWatchdog() error {
	var pids []int
	for _, m := range c.members {
		if m.main != nil {
			pids = append(pids, m.pid())
		}
	}
	return c.dog.tell(pids...)
}

// waitReady waits until a member knows its leader.
func (c *etcdCluster) waitReady(m *etcdMember) error {
	err, ended := errors.New("no look yet"), false
	answers := until(startLimit, func() bool {
		select {
		case <-m.main.ended:
			ended = true
			return true
		default:
		}
		var state struct{ Health string }
		err = askHTTP(http.MethodGet, m.url()+"/health", "", &state)
		return err == nil && state.Health == "true"
	})
	if ended || !answers {
		return fmt.Errorf("etcd does not answer: %w; its log says:\n%s", err, tail(m.log))
	}
	return nil
}

// leader asks the first member that answers.
func (c *etcdCluster) leader() (int, error) {
	ids := map[string]int{}
	leader := ""
	for i, m := range c.members {
		var state struct {
			Header struct {
				MemberID string `json:"member_id"`
			}
			Leader string
		}
		if err := askHTTP(http.MethodPost, m.url()+"/v3/maintenance/status", "{}", &state); err != nil {
			return 0, err
		}
		ids[state.Header.MemberID] = i
		leader = state.Leader
	}
	i, ok := ids[leader]
	if !ok {
		return 0, errors.New("the cluster has no leader")
	}
	return i, nil
}

// askHTTP asks a member through its HTTP gateway.
func askHTTP(method, url, body string, answer any) error {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Timeout: 2 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func (c *etcdCluster) end(i int, how syscall.Signal) error {
	m := c.members[i]
	if m.main == nil {
		return nil
	}
	if err := errors.Join(signal(how, m.pid()), signal(sigResume, m.pid())); err != nil { // it may be paused
		return err
	}
	select {
	case <-m.main.ended:
	case <-time.After(stopLimit):
		return fmt.Errorf("etcd did not end within %s of %s", stopLimit, how)
	}
	m.main = nil
	return c.tellWatchdog()
}

func (c *etcdCluster) control(bin string, args ...string) error {
	cmd := exec.Command(bin, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.dir, "ETCDCTL_API=3"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("etcdctl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// close ends all members and removes the files.
func (c *etcdCluster) close() {
	for i := range c.members {
		_ = c.end(i, sigKill) // what this leaves, the watchdog ends
	}
	c.dog.finish()
}
