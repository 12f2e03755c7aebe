package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// server.json is what the MCP registry takes.
func TestServerJSON(t *testing.T) {
	var schema jsonschema.Schema
	read(t, "testdata/server.schema.json", &schema)
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var entry map[string]any
	read(t, "../../server.json", &entry)
	if err := resolved.Validate(entry); err != nil {
		t.Error(err)
	}
	if entry["$schema"] != schema.ID {
		t.Errorf("names the schema %v, but %s is at hand", entry["$schema"], schema.ID)
	}
	for _, key := range []string{"name", "description", "version"} {
		value := entry[key]
		delete(entry, key)
		if resolved.Validate(entry) == nil {
			t.Errorf("valid without its %s: this test sees nothing", key)
		}
		entry[key] = value
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(file, err)
	}
}

// A person who reads about pyrun reads of one version: that of server.json, which
// is the newest of the changelog once there is one.
func TestOneVersion(t *testing.T) {
	var entry struct{ Version string }
	read(t, "../../server.json", &entry)
	pages := []string{"../../README.md", "../../CHANGELOG.md", "../../action.yml"}
	for _, pattern := range []string{"../../docs/*.md", "../../examples/*"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	named := regexp.MustCompile(`\bpyrun(?: |:|@v?|_)(\d+\.\d+\.\d+)\b`)
	released := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`)
	seen := 0
	for _, page := range pages {
		if info, err := os.Stat(page); err != nil || info.IsDir() {
			continue
		}
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all := named.FindAllStringSubmatch(string(data), -1)
		if newest := released.FindStringSubmatch(string(data)); newest != nil {
			all = append(all, newest)
		}
		for _, m := range all {
			if seen++; m[1] != entry.Version {
				t.Errorf("%s says %q, server.json %s", page, m[0], entry.Version)
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d pages name a version: this test sees nothing", seen)
	}
}
