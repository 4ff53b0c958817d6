package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/report"
	"github.com/ringfence-go/ringfence/review/rules"
)

// schema is what SARIF 2.1.0 (OASIS, section 3) and the code scanning of GitHub ask
// of each object that is written here: a name and its kind, with ! where it must be
// there. A name that is not listed is not of the format.
var schema = map[string]map[string]string{
	"log":          {"$schema": "uri!", "version": "2.1.0!", "runs": "[]run!"},
	"run":          {"tool": "tool!", "originalUriBaseIds": "bases!", "invocations": "[]invocation!", "results": "[]result!", "columnKind": "unicodeCodePoints!"},
	"tool":         {"driver": "driver!"},
	"driver":       {"name": "text!", "informationUri": "uri!", "rules": "[]rule!"},
	"rule":         {"id": "text!", "name": "text!", "shortDescription": "message!", "fullDescription": "message!", "help": "help!", "helpUri": "uri!"},
	"message":      {"text": "text!"},
	"help":         {"text": "text!", "markdown": "text!"},
	"bases":        {"%SRCROOT%": "base!"},
	"base":         {"description": "message!"},
	"invocation":   {"executionSuccessful": "bool!", "toolExecutionNotifications": "[]notification"},
	"notification": {"level": "level!", "message": "message!", "locations": "[]location!"},
	"result":       {"ruleId": "text!", "ruleIndex": "index!", "level": "level!", "message": "message!", "locations": "[]location!", "relatedLocations": "[]location", "partialFingerprints": "prints!", "fixes": "[]fix", "properties": "bag!"},
	"prints":       {"primaryLocationLineHash": "text!"},
	"bag":          {"confidence": "text!", "number": "index!"},
	"location":     {"physicalLocation": "physical!", "message": "message"},
	"physical":     {"artifactLocation": "artifact!", "region": "region"},
	"artifact":     {"uri": "path!", "uriBaseId": "text!"},
	"region":       {"startLine": "place!", "startColumn": "place!", "endLine": "place", "endColumn": "place"},
	"fix":          {"description": "message!", "artifactChanges": "[]change!"},
	"change":       {"artifactLocation": "artifact!", "replacements": "[]replacement!"},
	"replacement":  {"deletedRegion": "region!", "insertedContent": "message!"},
}

// validate tells where a value is not of its kind.
func validate(at, kind string, v any) (faults []string) {
	if elem, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			return []string{at + " is no list"}
		}
		for i, x := range list {
			faults = append(faults, validate(fmt.Sprintf("%s[%d]", at, i), elem, x)...)
		}
		return faults
	}
	fields, ok := schema[kind]
	if !ok {
		if !fits(kind, v) {
			return []string{fmt.Sprintf("%s is %v, which is no %s", at, v, kind)}
		}
		return nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return []string{at + " is no object"}
	}
	for name, x := range object {
		if fields[name] == "" {
			faults = append(faults, at+"."+name+" is not of the format")
			continue
		}
		faults = append(faults, validate(at+"."+name, strings.TrimSuffix(fields[name], "!"), x)...)
	}
	for name, kind := range fields {
		if _, there := object[name]; !there && strings.HasSuffix(kind, "!") {
			faults = append(faults, at+" lacks "+name)
		}
	}
	return faults
}

func fits(kind string, v any) bool {
	text, _ := v.(string)
	number, isNumber := v.(float64)
	switch kind {
	case "text":
		return text != ""
	case "bool":
		_, ok := v.(bool)
		return ok
	case "level":
		return slices.Contains([]string{"none", "note", "warning", "error"}, text)
	case "index":
		return isNumber && number >= 0
	case "place": // lines and columns count from 1
		return isNumber && number >= 1
	case "uri":
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	case "path": // relative, so that uriBaseId means something
		u, err := url.Parse(text)
		return err == nil && !u.IsAbs() && u.Path != "" && !path.IsAbs(u.Path) && !strings.Contains(u.Path, "\\")
	}
	return text == kind
}

func sarif(t *testing.T) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := report.SARIF(&b, result(t), rules.All); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	log := sarif(t)
	for _, fault := range validate("log", "log", log) {
		t.Error(fault)
	}
	run := log["runs"].([]any)[0].(map[string]any)
	list := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	if len(list) != len(rules.All)+1 {
		t.Errorf("there are %d rules", len(list))
	}
	invocation := run["invocations"].([]any)[0].(map[string]any)
	if invocation["executionSuccessful"] != false || len(invocation["toolExecutionNotifications"].([]any)) != 1 {
		t.Errorf("what could not be reviewed is not said: %v", invocation)
	}
	var uris []string
	for _, x := range run["results"].([]any) {
		r := x.(map[string]any)
		if list[int(r["ruleIndex"].(float64))].(map[string]any)["id"] != r["ruleId"] {
			t.Errorf("ruleIndex %v is not %v", r["ruleIndex"], r["ruleId"])
		}
		physical := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		uris = append(uris, physical["artifactLocation"].(map[string]any)["uri"].(string))
	}
	if slices.Sort(uris); !slices.Equal(slices.Compact(uris), []string{"a%20b.rb", "sub/c%20d.mjs"}) {
		t.Errorf("got %q", uris)
	}
}

// TestSARIFFix counts the columns of an edit in characters.
func TestSARIFFix(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sarif(t))
	if err != nil {
		t.Fatal(err)
	}
	column := len([]rune("  try { await work('é€'); } finally { ")) + 1
	want := fmt.Sprintf(`"replacements":[{"deletedRegion":{"endColumn":%[1]d,"endLine":5,"startColumn":%[1]d,"startLine":5},"insertedContent":{"text":"await "}}]`, column)
	if !bytes.Contains(text, []byte(want)) {
		t.Errorf("the log lacks %s:\n%s", want, text)
	}
}
