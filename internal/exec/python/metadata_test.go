package python

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseMetadata(t *testing.T) {
	requests := []string{"requests"}
	block := "# /// script\n# dependencies = ['requests']\n# ///\n"
	meta := func(dependencies []string, requires string, line, requiresLine int, unknown ...UnknownKey) *Metadata {
		return &Metadata{dependencies, requires, line, requiresLine, unknown}
	}
	cases := map[string]struct {
		src  string
		want *Metadata
		fail string
		line int
		kind error
	}{
		"none":            {src: "print(1)\n"},
		"only the mark":   {src: "x = '# ///'\n"},
		"plain":           {src: block, want: meta(requests, "", 1, 1)},
		"later":           {src: "#!/usr/bin/env python\n\n" + block, want: meta(requests, "", 3, 3)},
		"crlf":            {src: strings.ReplaceAll(block, "\n", "\r\n") + "print(1)\r\n", want: meta(requests, "", 1, 1)},
		"lone cr":         {src: strings.ReplaceAll(block, "\n", "\r"), want: meta(requests, "", 1, 1)},
		"bom":             {src: "\ufeff" + block, want: meta(requests, "", 1, 1)},
		"blanks at close": {src: strings.TrimSuffix(block, "\n") + " \t\n", want: meta(requests, "", 1, 1)},
		"blanks at open":  {src: strings.Replace(block, "script", "script  ", 1), want: meta(requests, "", 1, 1)},
		"no last newline": {src: strings.TrimSuffix(block, "\n"), want: meta(requests, "", 1, 1)},
		"in a string":     {src: "x = '''\n" + block + "'''\n", want: meta(requests, "", 2, 2)},
		"indented":        {src: "  # /// script\n  # dependencies = ['requests']\n  # ///\n"},
		"empty block":     {src: "# /// script\n# ///\n", want: meta(nil, "", 1, 1)},
		"empty list":      {src: "# /// script\n# dependencies = []\n# ///\n", want: meta([]string{}, "", 1, 1)},
		"several lines":   {src: "# /// script\n# dependencies = [\n#   'requests',\n#\n# ]\n# requires-python = '>=3.11'\n# ///\n", want: meta(requests, ">=3.11", 1, 6)},
		"tool table":      {src: "# /// script\n# [tool.x]\n# y = 1\n# ///\n", want: meta(nil, "", 1, 1)},
		"unclosed":        {src: "# /// script\n# dependencies = ['requests']\nprint(1)\n"},
		"no space":        {src: "# /// script\n#dependencies = ['requests']\n# ///\n"},
		"last close":      {src: "# /// script\n# x = '''\n# ///\n# '''\n# ///\n", want: meta(nil, "", 1, 1, UnknownKey{"x", 2})},
		"unknown keys":    {src: "# /// script\n# [dependency]\n# y = 1\n# [tool.z]\n# [build]\n# ///\n", want: meta(nil, "", 1, 1, UnknownKey{"build", 5}, UnknownKey{"dependency", 2})},
		"other type":      {src: "# /// other\n# dependencies = 3\n# ///\n\n" + block, want: meta(requests, "", 5, 5)},
		"other swallows":  {src: "# /// other\n# ///\n" + block},
		"odd type":        {src: "# /// a_b\n# x\n# ///\n"},
		"two":             {src: "# /// script\n# ///\n\n" + block, fail: "a second block", line: 4, kind: ErrBlocks},
		"two, adjoining":  {src: block + block, fail: "not valid TOML", line: 3, kind: ErrTOML},
		"bad toml":        {src: "\n# /// script\n# dependencies = [\n# x\n# ///\n", fail: "not valid TOML", line: 4},
		"string":          {src: "# /// script\n# dependencies = 'requests'\n# ///\n", fail: "dependencies must be a list of strings, not a string", line: 2},
		"numbers":         {src: "# /// script\n# requires-python = '>=3'\n# dependencies = [1]\n# ///\n", fail: "dependencies must be a list of strings, not a number", line: 3},
		"table":           {src: "# /// script\n# [dependencies]\n# ///\n", fail: "not a table"},
		"version number":  {src: "# /// script\n# requires-python = 3.11\n# ///\n", fail: "requires-python must be a string, not a number", line: 2, kind: ErrType},
		"tool":            {src: "# /// script\n# tool = 1\n# ///\n", fail: "tool must be a table, not a number", line: 2, kind: ErrType},
		"twice a key":     {src: "# /// script\n# dependencies = []\n# dependencies = ['requests']\n# ///\n", fail: "not valid TOML"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseMetadata([]byte(c.src))
			if c.fail == "" {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			var bad *MetadataError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.fail) || c.line > 0 && bad.Line != c.line || c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("error %v, want %q in line %d", err, c.fail, c.line)
			}
		})
	}
}

