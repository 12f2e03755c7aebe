# PowerShell completion for pyrun, made by `pyrun completion`; do not edit

Register-ArgumentCompleter -Native -CommandName pyrun -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $commands = [ordered]@{
        'run' = 'run a script in the sandbox'
        'serve' = 'serve the same sandbox to MCP clients'
        'config' = 'show every setting, its value and where it came from'
        'completion' = 'print a completion script for a shell'
        'version' = 'print the version'
        'help' = 'explain a command or topic'
    }
    $takes = @{
        'completion' = @('bash', 'zsh', 'fish', 'powershell')
        'help' = @('run', 'serve', 'config', 'completion', 'version', 'sandbox', 'exit-codes', 'environment', 'mcp', 'settings')
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
        'serve' = [ordered]@{
            '--transport' = 'speak over stdio, http, streamable-http (default stdio)'
            '--print-config' = 'print what claude-desktop, claude-code, cursor, vscode, zed, codex, goose needs to start pyrun, and exit'
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
        '--sandbox' = @('auto', 'native', 'restricted', 'none')
        '--network' = @('loopback', 'none')
        '--color' = @('auto', 'always', 'never')
        '--transport' = @('stdio', 'http', 'streamable-http')
        '--print-config' = @('claude-desktop', 'claude-code', 'cursor', 'vscode', 'zed', 'codex', 'goose')
        '--artifacts' = @('inline', 'auto')
        '--sandbox-backend' = @('auto', 'native', 'restricted', 'none')
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
    if ($choices.Contains($previous)) {
        return $choices[$previous] | Where-Object { $_ -like "$wordToComplete*" }
    }
    if ($wordToComplete -like '-*') { return Offer $flags[$command] }
    if ($takes.Contains($command)) {
        return $takes[$command] | Where-Object { $_ -like "$wordToComplete*" }
    }
    # nothing: PowerShell then completes file names itself
}
