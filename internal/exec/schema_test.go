package exec

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	infer "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var updateSchemas = flag.Bool("update-schemas", false, "write docs/schemas anew")

// schemas are the pages under docs/schemas and the types that they describe.
func schemas(t *testing.T) map[string]*infer.Schema {
	t.Helper()
	all := map[string]*infer.Schema{}
	for name, of := range map[string]func(*infer.ForOptions) (*infer.Schema, error){
		"run": infer.For[Result], "validate": infer.For[Report], "check": infer.For[Environment],
	} {
		s, err := of(&infer.ForOptions{TypeSchemas: map[reflect.Type]*infer.Schema{
			reflect.TypeFor[[]byte](): {Type: "string", ContentEncoding: "base64"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		neverNil(s)
		s.Schema = "https://json-schema.org/draft/2020-12/schema"
		s.Title = "pyrun " + name + " --json"
		all[name] = s
	}
	return all
}

// neverNil says what the types cannot: a list is there, if empty.
func neverNil(s *infer.Schema) {
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	if s.Items != nil {
		neverNil(s.Items)
	}
	for _, p := range s.Properties {
		neverNil(p)
	}
}

// TestSchemas holds docs/schemas to the types: go test ./internal/exec -run Schemas -update-schemas.
func TestSchemas(t *testing.T) {
	for name, s := range schemas(t) {
		want, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		page := filepath.Join("../../docs/schemas", name+".json")
		if *updateSchemas {
			if err := os.WriteFile(page, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the type says: %v", page, err)
		}
	}
}

// TestAnswersFitSchemas: what really comes out is what the pages promise.
func TestAnswersFitSchemas(t *testing.T) {
	e := newExecutor(t, Options{})
	failed, err := e.Execute(t.Context(), Request{Code: []byte("import os\nopen(os.environ['ARTIFACTS_DIR'] + '/a.txt', 'w').write('x')\nos.symlink('/', os.environ['ARTIFACTS_DIR'] + '/l')\nimport nowhere"), Value: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.Validate(t.Context(), Validation{Sources: func(yield func(Source) bool) {
		yield(Source{Name: "a.py", Code: []byte("import nowhere\ntry:\n    import tomllib\nexcept ImportError:\n    pass\n")})
	}})
	if err != nil {
		t.Fatal(err)
	}
	env := inspect(t, e, Inspection{})
	for name, answer := range map[string]any{"run": failed, "validate": found, "check": env} {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join("../../docs/schemas", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
