package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// contentOf is the answer to a run that gave r.
func contentOf(t *testing.T, r *exec.Result, o Options, mode string, stdio bool) (string, *mcp.CallToolResult) {
	t.Helper()
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	shown := *r
	a, err := newServer(t, &fake{}, o).content(&shown, mode, stdio)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(r); !bytes.Equal(before, after) {
		t.Error("the Result itself was changed")
	}
	return a.Content[0].(*mcp.TextContent).Text, a
}

// The text is, to the byte, what json.dumps(ensure_ascii=False, indent=2) writes:
// clients of the first Python runner parse it, and some of them by eye.
func TestTextIsTheFirstRunners(t *testing.T) {
	r := result()
	r.Stdout = "é 😀 <b>&\"\\/\b\f\r\t\x01\n"
	r.Artifacts = []exec.Artifact{
		{Path: "a.bin", MediaType: "application/octet-stream", Size: 3, SHA256: "ab", Content: []byte{0, 1, 2}},
		{Path: "big.bin", Size: 9, Error: "too large"},
	}
	want := `{
  "stdout": "é 😀 <b>&\"\\/\b\f\r\t\u0001\n",
  "stderr": "",
  "exit_code": 0,
  "duration_ms": 41,
  "timed_out": false,
  "artifacts": [
    {
      "path": "a.bin",
      "media_type": "application/octet-stream",
      "size": 3,
      "sha256": "ab",
      "content_base64": "AAEC"
    },
    {
      "path": "big.bin",
      "size": 9,
      "error": "too large"
    }
  ],
  "verdict": "ok",
  "request_id": "a1b2c3d4",
  "sandbox": {
    "backend": "native",
    "layers": [
      "user"
    ],
    "memory": "cgroup2",
    "network": "loopback"
  },
  "usage": {
    "cpu_ms": 0,
    "peak_memory_bytes": 0,
    "queue_ms": 0,
    "start_ms": 0
  }
}`
	text, a := contentOf(t, r, Options{}, "", false)
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	sameObject(t, text, a)
}

// sameObject compares structuredContent with the text.
func sameObject(t *testing.T, text string, a *mcp.CallToolResult) {
	t.Helper()
	var fromText, object any
	raw, _ := json.Marshal(a.StructuredContent)
	if err := json.Unmarshal([]byte(text), &fromText); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(fromText, object); d != "" {
		t.Errorf("structuredContent is another object: %s", d)
	}
}

func TestStructuredContent(t *testing.T) {
	r := result()
	r.Stdout = strings.Repeat("x", 300<<10)
	if _, a := contentOf(t, r, Options{}, "", false); a.StructuredContent != nil {
		t.Error("the object doubles an answer of 300 KiB")
	}
	r.Stdout = ""
	r.Artifacts = []exec.Artifact{picture(t, "png", 10, 10)}
	if _, a := contentOf(t, r, Options{}, artifactsAuto, false); a.StructuredContent != nil {
		t.Error("the object hides the image from clients that read nothing else")
	}
	if _, a := contentOf(t, r, Options{}, artifactsInline, false); a.StructuredContent == nil || len(a.Content) != 1 {
		t.Errorf("inline: %+v", a)
	}
}

// picture is an artifact of so many pixels.
func picture(t testing.TB, kind string, w, h int) exec.Artifact {
	t.Helper()
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, w, h))
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return exec.Artifact{Path: "p." + kind, MediaType: "image/" + kind, Size: int64(b.Len()), Content: b.Bytes()}
}

// padded makes a picture as large as n bytes; readers ignore what follows.
func padded(a exec.Artifact, n int) exec.Artifact {
	a.Content = append(a.Content, make([]byte, n-len(a.Content))...)
	a.Size = int64(n)
	return a
}

// a webp of one pixel
const tinyWebP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

