package python

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pipReads parses texts of packages.txt with pip's own reader.
const pipReads = `
import sys, json, os, tempfile
sys.path.insert(0, sys.argv[1])
from pip._internal.network.session import PipSession
from pip._internal.req.req_file import parse_requirements
from pip._internal.req.constructors import install_req_from_parsed_requirement
import logging; logging.disable(logging.CRITICAL)

def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", newline="", encoding="utf-8") as file:
        file.write(text); file.flush()
        found = []
        try:
            for parsed in parse_requirements(file.name, PipSession()):
                r = install_req_from_parsed_requirement(parsed)
                if r.link or r.req is None or r.req.url:
                    return "no name"
                hashes = sorted(k + ":" + v for k, vs in (r.hash_options or {}).items() for v in vs)
                found.append([r.req.name, sorted(r.req.extras), sorted(str(s) for s in r.req.specifier), r.markers is not None, hashes,
                              int(parsed.line_source.split()[1])])
        except (Exception, SystemExit) as error:
            return "refused"
        return found
print(json.dumps([read(t) for t in json.load(sys.stdin)]))
`

func askPip(t *testing.T, o Options, texts []string) []any {
	t.Helper()
	i := embeddedInterpreter(t)
	folder, err := ownPip(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var answers []any
	for some := range slices.Chunk(texts, 300) { // a question has little time
		question, err := json.Marshal(some)
		if err != nil {
			t.Fatal(err)
		}
		out, err := base{executable: i.Source}.ask(t.Context(), question, "-I", "-X", "utf8", "-B", "-c", pipReads, folder)
		if err != nil {
			t.Fatal(err)
		}
		var more []any
		if err := json.Unmarshal(out, &more); err != nil || len(more) != len(some) {
			t.Fatal(err)
		}
		answers = append(answers, more...)
	}
	return answers
}

// weRead is the same answer from ParsePackages and, for markers, Applicable.
func weRead(t *testing.T, o Options, text string) any {
	t.Helper()
	i := embeddedInterpreter(t)
	list, err := ParsePackages(text)
	if err == nil {
		_, err = Applicable(t.Context(), o, i, list)
	}
	if err != nil {
		if !errors.As(err, new(*RequirementError)) {
			t.Fatal(err)
		}
		return "refused"
	}
	found := []any{}
	for _, r := range list {
		texts := func(all []string) []any {
			all = slices.Sorted(slices.Values(all))
			out := []any{}
			for _, s := range slices.Compact(all) {
				out = append(out, s)
			}
			return out
		}
		var clauses []string
		if r.Specifier != "" {
			clauses = strings.Split(r.Specifier, ",")
		}
		found = append(found, []any{r.Spelled, texts(r.Extras), texts(clauses), r.Marker != "", texts(r.Hashes), float64(r.Line)})
	}
	return found
}

// TestParsePackagesAsPip: what people write is read, or refused, as pip does it.
func TestParsePackagesAsPip(t *testing.T) {
	o := atHome(t, t.TempDir())
	hash := strings.Repeat("ab", 32)
	texts := []string{
		"numpy", "  numpy  ", "numpy\r\npandas\rscipy\n", "\ufeffnumpy", "", "\n\n# only\n", "numpy#x", "numpy #x", "numpy\t# x", "#numpy",
		"numpy==1.0", "numpy == 1.0", "numpy>=1,<2", "numpy >= 1 , < 2", "numpy~=1.4", "numpy~=1", "numpy~=1.4.*", "numpy!=1.3", "numpy===weird", "numpy==",
		"numpy (>=1,<2)", "numpy(>=1)", "numpy()", "numpy (>=1", "numpy >=1)", "numpy>1,", "numpy,>1", "numpy>1,,<2", "numpy>=1 <2", "numpy 1.0", "numpy=1.0", "numpy>=1.0.*", "numpy==1.*",
		"numpy==1.0.*.*", "numpy==1.0rc1", "numpy==1.0.rc-1", "numpy==1.0.post1", "numpy==1.0-1", "numpy==1!2.0", "numpy==v1.0", "numpy==1.0+local.1", "numpy>1.0+local", "numpy==1.0+local.*",
		"numpy==1.0rc1.*", "numpy<>1", "numpy=>1", "numpy~1", "numpy^1", "numpy==1..0", "numpy==1.x", "numpy==*", "numpy>=01.02", "numpy==1.0a", "numpy== 1.0", "numpy> =1", "numpy==1.0dev", "numpy==1.0.dev0",
		"numpy[a]", "numpy[a,b]", "numpy[ a , b ]>=1", "numpy []", "numpy[a,]", "numpy[,a]", "numpy[a", "numpy[a b]", "numpy[a]b", "numpy[a.b-c_d]", "numpy[-a]",
		"a", "A.B-c_d", "-numpy", "numpy-", "numpy.", ".numpy", "num py", "na\u00efve", "123", "numpy;", "; python_version > '3'",
		"numpy; python_version < '3.11'", "numpy;python_version>='3'", "numpy ; os_name == \"posix\" and (sys_platform != 'win32' or extra == 'x')", "numpy; python_version", "numpy; nonsense == '1'", "numpy; python_version < 3",
		"numpy; python_version < '3.11' # why", "numpy; 'linux' in sys_platform", "numpy>=1; python_version ~= '3.9'", "numpy; (python_version > '3'",
		"num\\\npy", "numpy \\\n  >=1", "numpy \\\n# c\n", "numpy # c \\\n>=1", "# c \\\nnumpy", "numpy \\", "numpy>=1, \\\n   <2\n\npandas",
		"numpy==1.0 --hash=sha256:" + hash, "numpy==1.0 \\\n    --hash=sha256:" + hash + " \\\n    --hash=sha512:" + hash, "numpy==1.0 --hash sha256:" + hash, "numpy --hash=md5:aa", "numpy --hash=sha256", "numpy --hash",
		"numpy --no-such-option", "numpy\x00", "numpy\ttrailing", "numpy\t>=1", "numpy==1.0\u00a0",
	}
	// Where pip takes something else for what was meant, or what is a slip.
	stricter := []string{
		"numpy=== ", "numpy --hash=sha256:", "numpy\x0bpandas", "numpy_", "numpy\nnumpy", "numpy>=1\nNumPy", "scikit-learn\nscikit_learn",
		"numpy --config-settings a=b", "--index-url https://example.org\nnumpy", "--no-index", "--pre", "numpy==1.0 --pre",
	}
	theirs := askPip(t, o, append(slices.Clone(texts), stricter...))
	for n, text := range stricter {
		if answer := theirs[len(texts)+n]; answer == "refused" {
			t.Errorf("%q: pip refuses it too; move it up", text)
		}
		if ours := weRead(t, o, text); ours != "refused" {
			t.Errorf("%q: %v", text, ours)
		}
	}
	for n, text := range texts {
		if diff := cmp.Diff(theirs[n], weRead(t, o, text)); diff != "" {
			t.Errorf("%q: pip (-), pyrun (+):\n%s", text, diff)
		}
	}
}

// TestSpecifiersAsPip compares what nobody would think of writing.
func TestSpecifiersAsPip(t *testing.T) {
	o := atHome(t, t.TempDir())
	pieces := []string{
		"==", "!=", "<=", ">=", "~=", "<", ">", "=", "1", "1.0", "2.3.4", ".", "*", ".*", "rc1", "a", ".dev", "post", "-1", "+l", "!", "v", ",", " ", "(", ")", "_0", "0", "x", "[", "]",
	}
	random := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 3000 {
		text := "numpy"
		for range 1 + random.IntN(6) {
			text += pieces[random.IntN(len(pieces))]
		}
		if !strings.Contains(text, "===") { // see stricter, above
			texts = append(texts, text)
		}
	}
	accepted := 0
	for n, answer := range askPip(t, o, texts) {
		ours := weRead(t, o, texts[n])
		if ours != "refused" {
			accepted++
		}
		if diff := cmp.Diff(answer, ours); diff != "" {
			t.Errorf("%q: pip (-), pyrun (+):\n%s", texts[n], diff)
		}
	}
	if accepted < 50 {
		t.Errorf("only %d of %d were specifiers: this test says little", accepted, len(texts))
	}
}

// TestTakesAsPip compares specifiers with versions, as pip does it.
func TestTakesAsPip(t *testing.T) {
	const contains = `
import sys, json
sys.path.insert(0, sys.argv[1])
from pip._vendor.packaging.specifiers import SpecifierSet
print(json.dumps([SpecifierSet(s).contains(v, prereleases=True) for s, v in json.load(sys.stdin)]))
`
	o := atHome(t, t.TempDir())
	i := embeddedInterpreter(t)
	folder, err := ownPip(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	versions := []string{
		"0.9", "1", "1.0", "1.0.0", "1.0.1", "1.1", "1.4", "1.4.5", "1.10", "2", "2.0", "2.0.1", "10.0", "1!1.0",
		"1.0a1", "1.0rc1", "1.0rc2", "2.0rc1", "2.0.dev1", "1.0.post1", "1.0.post2", "2.0.post1", "1.4.post1", "1.0+local", "1.0+other", "2.0+x.1", "1.0rc1.post2", "1.0.post1.dev3",
	}
	var specifiers []string
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">", "~="} {
		for _, v := range versions {
			if clauseOK(operator, v) {
				specifiers = append(specifiers, operator+v)
			}
		}
	}
	specifiers = append(specifiers, "==1.*", "!=1.*", "==1.0.*", "!=1.0.*", "==1.4.*", "==2.0.0.*", ">=1,<2", ">1,!=1.4,<2", "===1.0", "===1", "~=1.4,!=1.10", "==1!1.*")
	var pairs [][2]string
	for _, s := range specifiers {
		for _, v := range versions {
			pairs = append(pairs, [2]string{s, v})
		}
	}
	question, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := base{executable: i.Source}.ask(t.Context(), question, "-I", "-S", "-B", "-c", contains, folder)
	if err != nil {
		t.Fatal(err)
	}
	var answers []bool
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(pairs) {
		t.Fatal(err)
	}
	for n, p := range pairs {
		if got := Takes(p[0], p[1]); got != answers[n] {
			t.Errorf("%s takes %s: %v, pip says %v", p[0], p[1], got, answers[n])
		}
	}
}
