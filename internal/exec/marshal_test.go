package exec

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func full() *Result {
	return &Result{
		Stdout: "<b> & \u2028 ok\n", Stderr: "e", ExitCode: 1, DurationMS: 2, TimedOut: true,
		Artifacts: []Artifact{
			{Path: "a.png", MediaType: "image/png", Size: 3, SHA256: "00", Content: []byte("abc")},
			{Path: "empty", MediaType: "x/y", SHA256: "e3", Content: []byte{}},
			{Path: "kept", Size: 1, SHA256: "11", File: "/runs/kept"},
			{Path: "big", Size: 99, Error: "too large"},
		},
		Verdict: VerdictError, RequestID: "0a1b2c3d",
		Sandbox: SandboxInfo{Backend: "native", Layers: []string{"user"}, Memory: "cgroup2", Network: "loopback"},
		Usage:   Usage{1, 2, 3, 4}, Value: "42", Error: &ScriptError{"E", "m", 3, "c"}, Signal: "SIGHUP", Hint: "h",
		Truncated: &Truncated{StdoutBytes: 5, StderrBytes: 6}, Skipped: []Skipped{{"p", "r"}}, Timeout: &Timeout{301, 300},
	}
}

func TestEncodeOrder(t *testing.T) {
	var b bytes.Buffer
	if err := full().Encode(&b, "  "); err != nil {
		t.Fatal(err)
	}
	var top []string
	for _, m := range regexp.MustCompile(`(?m)^  "(\w+)":`).FindAllStringSubmatch(b.String(), -1) {
		top = append(top, m[1])
	}
	want := strings.Fields("stdout stderr exit_code duration_ms timed_out artifacts verdict request_id sandbox usage value error signal hint truncated skipped timeout")
	if d := cmp.Diff(want, top); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	for _, part := range []string{
		`"stdout": "<b> & \u2028 ok\n"`,
		"      \"path\": \"a.png\",\n      \"media_type\": \"image/png\",\n      \"size\": 3,\n      \"sha256\": \"00\",\n      \"content_base64\": \"YWJj\"\n",
		"\"sha256\": \"e3\",\n      \"content_base64\": \"\"\n",
		"\"sha256\": \"11\",\n      \"file\": \"/runs/kept\"\n",
		"\"size\": 99,\n      \"error\": \"too large\"\n",
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %s in\n%s", part, b.String())
		}
	}
}

func TestEncodeLeastKeys(t *testing.T) {
	var b bytes.Buffer
	r := &Result{Artifacts: []Artifact{}, Sandbox: SandboxInfo{Layers: []string{}}, Verdict: VerdictOK, RequestID: "00000000"}
	if err := r.Encode(&b, ""); err != nil {
		t.Fatal(err)
	}
	const want = `{"stdout":"","stderr":"","exit_code":0,"duration_ms":0,"timed_out":false,"artifacts":[],"verdict":"ok","request_id":"00000000",` +
		`"sandbox":{"backend":"","layers":[],"memory":"","network":""},"usage":{"cpu_ms":0,"peak_memory_bytes":0,"queue_ms":0,"start_ms":0}}` + "\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}

func TestEncodeIsHarmless(t *testing.T) {
	text := "\x1b]0;x\x07\x7f\u009b31m\u202eab\u200b\U000e0041 é 🐍\n"
	r := &Result{Stdout: text, Artifacts: []Artifact{}}
	var b bytes.Buffer
	if err := r.Encode(&b, ""); err != nil {
		t.Fatal(err)
	}
	if bad := regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}\x{200b}\x{202e}\x{e0041}]`).FindString(b.String()); bad != "" {
		t.Errorf("%q passed", bad)
	}
	var back Result
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Stdout != text {
		t.Errorf("came back as %q, %v", back.Stdout, err)
	}
	if !strings.Contains(b.String(), "é 🐍") {
		t.Error("plain characters were escaped")
	}
}