func TestUsable(t *testing.T) {
	webpData, _ := base64.StdEncoding.DecodeString(tinyWebP)
	noise := make([]byte, 65<<10)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	file := func(path, mediaType string, data []byte) exec.Artifact {
		return exec.Artifact{Path: path, MediaType: mediaType, Size: int64(len(data)), Content: data}
	}
	for name, c := range map[string]struct {
		in     exec.Artifact
		images int
		want   string // the keys and, for errors, a part of it
	}{
		"png":                 {picture(t, "png", 10, 10), 1, "content_index"},
		"jpeg":                {picture(t, "jpeg", 10, 10), 1, "content_index"},
		"gif":                 {picture(t, "gif", 10, 10), 1, "content_index"},
		"webp":                {file("p.webp", "image/webp", webpData), 1, "content_index"},
		"png, the most":       {picture(t, "png", 2000, 2000), 1, "content_index"},
		"png, 700 KB":         {padded(picture(t, "png", 10, 10), 700<<10), 1, "content_index"},
		"png, more":           {padded(picture(t, "png", 10, 10), 700<<10+1), 0, "not in this answer (700.0 KiB): images are shown up to 700 KiB in one answer; print"},
		"png, wide and large": {padded(picture(t, "png", 2001, 10), 100<<10), 0, "it is 2001x10 pixels, and images are shown up to 2000 a side"},
		"no png, small":       {file("p.png", "image/png", noise[:100]), 0, "content_base64"},
		"text called png":     {file("p.png", "image/png", []byte("hello")), 0, "content_text"},
		"no png, large":       {file("p.png", "image/png", noise), 0, "it is not what its name says, image/png"},
		"a png called jpeg":   {file("p.jpg", "image/jpeg", padded(picture(t, "png", 10, 10), 65<<10).Content), 0, "it is not what its name says, image/jpeg"},
		"svg":                 {file("p.svg", "image/svg+xml", []byte("<svg/>")), 0, "content_text"},
		"text":                {file("a.csv", "text/csv", []byte("a,b\n1,2\n")), 0, "content_text"},
		"empty":               {file("a.csv", "text/csv", []byte{}), 0, "content_text"},
		"text, 8 KiB":         {file("a", "text/plain", bytes.Repeat([]byte("é"), 4<<10)), 0, "content_text"},
		"text, more":          {file("a", "text/plain", bytes.Repeat([]byte("x"), 8<<10+1)), 0, "content_base64"},
		"escapes":             {file("a", "text/plain", []byte("\x1b[31m")), 0, "content_base64"},
		"not UTF-8":           {file("a", "text/plain", []byte("\xff")), 0, "content_base64"},
		"64 KiB":              {file("a", "text/plain", noise[:64<<10]), 0, "content_base64"},
		"more":                {file("a", "text/plain", noise[:64<<10+1]), 0, "only small files and images are"},
		"too large before":    {exec.Artifact{Path: "a", Size: 1 << 30, Error: "too large"}, 0, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			r := result()
			r.Artifacts = []exec.Artifact{c.in}
			text, a := contentOf(t, r, Options{}, artifactsAuto, false)
			if len(a.Content) != 1+c.images {
				t.Errorf("%d blocks", len(a.Content))
			}
			if c.images == 1 {
				img := a.Content[1].(*mcp.ImageContent)
				if img.MIMEType != c.in.MediaType || !bytes.Equal(img.Data, c.in.Content) {
					t.Errorf("image %s of %d bytes", img.MIMEType, len(img.Data))
				}
			}
			var got struct {
				Artifacts []map[string]any `json:"artifacts"`
			}
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			told := fmt.Sprint(got.Artifacts[0])
			if !strings.Contains(told, c.want) || c.images == 1 && got.Artifacts[0]["content_index"] != 1.0 {
				t.Errorf("%.300s", told)
			}
			ways := 0
			for _, key := range []string{"content_index", "content_text", "content_base64", "error"} {
				if _, ok := got.Artifacts[0][key]; ok {
					ways++
				}
			}
			if ways != 1 {
				t.Errorf("%d ways to the content: %.300s", ways, told)
			}
		})
	}
}

