package realserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func findEtcd(program, debian string) (string, error) {
	if err := supported(); err != nil {
		return "", err
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s 3.4 or later is not installed: %s", program, howTo(debian, "etcd"))
	}
	return path, nil
}

// etcdCluster is one cluster with its files.
type etcdCluster struct {
	*home
	bin      string
	settings []string
	members  []*etcdMember
}

type etcdMember struct {
	*child
	name, data   string
	client, peer int // ports
}

func (m *etcdMember) url() string     { return "http://" + address(m.client) }
func (m *etcdMember) peerURL() string { return "http://" + address(m.peer) }

func newEtcdCluster(bin string, members int, settings []string) (*etcdCluster, error) {
	h, err := newHome("etcd")
	if err != nil {
		return nil, err
	}
	c := &etcdCluster{home: h, bin: bin, settings: settings}
	for i := range members {
		name := fmt.Sprint("m", i)
		m := &etcdMember{child: h.add("etcd", filepath.Join(h.dir, name+".log")), name: name, data: filepath.Join(c.data(), name)}
		if err := freePorts(&m.client, &m.peer); err != nil {
			c.close()
			return nil, err
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
		if err := m.waitReady(m.healthy); err != nil {
			return err
		}
	}
	return nil
}

func (c *etcdCluster) startMember(m *etcdMember) error {
	cmd := exec.Command(c.bin, append([]string{
		"--name=" + m.name, "--data-dir=" + m.data,
		"--listen-client-urls=" + m.url(), "--advertise-client-urls=" + m.url(),
		"--listen-peer-urls=" + m.peerURL(), "--initial-advertise-peer-urls=" + m.peerURL(),
		"--initial-cluster=" + c.initial(), "--initial-cluster-token=ringfence", "--initial-cluster-state=new",
		"--heartbeat-interval=50", "--election-timeout=500", "--logger=zap", "--log-level=warn",
	}, c.settings...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.dir} // none of ETCD_*
	ownGroup(cmd)
	return m.startLogged(cmd)
}

// healthy says why a member does not know its leader.
func (m *etcdMember) healthy() error {
	var state struct{ Health string }
	if err := askHTTP(http.MethodGet, m.url()+"/health", "", &state); err != nil {
		return err
	}
	if state.Health != "true" {
		return fmt.Errorf("its health is %q", state.Health)
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

func (c *etcdCluster) control(bin string, args ...string) error {
	cmd := exec.Command(bin, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.dir, "ETCDCTL_API=3"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("etcdctl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
