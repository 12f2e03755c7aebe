package pyrun_test

// The rules of the house, as tests with reasons, so that they outlive whoever
// wrote them. They are explained in docs/design.md. A rule that stands in the
// way is changed here, in the open, together with its reason.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	osexec "os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pyrun-dev/pyrun"

// rule says what one package may import. Packages are named without the module.
type rule struct {
	pkg   string
	may   []string // of ours; everything else of ours is forbidden
	never []string // of others, with all that lies below
	why   string
}

// rules has a row for every package; docs/design.md prints the same rows.
var rules = []rule{
	{
		pkg: "(root)",
		why: "it only embeds files, because go:embed cannot look up",
	},
	{
		pkg:   "cmd/pyrun",
		may:   []string{"(root)", "internal/config", "internal/exec", "internal/serve", "internal/ui"},
		never: []string{"os/exec", "golang.org/x/sys/unix"},
		why:   "a door translates words into a request and decides nothing; the two roots are behind exec",
	},
	{
		pkg: "internal/config",
		why: "settings are plain values with their source; the door turns them into options",
	},
	{
		pkg:   "internal/serve",
		may:   []string{"internal/exec"},
		never: []string{"os/exec", "github.com/urfave/cli"},
		why:   "a door beside the terminal: it translates the protocol and decides nothing about how a script is run",
	},
	{
		pkg:   "internal/ui",
		may:   []string{"internal/exec"},
		never: []string{"os/exec", "github.com/urfave/cli", "github.com/modelcontextprotocol"},
		why:   "it only reads results, so that every door can show them",
	},
	{
		pkg:   "internal/exec",
		may:   []string{"internal/exec/python", "internal/exec/sandbox"},
		never: []string{"os/exec", "golang.org/x/sys/unix", "github.com/urfave/cli"},
		why:   "the stair joins the two roots; it is portable and makes no system call of its own",
	},
	{
		pkg: "internal/exec/python",
		why: "the language knows no walls",
	},
	{
		pkg: "internal/exec/sandbox",
		may: []string{"internal/exec/sandbox/cgroup", "internal/exec/sandbox/seccomp"},
		why: "the walls know neither Python nor the house: who reviews them reads this folder and can stop",
	},
	{
		pkg: "internal/exec/sandbox/cgroup",
		why: "files under a given root and nothing else, so that a plain folder can test it",
	},
	{
		pkg: "internal/exec/sandbox/seccomp",
		why: "rules to a filter, pure, so that it is tested on any system",
	},
	{
		pkg: "internal/wheeltest",
		why: "it makes wheels for tests, and ones that lie; nothing that ships may import it",
	},
}

// startsPrograms are the only packages that may import os/exec: elsewhere the
// name exec is ours, and a program is started behind walls or not at all.
var startsPrograms = []string{"internal/exec/sandbox", "internal/exec/python"}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, goos) {
			seen[p.name] = true
			i := slices.IndexFunc(rules, func(r rule) bool { return r.pkg == p.name })
			if i < 0 {
				t.Errorf("%s: a package without a row: give it one in rules (layout_test.go) and in docs/design.md", p.name)
				continue
			}
			for _, imported := range p.imports {
				if msg := rules[i].forbids(imported); msg != "" {
					t.Errorf("%s (GOOS=%s) imports %s: %s", p.name, goos, imported, msg)
				}
			}
		}
	}
	for _, r := range rules {
		if !seen[r.pkg] {
			t.Errorf("%s: a row without a package", r.pkg)
		}
	}
}

// forbids says why the import is against the rule, or nothing.
func (r rule) forbids(imported string) string {
	if ours, ok := ourName(imported); ok {
		if slices.Contains(r.may, ours) {
			return ""
		}
		return "not among what it may import of ours: " + r.why
	}
	if imported == "os/exec" && !slices.Contains(startsPrograms, r.pkg) {
		return "only " + strings.Join(startsPrograms, " and ") + " start programs: everywhere else exec is internal/exec"
	}
	for _, never := range r.never {
		if imported == never || strings.HasPrefix(imported, never+"/") {
			return "never " + never + ": " + r.why
		}
	}
	return ""
}