// All images of an answer together stay below what clients take.
func TestImagesTogether(t *testing.T) {
	r := result()
	for range 3 {
		r.Artifacts = append(r.Artifacts, padded(picture(t, "png", 10, 10), 300<<10))
	}
	r.Artifacts = append(r.Artifacts, picture(t, "gif", 10, 10))
	text, a := contentOf(t, r, Options{}, "", true)
	if len(a.Content) != 4 || strings.Count(text, `"content_index"`) != 3 || strings.Count(text, "images are shown up to") != 1 || !strings.Contains(text, `"content_index": 3`) {
		t.Errorf("%d blocks, %s", len(a.Content), text)
	}
}

// Over stdio an answer stays below what clients put aside, whatever a script leaves behind.
func TestFit(t *testing.T) {
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	blob := func(n int) exec.Artifact {
		return exec.Artifact{Path: "b.bin", MediaType: "application/octet-stream", Size: int64(n), Content: bytes.Repeat([]byte{0xff}, n)}
	}
	for name, change := range map[string]func(r *exec.Result){
		"nothing":        func(r *exec.Result) {},
		"lines":          func(r *exec.Result) { r.Stdout = long("line\n", 200_000) },
		"newlines":       func(r *exec.Result) { r.Stdout = long("\n", 1<<20) },
		"controls":       func(r *exec.Result) { r.Stdout = long("\x01", 1<<20) },
		"no newline":     func(r *exec.Result) { r.Stdout = long("x", 1<<20) },
		"emoji":          func(r *exec.Result) { r.Stdout = long("😀", 1<<18) },
		"invisible":      func(r *exec.Result) { r.Stdout = long("\U000e0001", 1<<18) },
		"stderr":         func(r *exec.Result) { r.Stderr = long("oops\n", 200_000) },
		"both":           func(r *exec.Result) { r.Stdout, r.Stderr = long("out\n", 200_000), long("err\n", 200_000) },
		"long and short": func(r *exec.Result) { r.Stdout, r.Stderr = long("out\n", 200_000), "Traceback\n" },
		"a file":         func(r *exec.Result) { r.Artifacts = []exec.Artifact{blob(64 << 10)} },
		"many files": func(r *exec.Result) {
			for range 64 {
				r.Artifacts = append(r.Artifacts, blob(8<<10))
			}
		},
		"files and output": func(r *exec.Result) {
			r.Stdout = long("out\n", 200_000)
			r.Artifacts = []exec.Artifact{blob(64 << 10), blob(100)}
		},
		"skipped": func(r *exec.Result) {
			for i := range 4096 {
				r.Skipped = append(r.Skipped, exec.Skipped{Path: fmt.Sprintf("%s%d", long("n", 200), i), Reason: "is a symbolic link"})
			}
		},
		"long names": func(r *exec.Result) {
			for range 64 {
				a := blob(10)
				a.Path = long("d/", 2000)
				r.Artifacts = append(r.Artifacts, a)
			}
		},
		"everything": func(r *exec.Result) {
			r.Value = long("v", 4096)
			r.Error = &exec.ScriptError{Type: "E", Message: long("m", 2048), Code: long("c", 1024)}
			r.Stdout, r.Stderr = long("\x01", 1<<20), long("\x02", 1<<20)
			for i := range 64 {
				r.Artifacts = append(r.Artifacts, blob(64<<10))
				r.Skipped = append(r.Skipped, exec.Skipped{Path: fmt.Sprint(i, long("x", 1000)), Reason: "r"})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := result()
			change(r)
			text, a := contentOf(t, r, Options{}, "", true)
			if n := utf8.RuneCountInString(text); n > maxStdioText {
				t.Errorf("%d characters", n)
			} else if n < maxStdioText/3 && len(r.Stdout)+len(r.Stderr) > maxStdioText {
				t.Errorf("only %d characters", n)
			}
			sameObject(t, text, a)
			var got exec.Result
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			for what, s := range map[string][2]string{"stdout": {r.Stdout, got.Stdout}, "stderr": {r.Stderr, got.Stderr}} {
				if s[0] == s[1] {
					continue
				}
				var left, lines int
				head, rest, ok := strings.Cut(s[1], "... [")
				if _, err := fmt.Sscanf(rest, "%d bytes, %d lines omitted", &left, &lines); err != nil || !ok {
					t.Fatalf("%s has no mark: %.100q", what, s[1])
				}
				_, tail, _ := strings.Cut(rest, "...\n")
				if !strings.HasPrefix(s[0], strings.TrimSuffix(head, "\n")) || !strings.HasSuffix(s[0], tail) {
					t.Errorf("%s: neither its head nor its tail", what)
				}
				if d := len(head) + len(tail) + left - len(s[0]); d != 0 && d != 1 { // the mark has a line of its own
					t.Errorf("%s: %d bytes are not accounted for", what, d)
				}
				if got.Truncated == nil {
					t.Errorf("%s: truncated is not told", what)
				}
			}
			if len(got.Artifacts)+len(got.Skipped) < min(1, len(r.Artifacts)+len(r.Skipped)) {
				t.Error("names vanished without a word")
			}
		})
	}
}

