package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the table in docs/configuration.md")

const (
	docs       = "../../docs/configuration.md"
	tableStart = "<!-- keys: written by `go test ./internal/config -update` -->\n"
	tableEnd   = "<!-- end of keys -->\n"
)

// The page's table is the code's.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), tableStart)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has lost the marks of its table", docs)
	}
	want := documentation()
	if *update {
		if err := os.WriteFile(docs, []byte(before+tableStart+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, old); d != "" {
		t.Errorf("%s is stale; run: go test ./internal/config -update\n%s", docs, d)
	}
}

func documentation() string {
	var b strings.Builder
	section := ""
	for _, k := range table {
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n### %s\n\n| key | default | allowed | variables | meaning |\n|---|---|---|---|---|\n", section)
		}
		name := "`" + k.Bare() + "`"
		if k.Kind == Unused {
			fmt.Fprintf(&b, "| %s | | | | %s |\n", name, k.Doc)
			continue
		}
		if k.Safe != "*" {
			name += " †"
		}
		value := k.Default
		if k.Empty != "" && (value == "" || strings.TrimRight(value, "s") == "0") {
			value = strings.TrimSpace(value + " (" + k.Empty + ")")
		} else if k.Empty != "" {
			value += " (0: " + k.Empty + ")"
		}
		if k.Like != "" && k.Default != "" {
			value += ", or " + strings.TrimPrefix(k.Like, k.Section()+".")
		}
		allowed := k.Range()
		if allowed == "" {
			allowed = wordFor(k.Kind)
		} else if k.Kind == List {
			allowed = "list of " + allowed
		}
		vars := "`" + k.Env() + "`"
		for _, a := range k.Aliases {
			vars += " `PYRUN_" + strings.ToUpper(strings.ReplaceAll(a, "-", "_")) + "`"
		}
		if k.Runner != "" {
			vars += " `" + k.Runner + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, value, allowed, vars, k.Doc)
	}
	b.WriteString("\n")
	return b.String()
}

// wordFor says what values of a kind are.
func wordFor(k Kind) string {
	switch k {
	case Bool:
		return "true or false"
	case Int:
		return "number"
	case Size:
		return "size"
	case Duration:
		return "time"
	case Enum:
		return "one of"
	case List:
		return "list"
	case Path:
		return "path"
	case Program:
		return "path or program"
	case Unused:
		return "unused"
	default:
		return "text"
	}
}
