# PowerShell completion for pyrun, made by `pyrun completion`; do not edit

Register-ArgumentCompleter -Native -CommandName pyrun -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $commands = [ordered]@{
        'run' = 'run a script in the sandbox'
        'validate' = 'find what would stop scripts here, without running them'
        'check' = 'try what this machine gives: interpreter, walls, limits, packages'
        'packages' = 'make, lock, show and verify the environment of packages.txt'
        'serve' = 'serve the same sandbox to MCP clients'
        'config' = 'show every setting, its value and where it came from'
        'bench' = 'measure what a run costs here, beside bare python'
        'completion' = 'print a completion script for a shell'
        'version' = 'print the version'
        'help' = 'explain a command or topic'
    }
    $takes = @{
        'packages' = @('install', 'lock', 'list', 'verify')
        'completion' = @('bash', 'zsh', 'fish', 'powershell')
        'help' = @('run', 'validate', 'check', 'packages', 'serve', 'config', 'bench', 'completion', 'version', 'sandbox', 'exit-codes', 'environment', 'mcp', 'settings')
    }
    $flags = @{
        'run' = [ordered]@{
            '-c' = 'run CODE instead of a file'
            '--in' = 'let the script read PATH[=NAME], a file or folder; may be repeated'
            '-i' = 'let the script read PATH[=NAME], a file or folder; may be repeated'
            '--out' = 'write artifacts to DIR instead of the cache'
            '-o' = 'write artifacts to DIR instead of the cache'
            '--env' = 'set NAME[=VALUE] inside; without a value take pyrun''s own; may be repeated'
            '--value' = 'report the value of the last expression'
            '--no-figures' = 'do not save matplotlib figures'
            '--raw' = 'let the script control the terminal'
            '--timeout' = 'stop after TIME: 10s, 2m (default 30s)'
            '--memory' = 'at most SIZE of memory: 512M, 2G (default 512M)'
            '--cpu-time' = 'at most TIME of processor time'
            '--processes' = 'at most N processes and threads (default 64)'
            '--file-size' = 'no file larger than SIZE (default 64M)'
            '--disk' = 'at most SIZE of files in all (default 256M)'
            '--max-output' = 'keep SIZE of each stream in the result (default 1M)'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'validate' = [ordered]@{
            '--format' = 'print findings as text, json, github, sarif (default text)'
            '--exclude' = 'leave out what matches GLOB, written as in .gitignore; may be repeated'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'check' = [ordered]@{
            '--imports' = 'really import every wanted package, each in a sandbox of its own'
            '--format' = 'print as text, json, github, junit (default text)'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'packages' = [ordered]@{
            '--target' = 'the environment is DIR instead of the one that runs use'
            '--index-url' = 'install, lock: look for packages at URL'
            '--find-links' = 'install, lock: look for wheels in DIR too; may be repeated'
            '--no-index' = 'install, lock: look nowhere but in --find-links'
            '--no-lock' = 'install: as if there were no packages.lock.txt'
            '--output' = 'lock: write FILE instead of packages.lock.txt beside packages.txt'
            '-o' = 'lock: write FILE instead of packages.lock.txt beside packages.txt'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'serve' = [ordered]@{
            '--transport' = 'speak over stdio, http, streamable-http (default stdio)'
            '--print-config' = 'print what claude-desktop, claude-code, cursor, vscode, zed, codex, goose needs to start pyrun, and exit'
            '--cold' = 'start an interpreter for each call instead of keeping copies ready'
            '--sessions' = 'keep a session for each HTTP client of an older protocol'
            '--host' = 'listen on ADDRESS (default 127.0.0.1)'
            '--port' = 'listen on TCP port N (default 8000)'
            '--path' = 'answer at /PATH (default /mcp)'
            '--token-file' = 'let in who has a token of FILE, one name:sha256 a line'
            '--insecure-no-auth' = 'let in everybody, on other addresses than loopback too'
            '--tls-cert' = 'serve TLS with the certificate in FILE'
            '--tls-key' = 'and its key in FILE'
            '--allowed-hosts' = 'answer to these NAMES, with commas between'
            '--metrics-port' = 'metrics and health on TCP port N, 0 is off (default 9999)'
            '--pprof' = 'profiles beside the metrics, on loopback only'
            '--tools' = 'offer these NAMES, with commas between (run_python too)'
            '--artifacts' = 'pass artifacts on as inline, auto (default: http inline, stdio auto)'
            '--default-timeout' = 'stop a call after TIME (default 30s)'
            '--max-timeout' = 'let a call ask for TIME at most (default 5m)'
            '--max-workers' = 'run N calls at once (default: number of CPUs)'
            '--memory' = 'at most SIZE of memory: 512M, 2G (default 512M)'
            '--cpu-time' = 'at most TIME of processor time'
            '--processes' = 'at most N processes and threads (default 64)'
            '--file-size' = 'no file larger than SIZE (default 64M)'
            '--disk' = 'at most SIZE of files in all (default 256M)'
            '--max-output' = 'keep SIZE of each stream in the result (default 1M)'
            '--runtime-python' = 'as --python PATH'
            '--python-version' = 'refuse an interpreter that is not VERSION: 3.13'
            '--sandbox-backend' = 'as --sandbox: auto, native, restricted, none'
            '--max-output-bytes' = 'as --max-output SIZE'
            '--uv-path' = 'does nothing: uv is not used (PATH)'
            '--no-warm-cache' = 'does nothing: there is no such cache'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'config' = [ordered]@{
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'bench' = [ordered]@{
            '--runs' = 'measure N warm runs of each script (default 500)'
            '--callers' = 'N callers at once, for runs per second (default 4)'
            '--json' = 'print one JSON object and nothing else'
            '--quiet' = 'say nothing but errors'
            '-q' = 'say nothing but errors'
            '--config' = 'read settings from FILE'
            '--python' = 'run with the interpreter at PATH'
            '--packages-file' = 'read the allowed packages from FILE'
            '--sandbox' = 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
            '--network' = 'what of a network: loopback, none'
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'completion' = [ordered]@{
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'version' = [ordered]@{
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
        'help' = [ordered]@{
            '--color' = 'colour: auto, always, never'
            '--help' = 'print help'
            '-h' = 'print help'
        }
    }
    $choices = @{
        'run --sandbox' = @('auto', 'native', 'restricted', 'none')
        'run --network' = @('loopback', 'none')
        'run --color' = @('auto', 'always', 'never')
        'validate --format' = @('text', 'json', 'github', 'sarif')
        'validate --sandbox' = @('auto', 'native', 'restricted', 'none')
        'validate --network' = @('loopback', 'none')
        'validate --color' = @('auto', 'always', 'never')
        'check --format' = @('text', 'json', 'github', 'junit')
        'check --sandbox' = @('auto', 'native', 'restricted', 'none')
        'check --network' = @('loopback', 'none')
        'check --color' = @('auto', 'always', 'never')
        'packages --sandbox' = @('auto', 'native', 'restricted', 'none')
        'packages --network' = @('loopback', 'none')
        'packages --color' = @('auto', 'always', 'never')
        'serve --transport' = @('stdio', 'http', 'streamable-http')
        'serve --print-config' = @('claude-desktop', 'claude-code', 'cursor', 'vscode', 'zed', 'codex', 'goose')
        'serve --artifacts' = @('inline', 'auto')
        'serve --sandbox-backend' = @('auto', 'native', 'restricted', 'none')
        'serve --sandbox' = @('auto', 'native', 'restricted', 'none')
        'serve --network' = @('loopback', 'none')
        'serve --color' = @('auto', 'always', 'never')
        'config --sandbox' = @('auto', 'native', 'restricted', 'none')
        'config --network' = @('loopback', 'none')
        'config --color' = @('auto', 'always', 'never')
        'bench --sandbox' = @('auto', 'native', 'restricted', 'none')
        'bench --network' = @('loopback', 'none')
        'bench --color' = @('auto', 'always', 'never')
        'completion --color' = @('auto', 'always', 'never')
        'version --color' = @('auto', 'always', 'never')
        'help --color' = @('auto', 'always', 'never')
    }

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
    # nothing: PowerShell then completes file names itself
}