// What was cut before keeps its count when it is cut again.
func TestFitCountsWhatWasCutBefore(t *testing.T) {
	r := result()
	x := real(t)
	done, err := x.Execute(t.Context(), exec.Request{Code: []byte("for i in range(200_000): print(i)")})
	if err != nil {
		t.Fatal(err)
	}
	r.Stdout, r.Truncated = done.Stdout, done.Truncated
	text, _ := contentOf(t, r, Options{}, "", true)
	var got exec.Result
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(got.Stdout, "... [")
	_, tail, _ := strings.Cut(rest, "...\n")
	var left, lines int
	if _, err := fmt.Sscanf(rest, "%d bytes, %d lines omitted", &left, &lines); err != nil {
		t.Fatalf("%v in %.100q", err, rest)
	}
	if strings.Count(head, "\n")+lines+strings.Count(tail, "\n") != 200_000 || strings.Contains(head+tail, "omitted") {
		t.Errorf("%d lines before, %d omitted, %d after", strings.Count(head, "\n"), lines, strings.Count(tail, "\n"))
	}
}

// Who asks for every byte gets every byte, over stdio too.
func TestInlineIsInline(t *testing.T) {
	for _, stdio := range []bool{false, true} {
		for _, o := range []struct{ mode, setting string }{{artifactsInline, ""}, {"", artifactsInline}, {artifactsInline, artifactsAuto}} {
			r := result()
			r.Stdout = strings.Repeat("out\n", 100_000)
			r.Artifacts = []exec.Artifact{picture(t, "png", 10, 10), {Path: "b", MediaType: "x/y", Size: 100 << 10, Content: make([]byte, 100<<10)}}
			text, a := contentOf(t, r, Options{Artifacts: o.setting}, o.mode, stdio)
			if len(a.Content) != 1 || strings.Count(text, `"content_base64"`) != 2 || strings.Contains(text, `"error"`) {
				t.Errorf("stdio %v, %+v: %d blocks, %d contents", stdio, o, len(a.Content), strings.Count(text, `"content_base64"`))
			}
			var got exec.Result
			if err := json.Unmarshal([]byte(text), &got); err != nil || stdio != (len(got.Stdout) < maxStdioText) {
				t.Errorf("stdio %v: %d bytes of stdout (%v)", stdio, len(got.Stdout), err)
			}
		}
	}
}

// HTTP is inline, stdio is auto, the setting comes before, the call before that.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		setting, mode string
		stdio, image  bool
	}{
		{"", "", false, false},
		{"", "", true, true},
		{artifactsAuto, "", false, true},
		{artifactsInline, "", true, false},
		{artifactsInline, artifactsAuto, false, true},
		{artifactsAuto, artifactsInline, true, false},
	} {
		r := result()
		r.Artifacts = []exec.Artifact{picture(t, "png", 10, 10)}
		if _, a := contentOf(t, r, Options{Artifacts: c.setting}, c.mode, c.stdio); (len(a.Content) == 2) != c.image {
			t.Errorf("%+v: %d blocks", c, len(a.Content))
		}
	}
}

