package config

// This file holds what is said when the file is no YAML: the parser's words,
// at the line they are about.

import (
	"bytes"
	"strconv"
	"strings"
)

const noAnchors = "anchors and aliases (& and *) are not understood here; write the value out, in quotes if it is text"

// syntax turns the parser's "yaml: line 3: did not find ..." into our form.
func (d *document) syntax(data []byte, err error) error {
	// A tab is what the parser's words hide most often.
	for i, line := range bytes.Split(data, []byte("\n")) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 && len(indent) < len(line) {
			return &Error{Source: at(d.shown, i+1), Msg: "a tab cannot indent; use spaces"}
		}
	}
	msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if number, text, ok := strings.Cut(rest, ": "); ok && digits(number) {
			msg = text
			line, _ = strconv.Atoi(number)
			if countsFromZero(text) {
				line++
			}
		}
	}
	if name, ok := strings.CutPrefix(msg, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		return &Error{Source: at(d.shown, lineOf(data, max(0, bytes.Index(data, []byte("*"+name))))), Msg: noAnchors}
	}
	if strings.HasSuffix(msg, "alphabetic or numeric character") {
		msg += "; text that begins with * or & stands in quotes"
	}
	line = min(line, lineOf(data, len(bytes.TrimRight(data, "\r\n"))))
	return &Error{Source: at(d.shown, line), Msg: "is not YAML: " + msg}
}

// countsFromZero knows the messages that yaml v3 gives a line too low: those of
// its parser, not of its scanner.
func countsFromZero(msg string) bool {
	switch strings.TrimPrefix(msg, "did not find expected ") {
	case "key", "node content", "'-' indicator", "',' or ']'", "',' or '}'", "<document start>":
		return true
	}
	return false
}