// The rules must be able to fail.
func TestRulesForbid(t *testing.T) {
	for _, c := range []struct{ pkg, imported string }{
		{"cmd/pyrun", module + "/internal/exec/sandbox"},
		{"cmd/pyrun", module + "/internal/exec/python"},
		{"cmd/pyrun", "os/exec"},
		{"internal/config", module + "/internal/exec"},
		{"internal/config", module},
		{"internal/ui", "github.com/urfave/cli/v2"},
		{"internal/serve", module + "/internal/ui"},
		{"internal/serve", module + "/internal/exec/sandbox"},
		{"internal/exec", module + "/internal/ui"},
		{"internal/exec", "golang.org/x/sys/unix"},
		{"internal/exec/python", module + "/internal/exec/sandbox"},
		{"internal/exec/sandbox", module + "/internal/exec/python"},
		{"internal/exec/sandbox/cgroup", "os/exec"},
	} {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.pkg == c.pkg })
		if i < 0 || rules[i].forbids(c.imported) == "" {
			t.Errorf("%s may import %s", c.pkg, c.imported)
		}
	}
}

// docs/design.md is what people read; it says what the test holds.
func TestDesignPrintsTheRules(t *testing.T) {
	page, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if row := r.row(); !strings.Contains(string(page), "\n"+row+"\n") {
			t.Errorf("docs/design.md lacks the row\n%s", row)
		}
	}
}

func (r rule) row() string {
	cell := func(names []string) string {
		if len(names) == 0 {
			return "-"
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", r.pkg, cell(r.may), cell(r.never), r.why)
}

// The standard library has a package exec too. As long as ours exports none of
// its names, an automatic import of the wrong one does not compile.
func TestExecSharesNoNameWithOSExec(t *testing.T) {
	dir := strings.TrimSpace(string(goCommand(t, "linux", "list", "-f", "{{.Dir}}", "os/exec")))
	theirs := exported(t, dir)
	if !slices.Contains(theirs, "CommandContext") {
		t.Fatalf("os/exec in %s has no CommandContext: this test no longer looks at what it thinks", dir)
	}
	ours := exported(t, "internal/exec")
	if !slices.Contains(ours, "Executor") {
		t.Fatal("internal/exec has no Executor: this test no longer looks at what it thinks")
	}
	for _, name := range ours {
		if slices.Contains(theirs, name) {
			t.Errorf("internal/exec exports %s, as os/exec does: name it otherwise", name)
		}
	}
}

// A test that starts a program says so in the name, and nothing else is called
// exec, so that exec. reads the same in every file.
func TestTheNameExec(t *testing.T) {
	eachFile(t, func(name string, f *ast.File) {
		below := func(pkg string) bool { return strings.HasPrefix(name, pkg+"/") }
		if !slices.ContainsFunc(startsPrograms, below) { // the roots have no exec of ours to mix it up with
			for _, imp := range f.Imports {
				if imp.Path.Value == `"os/exec"` && (imp.Name == nil || imp.Name.Name != "osexec") {
					t.Errorf(`%s: import osexec "os/exec": exec is internal/exec`, name)
				}
			}
		}
		for _, id := range declared(f) {
			if id.Name == "exec" {
				t.Errorf("%s: something is named exec and hides the package", name)
			}
		}
	})
}

// A file past 250 lines is asking for a name for its second half.
func TestFilesAreShort(t *testing.T) {
	const most = 250
	eachFile(t, func(name string, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") || ast.IsGenerated(f) {
			return
		}
		data, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\n")); n > most {
			t.Errorf("%s: %d lines, at most %d: find a name for its second half", name, n, most)
		}
	})
}

// The time to start is what users wait for, so that nothing may run before main:
// no init, and no package variable that has to be computed. What is dear is
// built on first use.
func TestNothingRunsBeforeMain(t *testing.T) {
	eachFile(t, func(name string, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, why := range startupWork(f) {
			t.Errorf("%s: %s: build it on first use (sync.OnceValue), use a switch, or pass it in", name, why)
		}
	})
}

