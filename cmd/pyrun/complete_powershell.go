package main

import (
	"fmt"
	"strings"
)

func powershellCompletion(t tree) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# PowerShell completion for pyrun, %s", generated)
	p("")
	p("Register-ArgumentCompleter -Native -CommandName pyrun -ScriptBlock {")
	p("    param($wordToComplete, $commandAst, $cursorPosition)")
	p("    $commands = [ordered]@{")
	for _, c := range t.commands {
		p("        %s = %s", psQuote(c.name), psQuote(c.usage))
	}
	p("    }")
	p("    $takes = @{")
	for _, c := range t.commands {
		if len(c.takes) > 0 && !c.files() {
			p("        %s = @(%s)", psQuote(c.name), psList(c.takes))
		}
	}
	p("    }")
	p("    $flags = @{")
	for _, c := range t.commands {
		p("        %s = [ordered]@{", psQuote(c.name))
		for _, f := range c.flags {
			for _, n := range f.names {
				p("            %s = %s", psQuote(n), psQuote(f.usage))
			}
		}
		p("        }")
	}
	p("    }")
	p("    $choices = @{")
	for _, c := range t.commands {
		for _, f := range c.flags {
			for _, n := range f.names {
				if len(f.choices) > 0 {
					p("        %s = @(%s)", psQuote(c.name+" "+n), psList(f.choices))
				}
			}
		}
	}
	p("    }")
	p("%s", `
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $before = @($words | Select-Object -Skip 1 | Where-Object { $_ -ne $wordToComplete })
    if ($before -contains '--') { return }
    $command = $before | Where-Object { $commands.Contains($_) } | Select-Object -First 1
    $previous = if ($before.Count) { $before[-1] } else { '' }

    function Offer($items) {
        foreach ($item in $items.GetEnumerator()) {
            if ($item.Key -like "$wordToComplete*") {
                [System.Management.Automation.CompletionResult]::new($item.Key, $item.Key, 'ParameterValue', $item.Value)
            }
        }
    }

    if (-not $command) { return Offer $commands }
    $flag = "$command $previous"
    if ($choices.Contains($flag)) {
        return $choices[$flag] | Where-Object { $_ -like "$wordToComplete*" }
    }
    if ($wordToComplete -like '-*') { return Offer $flags[$command] }
    if ($takes.Contains($command)) {
        return $takes[$command] | Where-Object { $_ -like "$wordToComplete*" }
    }
    # nothing: PowerShell then completes file names itself`)
	p("}")
	return b.String()
}

func psList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = psQuote(w)
	}
	return strings.Join(quoted, ", ")
}

func psQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
