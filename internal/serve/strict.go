package serve

// JSON read to the letter: no name twice, no half characters, nothing after the
// end. The reader behind it refuses these by itself; here they get words.

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// object reads v's members in their order.
func object(field string, v []byte, member func(name string, v jsontext.Value) error) error {
	d, err := opened(field, v, '{', "an object")
	if err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return syntax(field, err)
		}
		key := name.String() // a token lives until the next is read
		value, err := d.ReadValue()
		if err != nil {
			return syntax(field+"."+key, err)
		}
		if err := member(key, value); err != nil {
			return err
		}
	}
	return closed(field, d)
}

// array reads v's elements, or those of the array that v holds as a string of
// JSON: clients that know no arrays send it so.
func array(field string, v jsontext.Value, element func(at string, v jsontext.Value) error) error {
	if v.Kind() == '"' {
		inner, err := text(field, v)
		if err != nil {
			return err
		}
		v = jsontext.Value(strings.TrimSpace(inner))
		if len(v) == 0 || string(v) == "null" {
			return nil
		}
	}
	d, err := opened(field, v, '[', "an array")
	if err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		at := fmt.Sprintf("%s[%d]", field, i)
		value, err := d.ReadValue()
		if err != nil {
			return syntax(at, err)
		}
		if err := element(at, value); err != nil {
			return err
		}
	}
	return closed(field, d)
}

func opened(field string, v []byte, kind jsontext.Kind, name string) (*jsontext.Decoder, error) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if got := d.PeekKind(); got == 0 {
		_, err := d.ReadToken()
		return nil, syntax(field, err)
	} else if got != kind {
		return nil, mistake(field, "is not "+name)
	}
	_, err := d.ReadToken()
	return d, err
}

// closed reads the end of d's value and makes sure that nothing follows.
func closed(field string, d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return syntax(field, err)
	}
	if _, err := d.ReadToken(); err == nil {
		return mistake(field, "has something after its end")
	}
	return nil
}

func text(field string, v jsontext.Value) (string, error) {
	if v.Kind() != '"' {
		return "", mistake(field, "is not a string")
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return "", syntax(field, err)
	}
	return string(s), nil
}

// number is a JSON number, or one that arrives as a string.
func number(field string, v jsontext.Value) (float64, error) {
	written := string(v)
	if v.Kind() == '"' {
		var err error
		if written, err = text(field, v); err != nil {
			return 0, err
		}
	} else if v.Kind() != '0' {
		return 0, mistake(field, "is not a number")
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(written), 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.Copysign(math.MaxFloat64, n), nil
	}
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, mistake(field, "is not a number")
	}
	return n, nil
}

func mistake(field, msg string) error { return &exec.RequestError{Field: field, Msg: msg} }

func unknown(name, where string, known []string) error {
	hint := where + " takes no arguments"
	if len(known) > 0 {
		hint = where + " takes " + strings.Join(known, ", ")
	}
	return &exec.RequestError{Field: plain(name), Msg: "is not an argument", Hint: hint}
}

// syntax is a fault that the JSON reader found, in words for the caller.
func syntax(field string, err error) error {
	e := &exec.RequestError{Field: plain(field), Msg: "is not valid JSON"}
	var s *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Msg = "has a name twice"
		if errors.As(err, &s) && s.JSONPointer != "" {
			e.Msg += ": " + plain(s.JSONPointer.LastToken())
		}
	case errors.As(err, &s):
		if strings.Contains(s.Error(), "surrogate") || strings.Contains(s.Error(), "UTF-8") {
			e.Msg, e.Hint = "has half a character (a lone surrogate) or bytes that are not UTF-8", "send the whole character, or write it as an escape in the source"
		} else if s.Err != nil {
			e.Msg += ": " + s.Err.Error()
		}
	}
	return e
}

// plain is a caller's word as it may stand in a message: short, and nothing that
// could be obeyed.
func plain(s string) string {
	q := strconv.QuoteToGraphic(s)
	q = q[1 : len(q)-1]
	if len(q) > 100 {
		q = strings.ToValidUTF8(q[:100], "") + "..."
	}
	return q
}