func TestStartupWorkIsSeen(t *testing.T) {
	for src, want := range map[string]int{
		"func init() {}":                            1,
		"var re = regexp.MustCompile(`x`)":          1,
		"var m = map[string]int{}":                  1,
		"var s = []row{{f: make(map[string]bool)}}": 1,
		"var a, b = f(), 1":                         1,
		"var ErrX = errors.New(`x`)":                0,
		"var t = []string{`a`, `b`}":                0,
		"var b = []byte(`a`)":                       0,
		"var v = sync.OnceValue(func() map[int]int { return map[int]int{} })": 0,
		"var f = func() { g() }":        0,
		"func (t T) init() {}":          0,
		"func f() { var _ = g(); g() }": 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := startupWork(f); len(got) != want {
			t.Errorf("%s: found %q, want %d", src, got, want)
		}
	}
}

// The walls know no Python: another language, or a second interpreter, must not
// need a change there. Only the reasons beside the system calls may say who needs them.
func TestSandboxKnowsNoPython(t *testing.T) {
	files := 0
	eachFile(t, func(name string, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "internal/exec/sandbox/") ||
			path.Dir(name) == "internal/exec/sandbox/seccomp" {
			return
		}
		files++
		ast.Inspect(f, func(n ast.Node) bool {
			word := ""
			switch n := n.(type) {
			case *ast.Ident:
				word = n.Name
			case *ast.BasicLit:
				word = n.Value
			}
			if strings.Contains(strings.ToLower(word), "python") {
				t.Errorf("%s: %s: what a policy shows and runs is said above, in internal/exec", name, word)
			}
			return true
		})
	})
	if files == 0 {
		t.Fatal("no file of internal/exec/sandbox was read")
	}
}

type pkg struct {
	name    string
	imports []string
}

// packages asks the go command for every package of ours and what its code,
// tests left out, imports on one system.
func packages(t *testing.T, goos string) []pkg {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(goCommand(t, goos, "list", "-e", "-json=ImportPath,Imports", "./...")))
	var all []pkg
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := ourName(p.ImportPath)
		if !ok {
			t.Fatalf("%s is not of module %s", p.ImportPath, module)
		}
		all = append(all, pkg{name, p.Imports})
	}
}

func ourName(importPath string) (string, bool) {
	if importPath == module {
		return "(root)", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func goCommand(t *testing.T, goos string, args ...string) []byte {
	t.Helper()
	cmd := osexec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// eachFile hands over every Go file of ours, whatever system it is for.
func eachFile(t *testing.T, do func(name string, f *ast.File)) {
	t.Helper()
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		do(name, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < len(rules) {
		t.Fatalf("only %d Go files found", files)
	}
}

// exported lists what a package's files, tests left out, export at the top level.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, id := range declared(d) {
					names = append(names, id.Name)
				}
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						names = append(names, ts.Name.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
}

// declared lists the names of all variables, constants, parameters and results
// below a node; fields and methods, which are always written after a dot, not.
func declared(n ast.Node) []*ast.Ident {
	var ids []*ast.Ident
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, f := range list.List {
			ids = append(ids, f.Names...)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			ids = append(ids, n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						ids = append(ids, id)
					}
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					ids = append(ids, id)
				}
			}
		case *ast.FuncDecl:
			fields(n.Recv)
		case *ast.FuncType:
			fields(n.Params)
			fields(n.Results)
		}
		return true
	})
	return ids
}

// startupWork names what a file would do before main.
func startupWork(f *ast.File) []string {
	var found []string
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			found = append(found, "func init")
		}
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				ast.Inspect(value, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncLit:
						return false // runs later
					case *ast.MapType:
						found = append(found, "a map in a package variable")
						return false
					case *ast.CallExpr:
						if call := callName(n); !cheap(call) {
							found = append(found, "a package variable computed by "+strconv.Quote(call))
							return false
						}
					}
					return true
				})
			}
		}
	}
	return found
}

func callName(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if id, ok := fn.X.(*ast.Ident); ok {
			return id.Name + "." + fn.Sel.Name
		}
	case *ast.ArrayType:
		return "conversion"
	}
	return "call"
}

// cheap lists the calls that the compiler lays out as data, or that only put a
// later computation by.
func cheap(call string) bool {
	switch call {
	case "errors.New", "fmt.Errorf", "sync.OnceValue", "sync.OnceValues", "sync.OnceFunc",
		"conversion", "len", "string", "new", "make":
		return true // make(map...) is caught by its map type
	}
	return false
}
