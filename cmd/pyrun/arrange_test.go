package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestArrange(t *testing.T) {
	tests := []struct {
		args  string
		argv  string // what the library gets
		words string
		rest  string
	}{
		{"run x.py", "pyrun run", "x.py", ""},
		{"run x.py --in data.csv", "pyrun run --in=data.csv", "x.py", ""},
		{"run x.py -i a -i b=c", "pyrun run --in=a --in=b=c", "x.py", ""},
		{"run --in=data.csv x.py --json", "pyrun run --in=data.csv --json", "x.py", ""},
		{"--color never run x.py", "pyrun run --color=never", "x.py", ""},
		{"--json config", "pyrun config --json", "", ""},
		{"run x.py -- --in data.csv -x", "pyrun run", "x.py", "--in data.csv -x"},
		{"run x.py --", "pyrun run", "x.py", ""},
		{"run - --timeout 3", "pyrun run --timeout=3", "-", ""},
		{"run -c print(1) -- a b", "pyrun run --c=print(1)", "", "a b"},
		{"run -c --json", "pyrun run --c=--json", "", ""},
		{"run -c -1", "pyrun run --c=-1", "", ""},
		{"run -- -odd.py a", "pyrun run", "", "-odd.py a"},
		{"run json --value", "pyrun run --value", "json", ""},
		{"run x.py --env A=-1", "pyrun run --env=A=-1", "x.py", ""},
		{"run x.py a b", "pyrun run", "x.py a b", ""},
		{"run x.py --help", "pyrun run", "x.py", ""},
		{"--version", "pyrun --version", "", ""},
		{"", "pyrun", "", ""},
	}
	for _, tt := range tests {
		l, err := arrange((&door{}).app(), strings.Fields(tt.args))
		if err != nil {
			t.Errorf("%q: %v", tt.args, err)
			continue
		}
		if got := strings.Join(l.argv("pyrun"), " "); got != tt.argv {
			t.Errorf("%q: argv %q, want %q", tt.args, got, tt.argv)
		}
		if got := strings.Join(l.words, " "); got != tt.words {
			t.Errorf("%q: words %q, want %q", tt.args, got, tt.words)
		}
		if got := strings.Join(l.rest, " "); got != tt.rest {
			t.Errorf("%q: rest %q, want %q", tt.args, got, tt.rest)
		}
	}
}

func TestArrangeRefuses(t *testing.T) {
	tests := []struct{ args, want string }{
		{"run x.py --memry 1G", "--memry is not a flag of pyrun run; did you mean --memory?"},
		{"run --timeot=3 x.py", "did you mean --timeout?"},
		{"run x.py -z", "-z is not a flag of pyrun run"},
		{"run x.py -json", "did you mean --json?"},
		{"run x.py -iq", "-iq is not a flag"},
		{"run x.py ---json", "---json is not a flag"},
		{"run x.py --timeout", "--timeout needs a value: --timeout TIME"},
		{"run x.py --timeout --json", "--timeout needs a value"},
		{"run x.py -i --", "-i needs a value"},
		{"run x.py --json=yes", "--json takes no value"},
		{"config --memory 1G", "--memory is not a flag of pyrun config"},
		{"--memory 1G config", "--memory is not a flag of pyrun config"},
		{"--version run x.py", "--version is not a flag of pyrun run"},
		{"rn x.py", "rn is not a command; did you mean run?"},
		{"frobnicate", "there are run, validate, check, packages"},
		{"x.py", "x.py is not a command"},
		{"--nope", "--nope is not a flag"},
		{"--json", "--json is a flag of pyrun run, "},
		{"--memory 1G", "--memory is a flag of pyrun run, "},
		{"--memory=1G -- x.py", "and there is no command"},
	}
	for _, tt := range tests {
		_, err := arrange((&door{}).app(), strings.Fields(tt.args))
		var mistake *usageMistake
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.args, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %v", tt.args, err)
		}
	}
}

func FuzzArrange(f *testing.F) {
	for _, s := range []string{"run x.py --in data.csv -- a", "--color never run -", "run -c=1", "-", "--", "run --=x", "-- run"} {
		f.Add(s)
	}
	app := (&door{}).app()
	f.Fuzz(func(t *testing.T, s string) {
		args := strings.Split(s, " ")
		l, err := arrange(app, args)
		if err != nil {
			return
		}
		// What stands after the first -- comes out as it went in, unless a flag took the --.
		if l.dashes && !slices.Equal(l.rest, args[len(args)-len(l.rest):]) {
			t.Errorf("rest %q of %q", l.rest, args)
		}
		for _, f := range l.flags {
			if !strings.HasPrefix(f, "--") {
				t.Errorf("flag %q of %q", f, args)
			}
		}
	})
}

// TestLean: the library gets one command, and no flag that it would word for a help of its own.
func TestLean(t *testing.T) {
	d := &door{}
	for _, name := range []string{"run", "serve", "packages", ""} {
		app := lean(d.app(), name)
		flags := app.Flags
		if (name == "") != (len(app.Commands) == 0) || len(app.Commands) > 1 {
			t.Errorf("%q: %d commands", name, len(app.Commands))
		}
		for _, c := range app.Commands {
			if c.Name != name {
				t.Errorf("%q: got %s", name, c.Name)
			}
			flags = append(flags, c.Flags...)
		}
		for _, f := range flags {
			if c, ok := f.(cli.CategorizableFlag); !ok || c.GetCategory() != "" {
				t.Errorf("%q: --%s has a category still, or is of a kind that is not looked at", name, f.Names()[0])
			}
		}
	}
	if c, ok := findFlag(d.app(), d.app().Command("run"), "--memory").(cli.CategorizableFlag); !ok || c.GetCategory() == "" {
		t.Error("help has lost its categories")
	}
}