// run_python answers in the second runner's lines, to the byte.
func TestRunText(t *testing.T) {
	with := func(change func(r *exec.Result)) *exec.Result { r := result(); change(r); return r }
	for want, r := range map[string]*exec.Result{
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- exit_code: 0 | duration: 0.041s ---": result(),
		"[request_id=a1b2c3d4]\n--- stdout ---\n\n--- exit_code: 0 | duration: 12.000s ---":    with(func(r *exec.Result) { r.Stdout, r.DurationMS = "", 12000 }),
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- exit_code: 3 | duration: 0.041s ---": with(func(r *exec.Result) { r.Stdout, r.ExitCode, r.Verdict = "45", 3, exec.VerdictError }),
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n--- stderr ---\noops\n\n--- exit_code: 1 | duration: 0.041s ---\n--- hint: do it otherwise ---": with(func(r *exec.Result) {
			r.Stderr, r.ExitCode, r.Verdict, r.Hint = "oops", 1, exec.VerdictError, "do it otherwise"
		}),
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- exit_code: 137 | duration: 5.003s ---\n--- timeout: the time limit of 5s was reached ---": with(func(r *exec.Result) {
			r.ExitCode, r.DurationMS, r.Verdict, r.TimedOut, r.Hint = 137, 5003, exec.VerdictTimeout, true, "the time limit of 5s was reached"
		}),
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- exit_code: 139 | duration: 0.041s ---\n--- signal: SIGSEGV ---": with(func(r *exec.Result) { r.ExitCode, r.Verdict, r.Signal = 139, exec.VerdictSignal, "SIGSEGV" }),
		"[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- exit_code: 0 | duration: 0.041s ---\n--- clamped: asked 1000s, allowed 300s ---\n--- truncated: stdout had 9 bytes, stderr 0 ---": with(func(r *exec.Result) {
			r.Timeout, r.Truncated = &exec.Timeout{Requested: 1000, Effective: 300}, &exec.Truncated{StdoutBytes: 9}
		}),
	} {
		if d := cmp.Diff(want, runText(r)); d != "" {
			t.Error(d)
		}
	}
}

// validate_code and check_environment answer in the first runner's lines.
func TestReports(t *testing.T) {
	problem := exec.Diagnostic{Line: 3, Column: 7, Code: "PYR101", Severity: exec.SeverityProblem, Message: "'(' was never closed", Text: "  print((", Fix: "close it"}
	note := exec.Diagnostic{Line: 1, Column: 1, Code: "PYR310", Severity: exec.SeverityNote, Message: "tomli may be missing"}
	const valid = "VALID\npolicy: offline sandbox (no runtime installs)\npreinstalled_packages (2): numpy 2.3.1, scikit-learn 1.8.0 (import sklearn)"
	refused := exec.Diagnostic{Code: "PYR201", Severity: exec.SeverityProblem, Message: "inline dependencies are refused"}
	for want, r := range map[string]*exec.Report{
		valid: {},

		valid + "\nnote: line 1, column 1: tomli may be missing [PYR310]": {Diagnostics: []exec.Diagnostic{note}},

		"INVALID: line 3, column 7: '(' was never closed [PYR101]\n    print((\n    fix: close it": {
			Problems: 1, Diagnostics: []exec.Diagnostic{note, problem},
		},

		"INVALID: inline dependencies are refused [PYR201]": {Diagnostics: []exec.Diagnostic{refused}},
	} {
		if d := cmp.Diff(want, reportText(r, environment())); d != "" {
			t.Error(d)
		}
	}
	many := &exec.Report{}
	for range 100 {
		many.Diagnostics = append(many.Diagnostics, problem)
	}
	if text := reportText(many, nil); !strings.HasSuffix(text, "\nand 80 more") {
		t.Errorf("%.200s", text)
	}
	if got := reportText(&exec.Report{}, nil); got != "VALID\npolicy: offline sandbox (no runtime installs)" {
		t.Errorf("%q", got)
	}
	want := `Python version: 3.14.6
Runtime interpreter: /opt/python/bin/python3 (embedded)
Platform: linux amd64, kernel 6.18.0
Sandbox backend: native
Sandbox status: every wall was tried and holds: namespaces, seccomp
Network: loopback only: no egress, no package install
Default timeout: 30s
Max timeout: 300s
Max memory: 512 MiB (held by cgroup2)
Max processes: 64
Max disk: 256 MiB, one file 64 MiB
Max stdout/stderr: 1048576 bytes
Max artifact file: 5242880 bytes
Max input file: 5242880 bytes
Max input files: 16
Preinstalled packages (import these only):
  - numpy 2.3.1
  - scikit-learn 1.8.0 (import sklearn)
Problem: polars is not installed
  Remedy: pyrun packages install
Write binaries to ARTIFACTS_DIR; they return in JSON field artifacts[].`
	if d := cmp.Diff(want, environmentText(environment())); d != "" {
		t.Error(d)
	}
}

