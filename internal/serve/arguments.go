package serve

// Arguments of a tool call, read to the letter: an unknown or repeated name, a
// wrong type or half a character is the caller's mistake, and is named.

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// arguments are those of every tool; a tool takes some of them.
type arguments struct {
	code      string
	hasCode   bool
	timeout   float64 // seconds; 0 is none
	asked     bool    // timeout was given
	files     []exec.Input
	stdin     string
	hasStdin  bool
	args      []string
	artifacts string
}

// takes names what a tool takes, in the order it is told to a caller.
func takes(tool string) []string {
	switch tool {
	case toolExecute:
		return []string{"code", "timeout", "files", "stdin", "args", "artifacts"}
	case toolRun:
		return []string{"code", "timeout"}
	case toolValidate:
		return []string{"code"}
	}
	return nil
}

// readArguments reads the arguments of tool. Errors are *exec.RequestErrors.
func (s *Server) readArguments(tool string, raw []byte) (*arguments, error) {
	a := &arguments{}
	known := takes(tool)
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = []byte("{}")
	}
	err := object("arguments", raw, func(name string, v jsontext.Value) error {
		if !slices.Contains(known, name) {
			return unknown(name, tool, known)
		}
		if v.Kind() == 'n' && name != "code" { // left out, in other words
			return nil
		}
		var err error
		switch name {
		case "code":
			a.code, err = text(name, v)
			a.hasCode = true
		case "timeout":
			a.timeout, err = number(name, v)
			a.asked = true
		case "files":
			a.files, err = s.files(v)
		case "stdin":
			a.stdin, err = text(name, v)
			a.hasStdin = true
		case "args":
			err = array(name, v, func(at string, v jsontext.Value) error {
				word, err := text(at, v)
				a.args = append(a.args, word)
				return err
			})
		case "artifacts":
			a.artifacts, err = text(name, v)
			if err == nil && a.artifacts != artifactsAuto && a.artifacts != artifactsInline {
				err = mistake(name, "is neither auto nor inline")
			}
		}
		return err
	})
	if err == nil && slices.Contains(known, "code") && !a.hasCode {
		err = mistake("code", "is missing")
	}
	return a, err
}

// files reads the list of input files. What they hold is bounded before it is decoded.
func (s *Server) files(v jsontext.Value) ([]exec.Input, error) {
	b := s.options.Bounds
	var list []exec.Input
	left := b.MaxInputsTotal
	err := array("files", v, func(at string, v jsontext.Value) error {
		if len(list) == b.MaxInputs {
			return mistake("files", fmt.Sprintf("are more than %d", b.MaxInputs))
		}
		in, from := exec.Input{Data: []byte{}}, ""
		err := object(at, v, func(name string, v jsontext.Value) error {
			switch name {
			case "path":
				var err error
				in.Name, err = text(at+".path", v)
				return err
			case "content", "content_base64", "contentBase64":
				if v.Kind() == 'n' {
					return nil
				}
				if from != "" {
					return mistake(at, "has both "+from+" and "+name)
				}
				from = name
				content, err := text(at+"."+name, v)
				if err != nil {
					return err
				}
				if name != "content" {
					in.Data, err = decode(at+"."+name, content, min(left, b.MaxInputBytes))
				} else if in.Data = []byte(content); int64(len(content)) > min(left, b.MaxInputBytes) {
					err = tooLarge(at+".content", min(left, b.MaxInputBytes))
				}
				left -= int64(len(in.Data))
				return err
			}
			return unknown(at+"."+name, "a file", []string{"path", "content", "content_base64"})
		})
		switch {
		case err != nil:
			return err
		case in.Name == "":
			return mistake(at+".path", "is missing")
		case from == "":
			return mistake(at, "has neither content nor content_base64")
		}
		list = append(list, in)
		return nil
	})
	return list, err
}

// decode is strict base64, of bounded length before anything is decoded.
// Line breaks, which some encoders write, are no fault.
func decode(field, encoded string, most int64) ([]byte, error) {
	if strings.ContainsAny(encoded, "\r\n") {
		encoded = strings.NewReplacer("\r", "", "\n", "").Replace(encoded)
	}
	if int64(len(encoded)) > (most+2)/3*4 {
		return nil, tooLarge(field, most)
	}
	if strings.HasPrefix(encoded, "data:") {
		return nil, &exec.RequestError{Field: field, Msg: "is a data: URL", Hint: "send only what stands after the comma"}
	}
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, &exec.RequestError{Field: field, Msg: "is not base64: " + strings.ReplaceAll(err.Error(), "illegal base64 data", "wrong"), Hint: "standard alphabet, with padding; plain text goes into content"}
	}
	if int64(len(data)) > most {
		return nil, tooLarge(field, most)
	}
	return data, nil
}

func tooLarge(field string, most int64) error {
	return mistake(field, fmt.Sprintf("is over %d bytes, which is what a file, or all files together, may have", most))
}

// clamp brings a timeout between one second and the longest; told is nil where
// nothing had to be changed.
func (b Bounds) clamp(asked float64) (d time.Duration, told *exec.Timeout) {
	most := b.MaxTimeout.Seconds()
	switch effective := max(min(1, most), min(asked, most)); {
	case effective != asked:
		return time.Duration(effective * float64(time.Second)), &exec.Timeout{Requested: asked, Effective: effective}
	default:
		return time.Duration(asked * float64(time.Second)), nil
	}
}
