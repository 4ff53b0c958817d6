package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imported are the packages that a snippet may name.
var imported = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "fmt": "fmt", "io": "io", "http": "net/http", "sql": "database/sql", "time": "time",
	"ringfence": "github.com/ringfence-go/ringfence", "election": "github.com/ringfence-go/ringfence/election",
	"fence": "github.com/ringfence-go/ringfence/fence", "guard": "github.com/ringfence-go/ringfence/guard",
	"clientv3": "go.etcd.io/etcd/client/v3", "redis": "github.com/redis/go-redis/v9",
	"aws": "github.com/aws/aws-sdk-go-v2/aws", "s3": "github.com/aws/aws-sdk-go-v2/service/s3",
}

func init() {
	for _, d := range destinations {
		if d.guard != "" {
			imported[d.guard] = "github.com/ringfence-go/ringfence/guard/" + d.guard
		}
	}
}

// theirs is what a snippet leaves to the program that it is pasted into.
const theirs = `
type step struct {
	ID    string
	Body  []byte
	Apply func(context.Context, *sql.Tx) error
}
`

var (
	clients = map[string]string{"redis": "redis.UniversalClient", "etcd": "*clientv3.Client", "s3": "*s3.Client", "gs": "*http.Client"}
	named   = regexp.MustCompile(`\b([a-z]\w*)\.[A-Z]`)
)

// program is a file of Go in which the snippet stands as it would be pasted.
func program(q Question, a Answer, number int) string {
	d, _ := lookUp(q.Destination)
	parameters := []string{"ctx context.Context", "locker *ringfence.Locker", "db *sql.DB", "send func(context.Context, string) error",
		"day, etag, generation, was string", "body []byte", "balance, id, version, revision int64"}
	next := "next string"
	if q.Goal == Leader {
		parameters = append(parameters, "steps func(context.Context) <-chan step")
	} else {
		parameters = append(parameters, "steps []step")
	}
	parameters = append(parameters, next)
	switch client := clients[d.code]; {
	case client != "":
		parameters = append(parameters, "client "+client)
	case q.Goal == CAS:
		parameters = append(parameters, "client *http.Client")
	}
	function := fmt.Sprintf("func Snippet%d(%s) error {\n%s\n}\n", number, strings.Join(parameters, ", "), a.Snippet)
	paths := make(map[string]bool)
	for _, m := range named.FindAllStringSubmatch(function, -1) {
		if path := imported[m[1]]; path != "" {
			paths[fmt.Sprintf("%s %q", m[1], path)] = true
		}
	}
	return "package snippets\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(paths)), "\n") + "\n)\n\n" + function
}

// TestSnippetsCompile compiles each snippet of each combination, in a package that is
// laid over the module.
func TestSnippetsCompile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"theirs.go": "package snippets\n\nimport (\n\"context\"\n\"database/sql\"\n)\n" + theirs}
	everyAnswer(t, func(_ *testing.T, q Question, a Answer) {
		files[fmt.Sprintf("%s_%s_snippet.go", q.Goal, q.Destination)] = program(q, a, len(files))
	})
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, "snippets", name)] = path
	}
	config, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", path, "./snippets").CombinedOutput(); err != nil {
		t.Errorf("the snippets don't compile: %v\n%s", err, out)
	}
}
