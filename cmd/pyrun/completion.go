package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

// shell is one shell's completion script and the file it is kept in.
type shell struct {
	name, file string
	script     func(tree) string
}

func shells() []shell {
	return []shell{
		{"bash", "pyrun.bash", bashCompletion},
		{"zsh", "pyrun.zsh", zshCompletion},
		{"fish", "pyrun.fish", fishCompletion},
		{"powershell", "pyrun.ps1", powershellCompletion},
	}
}

// completion is `pyrun completion SHELL`.
func (d *door) completion(c *cli.Context) error {
	t := newTree(d.app())
	if dir := c.String("write"); dir != "" {
		for _, s := range shells() {
			if err := os.WriteFile(filepath.Join(d.abs(dir), s.file), []byte(s.script(t)), 0o644); err != nil {
				return usage("write completions: %v", err)
			}
		}
		return nil
	}
	words := append(d.line.words, d.line.rest...)
	if len(words) != 1 {
		return usageHint("pyrun completion bash | zsh | fish | powershell", "completion needs the name of one shell")
	}
	var names []string
	for _, s := range shells() {
		if s.name == words[0] {
			_, err := io.WriteString(d.ui.Out(), s.script(t))
			return wrote(err)
		}
		names = append(names, s.name)
	}
	if words[0] == "pwsh" {
		return usage("pwsh is called powershell here: pyrun completion powershell")
	}
	if near := nearest(words[0], names); near != "" {
		return usage("there is no completion for %s; did you mean %s?", words[0], near)
	}
	return usageHint("pyrun completion bash | zsh | fish | powershell", "there is no completion for %s", words[0])
}
