//go:build linux && (amd64 || arm64)

package sandbox

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the list of steps in docs/security.md")

// TestDocumentedSteps holds docs/security.md and the lists together: the same
// steps in the same order.
func TestDocumentedSteps(t *testing.T) {
	const file = "../../../docs/security.md"
	for _, c := range []struct{ mark, want string }{{"steps", documented()}, {"copy steps", documentedCopy()}} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		open, shut := "<!-- "+c.mark+" -->\n", "<!-- /"+c.mark+" -->"
		before, rest, ok1 := strings.Cut(string(text), open)
		got, after, ok2 := strings.Cut(rest, shut)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no place for the list of %s", file, c.mark)
		}
		if *update {
			if err := os.WriteFile(file, []byte(before+open+c.want+shut+after), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got != c.want {
			t.Fatalf("docs/security.md does not say what is done; run this test with -update and read the difference\nwant:\n%s", c.want)
		}
	}
}

// documented prints the steps of a run with every kind of identity, each kind of step once.
func documented() string {
	s := site{anchor: "/tmp", landlock: 7, doors: 1, id: identity{userns: true, hostID: -1}}
	s.devices = []source{{Bind: Bind{Source: "/dev/null", Target: "/dev/null"}}}
	s.binds = []source{{Bind: Bind{Source: "PATH", Target: "/PATH"}}}
	list := func() []string {
		opening, rest := written(shell("true"), s)
		return append(opening.list(), rest.list()...)
	}
	userns := list()
	s.id.userns, s.id.hostID = false, firstID
	root := list()
	return numbered(merge(userns, root))
}

// documentedCopy prints the steps of a zygote's copy likewise.
func documentedCopy() string {
	s := site{landlock: 7, doors: 1, id: identity{userns: true, hostID: -1}}
	list := func(ahead bool) []string {
		p, init := newCopy(""), newOpening("")
		composeCopy(p, shell("true"), s, callouts{}, []span{{written: true}}, ahead)
		composeInit(init, nil)
		return append(p.list(), init.list()...)
	}
	userns := list(false)
	s.id.userns, s.id.hostID = false, firstID
	return numbered(merge(userns, list(true)))
}

// numbered prints each kind of step once.
func numbered(steps []string) string {
	var out strings.Builder
	seen := map[string]bool{}
	n := 0
	for _, step := range steps {
		verb, _, _ := strings.Cut(step, " ")
		switch verb {
		case "verify", "show", "close", "link", "write", "seal", "make":
			if strings.Contains(step, "/") || strings.Contains(step, "PATH") {
				step = verb + " each"
			}
		}
		if !seen[step] {
			seen[step] = true
			n++
			fmt.Fprintf(&out, "%d. %s\n", n, step)
		}
	}
	return out.String()
}

// merge keeps the order of both lists, which differ by a few steps only.
func merge(a, b []string) []string {
	in := map[string]bool{}
	for _, s := range b {
		in[s] = true
	}
	var out []string
	i := 0
	for _, s := range a {
		if !in[s] {
			out = append(out, s)
			continue
		}
		for i < len(b) && b[i] != s {
			out = append(out, b[i])
			i++
		}
		if i < len(b) {
			i++
		}
		out = append(out, s)
	}
	return append(out, b[i:]...)
}