// The tools' names, annotations and schemas are the contract's.
func TestTools(t *testing.T) {
	s := newServer(t, &fake{}, Options{Tools: []string{toolExecute, toolValidate, toolCheck, toolRun}})
	if _, err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := connect(t, listen(t, s), "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, tool := range list.Tools {
		runs := tool.Name == toolExecute || tool.Name == toolRun
		a := tool.Annotations
		if a.ReadOnlyHint == runs || *a.DestructiveHint != runs || a.IdempotentHint == runs || *a.OpenWorldHint || tool.OutputSchema != nil {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		raw, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(raw), `"type":[`) || !strings.Contains(string(raw), `"additionalProperties":false`) {
			t.Errorf("%s: %s", tool.Name, raw)
		}
		var schema struct {
			Required   []string
			Properties map[string]map[string]any
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		for _, name := range takes(tool.Name) {
			if schema.Properties[name] == nil {
				t.Errorf("%s takes %s and does not say so", tool.Name, name)
			}
		}
		if len(schema.Properties) != len(takes(tool.Name)) {
			t.Errorf("%s: %v, but takes %v", tool.Name, schema.Properties, takes(tool.Name))
		}
		if runs && (schema.Properties["timeout"]["default"] != 30.0 || cmp.Diff(schema.Required, []string{"code"}) != "") {
			t.Errorf("%s: %s", tool.Name, raw)
		}
		data, _ := json.Marshal(tool)
		total += len(data)
	}
	if len(list.Tools) != 4 || total > 4400 {
		t.Errorf("%d tools in %d bytes: every conversation pays for them", len(list.Tools), total)
	}
	if _, err := New(&fake{}, Options{Tools: []string{"shell"}}); err == nil || !strings.Contains(err.Error(), "run_python") {
		t.Errorf("a tool that is none: %v", err)
	}
}

// A schema lists its properties in the order in which a model should fill them in.
func TestSchemaOrder(t *testing.T) {
	raw := string(newServer(t, &fake{}, Options{}).tool(toolExecute, nil).InputSchema.(json.RawMessage))
	last := -1
	for _, name := range takes(toolExecute) {
		at := strings.Index(raw, `"`+name+`":{`)
		if at < last {
			t.Errorf("%s comes too early in %s", name, raw)
		}
		last = at
	}
}

// The text of an answer is what Encode writes with an indent.
func TestIndentedIsEncode(t *testing.T) {
	odd := result()
	odd.Stdout, odd.Stderr, odd.Truncated = "{\"a\": [1, {}]}\n<b>&\u2028\u202e\x7f\xff é\n", `\"},{[`, &exec.Truncated{StdoutBytes: 9}
	odd.Artifacts = []exec.Artifact{{Path: "a\u202eb", Size: 3, Content: []byte("abc")}, {Path: "", Error: "x"}}
	for _, r := range []*exec.Result{{}, result(), odd} {
		var want strings.Builder
		if err := r.Encode(&want, "  "); err != nil {
			t.Fatal(err)
		}
		object, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), indented(object)+"\n"); diff != "" {
			t.Error(diff)
		}
	}
}
