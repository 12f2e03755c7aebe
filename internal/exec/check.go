package exec

// Every bound of a Request, checked before anything is started.

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

const (
	maxWord  = 128<<10 - 1 // one argument or variable: the kernel's own bound
	maxWords = 1 << 20     // all of them together
)

// job is a Request whose bounds were checked and whose defaults were filled in.
type job struct {
	id       string
	code     []byte
	name     string
	args     []string
	env      map[string]string
	stdin    io.Reader
	inputs   []Input
	limits   sandbox.Limits
	clamped  *Timeout
	value    bool
	figures  bool
	stdlib   bool
	from     zygote // as of the Request
	cold     bool
	fontSeed *fontList // shown to matplotlib; nil when it has to look for itself
}

// check turns a Request into a job, or says which field is wrong.
func (o Options) check(r Request) (*job, error) {
	j := &job{
		code: r.Code, args: r.Args, env: r.Env, stdin: r.Stdin, inputs: r.Inputs,
		value: r.Value, figures: !o.NoFigures, stdlib: r.StdlibOnly, from: r.from, cold: r.cold,
	}
	if r.Figures != nil {
		j.figures = *r.Figures
	}
	if err := checkCode(r.Code, o.MaxCodeBytes); err != nil {
		return nil, err
	}
	var err error
	if j.name, err = scriptName(r.Name); err != nil {
		return nil, err
	}
	if err := checkWords(r.Args, r.Env); err != nil {
		return nil, err
	}
	if err := checkInputs(r.Inputs, o); err != nil {
		return nil, err
	}
	if j.limits, j.clamped, err = o.limits(r.Limits); err != nil {
		return nil, err
	}
	return j, nil
}

// checkCode refuses what no interpreter could read as the caller meant it.
// Anything else, a syntax error too, is the interpreter's to judge.
func checkCode(code []byte, limit int64) error {
	if f := sourceFault(code, limit); f != nil {
		return &RequestError{Field: "code", Msg: f.msg, Hint: f.fix}
	}
	return nil
}

// lineAt is the number of the line that holds byte i; LF, CRLF and CR end lines.
func lineAt(p []byte, i int) int {
	p = p[:i]
	return 1 + bytes.Count(p, newline) + bytes.Count(p, []byte{'\r'}) - bytes.Count(p, []byte("\r\n"))
}

// scriptName is the name of the script's file inside. Names that would stand
// in the way of the job's own folders give way to main.py.
func scriptName(name string) (string, error) {
	switch {
	case name == "", name == "inputs", name == "artifacts", !utf8.ValidString(name):
		return "main.py", nil
	case name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return "", &RequestError{Field: "name", Msg: "is not the plain name of a file: " + shown(name)}
	case len(name) > maxPartBytes:
		return "", &RequestError{Field: "name", Msg: "is over 255 bytes"}
	}
	return name, nil
}

// checkWords checks arguments and variables against what exec can take.
func checkWords(args []string, env map[string]string) error {
	total := 0
	word := func(field, s string) error {
		total += len(s) + 1
		switch {
		case strings.IndexByte(s, 0) >= 0:
			return &RequestError{Field: field, Msg: "has a NUL byte"}
		case len(s) > maxWord:
			return &RequestError{Field: field, Msg: "is over 128 KiB", Hint: "pass long data on stdin or as an input file"}
		}
		return nil
	}
	for i, a := range args {
		if err := word(fmt.Sprintf("args[%d]", i), a); err != nil {
			return err
		}
	}
	for name, value := range env {
		if !isEnvName(name) {
			return &RequestError{Field: "env", Msg: "is not the name of a variable: " + shown(name), Hint: "letters, digits and _ only, no digit first"}
		}
		switch name {
		case "HOME", "TMPDIR", "INPUTS_DIR", "ARTIFACTS_DIR":
			return &RequestError{Field: "env." + name, Msg: "is set by pyrun and cannot be changed"}
		}
		if err := word("env."+name, name+"="+value); err != nil {
			return err
		}
	}
	if total > maxWords {
		return &RequestError{Field: "args", Msg: "are over 1 MiB together with env", Hint: "pass long data on stdin or as an input file"}
	}
	return nil
}

func isEnvName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
