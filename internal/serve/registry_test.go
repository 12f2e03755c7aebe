package serve

import (
	"encoding/json"
	"os"
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
