#compdef pyrun
# zsh completion for pyrun, made by `pyrun completion`; do not edit

_pyrun() {
    local context state state_descr line
    typeset -A opt_args
    local -a commands=(
        'run:run a script in the sandbox'
        'validate:find what would stop scripts here, without running them'
        'check:try what this machine gives: interpreter, walls, limits, packages'
        'packages:make, lock, show and verify the environment of packages.txt'
        'serve:serve the same sandbox to MCP clients'
        'config:show every setting, its value and where it came from'
        'bench:measure what a run costs here, beside bare python'
        'completion:print a completion script for a shell'
        'version:print the version'
        'help:explain a command or topic'
    )
    _arguments -C '--version[print the version]' '(-h --help)'{-h,--help}'[print help]' '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe -t commands 'pyrun command' commands ;;
        argument)
            case $words[1] in
                run)
                    _arguments -S \
                        '-c[run CODE instead of a file]:code:' \
                        '*'{-i,--in=}'[let the script read PATH\[=NAME\], a file or folder; may be repeated]:path\[=name\]:_files' \
                        '(--out -o)'{-o,--out=}'[write artifacts to DIR instead of the cache]:dir:_files -/' \
                        '*--env=[set NAME\[=VALUE\] inside; without a value take pyrun'\''s own; may be repeated]:name\[=value\]:' \
                        '--value[report the value of the last expression]' \
                        '--no-figures[do not save matplotlib figures]' \
                        '--raw[let the script control the terminal]' \
                        '--timeout=[stop after TIME\: 10s, 2m (default 30s)]:time:' \
                        '--memory=[at most SIZE of memory\: 512M, 2G (default 512M)]:size:' \
                        '--cpu-time=[at most TIME of processor time]:time:' \
                        '--processes=[at most N processes and threads (default 64)]:n:' \
                        '--file-size=[no file larger than SIZE (default 64M)]:size:' \
                        '--disk=[at most SIZE of files in all (default 256M)]:size:' \
                        '--max-output=[keep SIZE of each stream in the result (default 1M)]:size:' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        '1:script:_files' '*:argument:_files'
                    ;;
                validate)
                    _arguments -S \
                        '--format=[print findings as text, json, github, sarif (default text)]:value:(text json github sarif)' \
                        '*--exclude=[leave out what matches GLOB, written as in .gitignore; may be repeated]:glob:' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        '1:script:_files' '*:argument:_files'
                    ;;
                check)
                    _arguments -S \
                        '--imports[really import every wanted package, each in a sandbox of its own]' \
                        '--format=[print as text, json, github, junit (default text)]:value:(text json github junit)' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        ':: :'
                    ;;
                packages)
                    _arguments -S \
                        '--target=[the environment is DIR instead of the one that runs use]:dir:_files -/' \
                        '--index-url=[install, lock\: look for packages at URL]:url:' \
                        '*--find-links=[install, lock\: look for wheels in DIR too; may be repeated]:dir:_files -/' \
                        '--no-index[install, lock\: look nowhere but in --find-links]' \
                        '--no-lock[install\: as if there were no packages.lock.txt]' \
                        '(--output -o)'{-o,--output=}'[lock\: write FILE instead of packages.lock.txt beside packages.txt]:file:_files' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        '1:word:(install lock list verify)'
                    ;;
                serve)
                    _arguments -S \
                        '--transport=[speak over stdio, http, streamable-http (default stdio)]:value:(stdio http streamable-http)' \
                        '--print-config=[print what claude-desktop, claude-code, cursor, vscode, zed, codex, goose needs to start pyrun, and exit]:value:(claude-desktop claude-code cursor vscode zed codex goose)' \
                        '--cold[start an interpreter for each call instead of keeping copies ready]' \
                        '--sessions[keep a session for each HTTP client of an older protocol]' \
                        '--host=[listen on ADDRESS (default 127.0.0.1)]:address:' \
                        '--port=[listen on TCP port N (default 8000)]:n:' \
                        '--path=[answer at /PATH (default /mcp)]:/path:' \
                        '--token-file=[let in who has a token of FILE, one name\:sha256 a line]:file:_files' \
                        '--insecure-no-auth[let in everybody, on other addresses than loopback too]' \
                        '--tls-cert=[serve TLS with the certificate in FILE]:file:_files' \
                        '--tls-key=[and its key in FILE]:file:_files' \
                        '--allowed-hosts=[answer to these NAMES, with commas between]:names:' \
                        '--metrics-port=[metrics and health on TCP port N, 0 is off (default 9999)]:n:' \
                        '--pprof[profiles beside the metrics, on loopback only]' \
                        '--tools=[offer these NAMES, with commas between (run_python too)]:names:' \
                        '--artifacts=[pass artifacts on as inline, auto (default\: http inline, stdio auto)]:value:(inline auto)' \
                        '--default-timeout=[stop a call after TIME (default 30s)]:time:' \
                        '--max-timeout=[let a call ask for TIME at most (default 5m)]:time:' \
                        '--max-workers=[run N calls at once (default\: number of CPUs)]:n:' \
                        '--memory=[at most SIZE of memory\: 512M, 2G (default 512M)]:size:' \
                        '--cpu-time=[at most TIME of processor time]:time:' \
                        '--processes=[at most N processes and threads (default 64)]:n:' \
                        '--file-size=[no file larger than SIZE (default 64M)]:size:' \
                        '--disk=[at most SIZE of files in all (default 256M)]:size:' \
                        '--max-output=[keep SIZE of each stream in the result (default 1M)]:size:' \
                        '--runtime-python=[as --python PATH]:path:_files' \
                        '--python-version=[refuse an interpreter that is not VERSION\: 3.13]:version:' \
                        '--sandbox-backend=[as --sandbox\: auto, native, restricted, none]:value:(auto native restricted none)' \
                        '--max-output-bytes=[as --max-output SIZE]:size:' \
                        '--uv-path=[does nothing\: uv is not used (PATH)]:path:_files' \
                        '--no-warm-cache[does nothing\: there is no such cache]' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        ':: :'
                    ;;
                config)
                    _arguments -S \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        ':: :'
                    ;;
                bench)
                    _arguments -S \
                        '--runs=[measure N warm runs of each script (default 500)]:n:' \
                        '--callers=[N callers at once, for runs per second (default 4)]:n:' \
                        '--json[print one JSON object and nothing else]' \
                        '(--quiet -q)'{-q,--quiet}'[say nothing but errors]' \
                        '--config=[read settings from FILE]:file:_files' \
                        '--python=[run with the interpreter at PATH]:path:_files' \
                        '--packages-file=[read the allowed packages from FILE]:file:_files' \
                        '--sandbox=[which walls\: auto, native, restricted, none (see pyrun help sandbox)]:value:(auto native restricted none)' \
                        '--network=[what of a network\: loopback, none]:value:(loopback none)' \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        ':: :'
                    ;;
                completion)
                    _arguments -S \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        '1:word:(bash zsh fish powershell)'
                    ;;
                version)
                    _arguments -S \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        ':: :'
                    ;;
                help)
                    _arguments -S \
                        '--color=[colour\: auto, always, never]:value:(auto always never)' \
                        '(--help -h)'{-h,--help}'[print help]' \
                        '1:word:(run validate check packages serve config bench completion version sandbox exit-codes environment mcp settings)'
                    ;;
            esac
            ;;
    esac
}

if [ "$funcstack[1]" = "_pyrun" ]; then
    _pyrun "$@"
else
    compdef _pyrun pyrun
fi
