package config

// This file holds the YAML of the file: sections of plain values. Lines are
// kept, so that each value and each mistake can say where it stands. Aliases
// and anchors are refused: settings need none, and bombs are made of them.

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is the file as a koanf parser.
type document struct {
	candidate
	notes []string
	lines map[string]int // first line of each section and key
}

// Marshal is not used: pyrun writes no configuration.
func (d *document) Marshal(map[string]any) ([]byte, error) {
	return nil, errors.New("a configuration file is only read")
}

// Unmarshal gives the entries by section and key.
func (d *document) Unmarshal(data []byte) (map[string]any, error) {
	var root, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&root); {
	case errors.Is(err, io.EOF):
		d.notes = append(d.notes, d.shown+" is empty: it sets nothing")
		return map[string]any{}, nil
	case err != nil:
		return nil, d.syntax(data, err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, d.fail(&more, "", "a second document begins; a configuration file holds one")
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntax(data, err)
	}
	top := root.Content[0]
	if null(top) {
		d.notes = append(d.notes, d.shown+" is empty: it sets nothing")
		return map[string]any{}, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, d.fail(top, "", "wants sections (service:, runner:, serve:), not "+what(top))
	}
	d.lines = make(map[string]int)
	out := make(map[string]any)
	for i := 0; i < len(top.Content); i += 2 {
		if err := d.section(top.Content[i], top.Content[i+1], out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *document) section(name, body *yaml.Node, out map[string]any) error {
	if err := d.plain(name, ""); err != nil {
		return err
	}
	sec, ok := section(name.Value)
	if !ok {
		return d.fail(name, "", unknownSection(name.Value))
	}
	if line, twice := d.lines[name.Value]; twice {
		return d.fail(name, "", "section "+name.Value+" stands here a second time; it began on line "+strconv.Itoa(line))
	}
	d.lines[name.Value] = name.Line
	if sec == monitorSection {
		d.notes = append(d.notes, at(d.shown, name.Line)+": "+name.Value+
			" does nothing; metrics are set with service.metrics_host and service.metrics_port")
		return nil
	}
	if null(body) {
		return nil
	}
	if err := d.noAlias(body); err != nil {
		return err
	}
	if body.Kind != yaml.MappingNode {
		return d.fail(body, "", "section "+name.Value+" wants keys with values, not "+what(body))
	}
	values, _ := out[sec].(map[string]any)
	if values == nil {
		values = make(map[string]any)
		out[sec] = values
	}
	for i := 0; i < len(body.Content); i += 2 {
		if err := d.key(sec, name.Value, body.Content[i], body.Content[i+1], values); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) key(sec, written string, name, value *yaml.Node, values map[string]any) error {
	if err := d.plain(name, ""); err != nil {
		return err
	}
	k := find(sec + "." + name.Value)
	if k == nil {
		return d.fail(name, "", unknownKey(sec, name.Value))
	}
	if line, twice := d.lines[k.Name]; twice {
		return d.fail(name, k.Name, "stands here a second time; it was set on line "+strconv.Itoa(line))
	}
	d.lines[k.Name] = name.Line
	if k.Kind == Unused {
		d.notes = append(d.notes, at(d.shown, name.Line)+": "+name.Value+" does nothing")
		return nil
	}
	if label(written, k) {
		d.notes = append(d.notes, at(d.shown, name.Line)+": "+name.Value+" in "+written+labelNote)
		return nil
	}
	if err := d.noAlias(value); err != nil {
		return err
	}
	if null(value) {
		return nil // "key:" with nothing behind it is not set
	}
	e := entry{Source: "file " + at(d.shown, value.Line), Dir: filepath.Dir(d.path)}
	switch {
	case value.Kind == yaml.SequenceNode && k.Kind == List:
		items := make([]string, 0, len(value.Content))
		for _, item := range value.Content {
			if err := d.plain(item, k.Name); err != nil {
				return err
			}
			if strings.Contains(item.Value, ",") || strings.TrimSpace(item.Value) == "" || null(item) {
				return d.fail(item, k.Name, strconv.Quote(item.Value)+" is not an item; it wants one word")
			}
			items = append(items, item.Value)
		}
		e.Text = strings.Join(items, ", ")
	default:
		if err := d.plain(value, k.Name); err != nil {
			return err
		}
		e.Text = value.Value
	}
	if d.here && !k.safe(e.Text) {
		return d.fail(value, k.Name, "may not be set to "+strconv.Quote(e.Text)+" by a file that only happens to lie in the working folder; "+
			"if it is yours, name it: --config "+d.shown)
	}
	values[k.Bare()] = e
	return nil
}

// plain refuses all but one plain value.
func (d *document) plain(n *yaml.Node, key string) error {
	if err := d.noAlias(n); err != nil {
		return err
	}
	if n.Kind != yaml.ScalarNode {
		return d.fail(n, key, "wants one value, not "+what(n))
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp":
		return nil
	case "!!merge":
		return d.fail(n, key, "<< is not understood here; write the keys out")
	}
	return d.fail(n, key, "the tag "+strconv.Quote(n.Tag)+" is not understood here; write a plain value")
}

func (d *document) noAlias(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return d.fail(n, "", noAnchors)
	}
	return nil
}

func (d *document) fail(n *yaml.Node, key, msg string) error {
	return &Error{Source: at(d.shown, n.Line), Key: key, Msg: msg}
}

func null(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Anchor == ""
}

func what(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "the single value " + strconv.Quote(n.Value)
	}
}

// safe says whether a file that nobody named may say so. Such a file may have
// come with the very script that is to be locked in.
func (k *Key) safe(text string) bool {
	if k.Safe == "*" {
		return true
	}
	if k.Kind == Bool {
		b, err := ParseBool(text)
		return err != nil || !b // a wrong word is told apart later
	}
	for _, s := range strings.Split(k.Safe, ",") {
		if strings.EqualFold(strings.TrimSpace(text), s) {
			return true
		}
	}
	return false
}
