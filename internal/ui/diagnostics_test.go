package ui

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func reports() map[string]*exec.Report {
	at := func(file string, line, column, end int, code, message, fix, text string) exec.Diagnostic {
		return exec.Diagnostic{
			File: file, Line: line, Column: column, EndLine: line, EndColumn: end,
			Code: code, Severity: exec.SeverityProblem, Message: message, Fix: fix, Text: text,
		}
	}
	note := at("app/load.py", 12, 12, 17, "PYR301", "import of ujson, which is not an allowed package; the script is ready for that", "", "\t\timport ujson")
	note.Severity = exec.SeverityNote
	several := at("app/old.py", 3, 5, 2, "PYR101", "unterminated triple-quoted string literal (detected at line 9)", "", "x = '''")
	several.EndLine = 9
	return map[string]*exec.Report{
		"clean": {Files: 37, DurationMS: 204, Diagnostics: []exec.Diagnostic{}},
		"found": {Files: 37, Problems: 5, DurationMS: 210, Diagnostics: []exec.Diagnostic{
			at("app/load.py", 4, 8, 14, "PYR301", "import of pandsa, which is not an allowed package", "did you mean pandas?", "import pandsa as pd"),
			note,
			at("app/old.py", 1, 1, 13, "PYR201", "inline dependencies are refused: requests, rich>=13",
				"packages are installed at build time from packages.txt, never by a script; remove the dependencies line", "# /// script"),
			several,
			at("app/a folder with a long name/another one/module.py", 1204, 5, 6, "PYR101", "'(' was never closed", "", "x = ("),
			{File: "data.py", Code: "PYR109", Severity: exec.SeverityProblem, Message: "cannot be read: permission denied"},
		}},
		"odd": {Files: 2, Problems: 5, DurationMS: 12, Diagnostics: []exec.Diagnostic{
			at("日本\x1b[2J.py", 1, 13, 19, "PYR301", "import of \x1b[31m", "did you mean \u202e?", "s = '日本'; import pandsa  # \x1b[2J \u202e"),
			at("x.py", 1, 9, 14, "PYR101", "invalid syntax", "", "x = 'a\u0301\u0301👩‍👩‍👧' = = = 1"),
			at("x.py", 2, 180, 184, "PYR101", "invalid syntax", "", strings.Repeat("spam, ", 29)+"oops = "+strings.Repeat("eggs, ", 40)),
			at("x.py", 3, 2, 3, "PYR101", "invalid syntax", "", "a"),
			at("x.py", 4, 5000, 5001, "PYR101", "invalid syntax", "", "short"),
		}},
	}
}

// The caret stands under what it means, whatever lies before it.
func TestCut(t *testing.T) {
	for _, tt := range []struct {
		line        string
		column, end int
		room        int
		shown, mark string
	}{
		{"import pandsa", 8, 14, 80, "import pandsa", "       ^^^^^^"},
		{"\tx = (", 6, 7, 80, "    x = (", "        ^"},
		{"s = '日本' = 1", 10, 11, 80, "s = '日本' = 1", "           ^"},
		{"e\u0301 = =", 6, 7, 80, "e\u0301 = =", "    ^"},
		{"\x1b = =", 5, 6, 80, "\\x1b = =", "       ^"},
		{"x = (", 6, 7, 80, "x = (", "     ^"},
		{"", 1, 2, 80, "", "^"},
		{"x = '''", 5, 0, 80, "x = '''", "    ^^^"},
		{"0123456789", 2, 3, 6, "01234…", " ^"},
		{"0123456789", 10, 11, 6, "…56789", "     ^"},
		{"0123456789abcdef", 9, 10, 7, "…789ab…", "  ^"},
		{"0123456789abcdef", 3, 17, 7, "…12345…", "  ^^^^"},
	} {
		shown, from, to := cut(tt.line, tt.column, tt.end, tt.room, "…")
		if mark := strings.Repeat(" ", from) + strings.Repeat("^", to-from); shown != tt.shown || mark != tt.mark {
			t.Errorf("%q %d-%d in %d:\n%s|\n%s|\nwant\n%s|\n%s|", tt.line, tt.column, tt.end, tt.room, shown, mark, tt.shown, tt.mark)
		}
	}
}

func TestGitHub(t *testing.T) {
	var out bytes.Buffer
	u := New(Options{Out: &out})
	err := u.GitHub(&exec.Report{Diagnostics: []exec.Diagnostic{
		{File: "a,b:c%.py", Line: 4, Column: 8, EndLine: 4, EndColumn: 14, Code: "PYR301", Severity: exec.SeverityProblem, Message: "100 %: a, b\r", Fix: "::error::x"},
		{File: "x.py", Line: 4, Column: 8, EndLine: 5, EndColumn: 2, Code: "PYR101", Severity: exec.SeverityNote, Message: "m"},
		{File: "x.py", Code: "PYR109", Severity: exec.SeverityProblem, Message: "m"},
	}})
	want := "::error file=a%2Cb%3Ac%25.py,line=4,endLine=4,col=8,endColumn=14,title=pyrun PYR301::100 %25: a, b%0D%0A::error::x\n" +
		"::notice file=x.py,line=4,endLine=5,title=pyrun PYR101::m\n" +
		"::error file=x.py,title=pyrun PYR109::m\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
}

// The schema is that of the standard: testdata/sarif-schema-2.1.0.md says whose it is.
func TestSARIF(t *testing.T) {
	data, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarifSchema, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(sarifSchema)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range reports() {
		var out bytes.Buffer
		if err := New(Options{Out: &out}).SARIF(r, "0.3.0"); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Level     string
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		run := got.Runs[0]
		if run.Results == nil || len(run.Results) != len(r.Diagnostics) {
			t.Errorf("%s: results %v", name, run.Results)
		}
		for i, result := range run.Results {
			if want := string(r.Diagnostics[i].Severity); result.Level != want || run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID {
				t.Errorf("%s: %+v is no %s", name, result, want)
			}
		}
	}
	// The schema must be able to refuse.
	bad, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": []}]}`))
	if schema.Validate(bad) == nil {
		t.Error("a run without a tool was taken")
	}
}
