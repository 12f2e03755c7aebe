package exec

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// docs/diagnostics.md is what people read about a code; it says what the code says.
func TestRulesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(data)), " ")
	var known []string
	last := ""
	for _, r := range Rules() {
		known = append(known, r.Code)
		if r.Code <= last || !regexp.MustCompile(`^PYR[1-3]\d\d$`).MatchString(r.Code) {
			t.Errorf("%s: out of order, or no code", r.Code)
		}
		last = r.Code
		if !strings.Contains(page, "### "+r.Code+" ") || !strings.Contains(page, "**"+r.Name+".** "+strings.TrimSuffix(r.Summary, ".")) {
			t.Errorf("docs/diagnostics.md lacks %s as it is: **%s.** %s", r.Code, r.Name, r.Summary)
		}
	}
	for _, code := range regexp.MustCompile(`(?m)^### (PYR\d+)$`).FindAllStringSubmatch(string(data), -1) {
		if !contains(known, code[1]) {
			t.Errorf("docs/diagnostics.md explains %s, which is none", code[1])
		}
	}
}

// What a parser says that was taken over is put back into its source.
func TestJudgeClamps(t *testing.T) {
	s := func() *subject { return &subject{Source: Source{Name: "x.py", Code: []byte("é = (\r\nb\n")}} }
	const big = 1 << 40
	for _, tt := range []struct {
		place python.Span
		want  string
	}{
		{python.Span{1, 5, 1, 6}, "1:5-1:6"},
		{python.Span{big, big, big, big}, "3:1-3:2"},
		{python.Span{-1, -1, -1, -1}, "0:0-0:0"},
		{python.Span{1, big, 1, big}, "1:6-1:7"},
		{python.Span{1, 2, 1, big}, "1:2-1:6"},
		{python.Span{2, 1, 1, 1}, "2:1-2:2"},
		{python.Span{1, 1, 2, big}, "1:1-2:2"},
		{python.Span{1, 1, big, 1}, "1:1-1:2"},
		{python.Span{1, -5, 1, -6}, "1:1-1:2"},
	} {
		for _, f := range []python.Facts{
			{Error: &python.SyntaxFact{Message: "m", Place: tt.place}},
			{Imports: []python.ImportFact{{Name: "nothing_like_it", Place: tt.place}}},
		} {
			if got := brief(judge(s(), f, knowledge{})); !strings.HasPrefix(got, tt.want+" ") {
				t.Errorf("%v: %s, want %s", tt.place, got, tt.want)
			}
		}
	}
}

func TestJudgeBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	f := python.Facts{Error: &python.SyntaxFact{Message: long, Place: python.Span{1, 1}, Text: long}}
	d := judge(&subject{Source: Source{Code: []byte("\xff" + long)}}, f, knowledge{})
	if len(d) != 1 || len(d[0].Message) > 600 || len(d[0].Text) > maxText {
		t.Errorf("%d diagnostics, %d bytes of message, %d of text", len(d), len(d[0].Message), len(d[0].Text))
	}
	f = python.Facts{Imports: make([]python.ImportFact, 5000)}
	for i := range f.Imports {
		f.Imports[i] = python.ImportFact{Name: "\x1b[2J" + long[:5000], Place: python.Span{1, 1}}
	}
	d = judge(&subject{Source: Source{Code: []byte("x")}}, f, knowledge{})
	if len(d) != maxFindings || len(d[0].Message) > 600 || strings.Contains(d[0].Message, "\x1b") {
		t.Errorf("%d diagnostics: %.200q", len(d), d[0].Message)
	}
}

// The packages that are there, under their import names.
func TestJudgeInstalled(t *testing.T) {
	k := knowledge{
		version: "3.11.2", standard: map[string]bool{"os": true}, installed: map[string]bool{"yaml": true, "numpy": true},
		allowed: func() []pkg {
			return []pkg{{name: "PyYAML", imports: []string{"_yaml", "yaml"}, installed: true}, {name: "numpy", imports: []string{"numpy"}, installed: true, listed: true}}
		},
	}
	for name, want := range map[string]string{
		"yaml":      "",
		"numpy.fft": "",
		"pyyaml":    "PYR303 import of pyyaml, but the package PyYAML is imported as yaml -> import yaml",
		"nunpy":     "PYR301 import of nunpy, which is not an allowed package -> did you mean numpy?",
		"requests":  "there is: ",
		"tomllib":   "",
	} {
		f := python.Facts{Imports: []python.ImportFact{{Name: name, Place: python.Span{1, 1}}}}
		k.standard["tomllib"] = true
		got := brief(judge(&subject{Source: Source{Code: []byte("x")}}, f, k))
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	delete(k.standard, "tomllib")
	k.version = "3.9.18"
	f := python.Facts{Imports: []python.ImportFact{{Name: "tomllib", Place: python.Span{1, 1}}}}
	if got := brief(judge(&subject{Source: Source{Code: []byte("x")}}, f, k)); !strings.Contains(got, "PYR305 import of tomllib, which came into the standard library in 3.11 (this is 3.9.18)") {
		t.Error(got)
	}
}