// What a stranger sends must not keep pyrun busy: blocks that are opened and
// never closed were once looked at in quadratic time.
func TestParseMetadataIsLinear(t *testing.T) {
	for name, src := range map[string]string{
		"opened":  strings.Repeat("# /// a\n", 1<<17),
		"closed":  strings.Repeat("# /// a\n# ///\n\n", 1<<15),
		"unknown": "# /// script\n# [" + strings.Join(strings.Split(strings.Repeat("a", 1<<16), ""), "]\n# [x.") + "]\n# ///\n",
		"nested":  "# /// script\n# a = " + strings.Repeat("[", 1<<20) + "\n# ///\n",
	} {
		began := time.Now()
		_, _ = ParseMetadata([]byte(src))
		if took := time.Since(began); took > 10*time.Second { // milliseconds in truth; minutes when quadratic
			t.Errorf("%s: %d bytes took %v", name, len(src), took)
		}
	}
}

func TestAllows(t *testing.T) {
	cases := []struct {
		requires, version string
		want, fail        bool
	}{
		{"", "3.14.6", true, false},
		{">=3.9", "3.14.6", true, false},
		{">=3.99", "3.14.6", false, false},
		{">=3.9,<3.12", "3.11.2", true, false},
		{">=3.9,<3.12", "3.12.0", false, false},
		{"==3.11.*", "3.11.2", true, false},
		{"~=3.10", "3.14.6", true, false},
		{"!=3.14.*", "3.14.6", false, false},
		{"nonsense", "3.14.6", false, true},
		{">=3.15", "3.15.0rc1", false, false},
		{">=3.14", "3.15.0rc1", true, false},
		{"<3.15", "3.14.6", true, false},
		{"==3.14.6", "3.14.6", true, false},
		{">3.14", "3.14.6", true, false},
		{">= 3.9 , < 4", "3.14.6", true, false},
		{"^3.9", "3.14.6", false, true},
	}
	for _, c := range cases {
		got, err := (&Metadata{RequiresPython: c.requires, Line: 1}).Allows(c.version)
		if got != c.want || (err != nil) != c.fail {
			t.Errorf("%q allows %s: %v %v", c.requires, c.version, got, err)
		}
	}
	if ok, err := (*Metadata)(nil).Allows("3.9.1"); !ok || err != nil {
		t.Error(ok, err)
	}
}

// FuzzParseMetadata holds the parser against the specification's own regular
// expression: what that finds must be found, or refused.
func FuzzParseMetadata(f *testing.F) {
	for _, seed := range []string{
		"", "# /// script\n# dependencies = ['a']\n# ///\n", "# /// script\r\n# dependencies = ['a']\r\n# ///\r\n", "\ufeff# /// script\n# ///\n",
		"# /// script\n# ///\n\n# /// script\n# dependencies=['a']\n# ///", "# /// a\n# ///\n# /// script\n# ///\n", "# /// script\n#\n# ///  \n# x\n", "x='''\r# /// script\r# ///\r'''",
	} {
		f.Add([]byte(seed))
	}
	// RE2 has no look-around and needs none here; \s of the original is one line end.
	reference := regexp.MustCompile(`(?m)^# /// ([a-zA-Z0-9-]+)\n((?:#(?:| .*)\n)+)# ///$`)
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := ParseMetadata(src)
		if err != nil && m != nil {
			t.Fatal("metadata beside an error")
		}
		if m != nil && m.Line < 1 {
			t.Fatalf("line %d", m.Line)
		}
		if strings.ContainsAny(string(src), "\r\v\f\t") || strings.Contains(string(src), " \n") || strings.HasPrefix(string(src), "\ufeff") {
			return // where we are deliberately more lenient
		}
		found := 0
		for _, match := range reference.FindAllSubmatch(src, -1) {
			if string(match[1]) == "script" {
				found++
			}
		}
		if found > 1 && err == nil || found == 1 && m == nil && err == nil {
			t.Fatalf("the reference finds %d blocks, we say %+v", found, m)
		}
	})
}

func BenchmarkNoMetadata(b *testing.B) {
	src := []byte(strings.Repeat("print('hello')  # a comment\n", 1000))
	for b.Loop() {
		if m, err := ParseMetadata(src); m != nil || err != nil {
			b.Fatal(m, err)
		}
	}
}
