package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// inputs reads --in PATH[=NAME]. A path that exists as it is written is one,
// also with = in it.
func (d *door) inputs(words []string) ([]exec.Input, error) {
	var list []exec.Input
	for _, word := range words {
		path, name := word, ""
		if _, err := os.Lstat(d.abs(word)); err != nil {
			if cut := strings.LastIndexByte(word, '='); cut >= 0 {
				path, name = word[:cut], word[cut+1:]
				if name == "" {
					return nil, usage("--in %s: the name after = is empty", word)
				}
			}
		}
		if path == "" {
			return nil, usage("--in %s: the path is empty", word)
		}
		if _, err := os.Stat(d.abs(path)); err != nil {
			var e *usageMistake
			if errors.As(d.notThere(path, err), &e) {
				e.msg = "--in " + e.msg
				return nil, e
			}
		}
		if name == "" {
			name = filepath.Base(d.abs(path)) // of . too
		}
		if name == string(filepath.Separator) {
			return nil, usageHint("name the folder that the script needs", "--in %s: is the whole machine", word)
		}
		list = append(list, exec.Input{Name: filepath.ToSlash(name), Path: d.abs(path)})
	}
	return list, nil
}

// environment reads --env NAME[=VALUE].
func (d *door) environment(words []string) (map[string]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	env := make(map[string]string, len(words))
	for _, word := range words {
		name, value, given := strings.Cut(word, "=")
		if !given {
			var ok bool
			if value, ok = d.lookupenv(name); !ok {
				return nil, usageHint("--env "+name+"=VALUE", "--env %s: is not set here, so there is nothing to pass on", name)
			}
		}
		env[name] = value
	}
	return env, nil
}
