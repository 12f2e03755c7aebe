package config

// This file holds how a key's text becomes its value, and the value text again.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// set puts the value of e in its place in c.
func (k *Key) set(c *Config, e entry, home string) error {
	var n int64
	var err error
	switch place := k.field(c).(type) {
	case *bool:
		*place, err = ParseBool(e.Text)
	case *int:
		n, err = parseInt(e.Text)
		*place = int(n)
	case *int64:
		n, err = ParseSize(e.Text)
		*place = n
	case *time.Duration:
		*place, err = ParseDuration(e.Text)
		n = int64(*place)
	case *string:
		*place, err = k.text(e, home)
	case *[]string:
		*place, err = k.list(e.Text)
	default:
		err = fmt.Errorf("has no place of a known type: %T", place)
	}
	if err != nil {
		return err
	}
	if (k.Kind == Int || k.Kind == Size || k.Kind == Duration) && k.outside(n) {
		return fmt.Errorf("%q is out of range; allowed is %s", e.Text, k.Range())
	}
	if k.check != nil {
		if wrong := k.check(k.render(c)); wrong != "" {
			return errors.New(wrong)
		}
	}
	return nil
}

// text reads Text, Enum, Path and Program.
func (k *Key) text(e entry, home string) (string, error) {
	if i := strings.IndexFunc(e.Text, unicode.IsControl); i >= 0 {
		return "", fmt.Errorf("%q holds a control character", e.Text)
	}
	text := e.Text
	switch k.Kind {
	case Enum:
		return k.word(strings.TrimSpace(text))
	case Path, Program:
		if text == "" || (k.Kind == Program && !strings.ContainsAny(text, `/\`) && text != "~") {
			return text, nil
		}
		if text == "~" || strings.HasPrefix(text, "~/") {
			if !filepath.IsAbs(home) {
				return "", fmt.Errorf("%q needs HOME, which is not set; write the whole path", text)
			}
			return filepath.Join(home, text[1:]), nil
		}
		return within(e.Dir, text), nil
	default:
		return strings.TrimSpace(text), nil
	}
}

// word finds text among the key's values, whatever its case.
func (k *Key) word(text string) (string, error) {
	if text == k.Default {
		return text, nil // may be empty, which is no value to write
	}
	for _, v := range k.Values {
		if strings.EqualFold(v, text) {
			return v, nil
		}
	}
	// Where on and off are words, so are their cousins.
	if b, err := ParseBool(text); err == nil {
		cousin := "off"
		if b {
			cousin = "on"
		}
		for _, v := range k.Values {
			if v == cousin {
				return v, nil
			}
		}
	}
	return "", fmt.Errorf("%q is not one of %s", text, strings.Join(k.Values, ", "))
}

func (k *Key) list(text string) ([]string, error) {
	items := split(text)
	if len(items) == 0 && len(k.Values) > 0 {
		return nil, fmt.Errorf("names nothing; it wants at least one of %s", strings.Join(k.Values, ", "))
	}
	seen := make(map[string]bool, len(items))
	for i, item := range items {
		if strings.IndexFunc(item, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) >= 0 {
			return nil, fmt.Errorf("%q is not an item; put commas between items", item)
		}
		if len(k.Values) > 0 {
			word, err := k.word(item)
			if err != nil {
				return nil, err
			}
			items[i] = word
		}
		if seen[items[i]] {
			return nil, fmt.Errorf("%q is named twice", items[i])
		}
		seen[items[i]] = true
	}
	return items, nil
}

// render is the value in c as it could be written in a file.
func (k *Key) render(c *Config) string {
	switch place := k.field(c).(type) {
	case *bool:
		return strconv.FormatBool(*place)
	case *int:
		return strconv.Itoa(*place)
	case *int64:
		return FormatSize(*place)
	case *time.Duration:
		return FormatDuration(*place)
	case *string:
		return *place
	case *[]string:
		return strings.Join(*place, ", ")
	default:
		return ""
	}
}
