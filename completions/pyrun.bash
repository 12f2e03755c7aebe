# bash completion for pyrun, made by `pyrun completion`; do not edit

_pyrun() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev= command= i word
    COMPREPLY=()
    ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
    # bash splits --flag=value in three
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi

    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -- ]]; then
            compopt -o default 2>/dev/null
            return
        fi
        [[ -n $command || $word == -* ]] && continue
        case $word in
            run|validate|check|packages|serve|config|bench|completion|version|help) command=$word ;;
        esac
    done

    case $command in
        '')
            COMPREPLY=($(compgen -W 'run validate check packages serve config bench completion version help --version --help' -- "$cur"))
            ;;
        run)
            case $prev in
                --in|-i)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --out|-o)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                    return
                    ;;
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
                -c|--env|--timeout|--memory|--cpu-time|--processes|--file-size|--disk|--max-output) return ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '-c --in -i --out -o --env --value --no-figures --raw --timeout --memory --cpu-time --processes --file-size --disk --max-output --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            else
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            fi
            ;;
        validate)
            case $prev in
                --format)
                    COMPREPLY=($(compgen -W 'text json github sarif' -- "$cur"))
                    return
                    ;;
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
                --exclude) return ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--format --exclude --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            else
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            fi
            ;;
        check)
            case $prev in
                --format)
                    COMPREPLY=($(compgen -W 'text json github junit' -- "$cur"))
                    return
                    ;;
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--imports --format --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            fi
            ;;
        packages)
            case $prev in
                --target)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                    return
                    ;;
                --find-links)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                    return
                    ;;
                --output|-o)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
                --index-url) return ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--target --index-url --find-links --no-index --no-lock --output -o --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            else
                COMPREPLY=($(compgen -W 'install lock list verify' -- "$cur"))
            fi
            ;;
        serve)
            case $prev in
                --transport)
                    COMPREPLY=($(compgen -W 'stdio http streamable-http' -- "$cur"))
                    return
                    ;;
                --print-config)
                    COMPREPLY=($(compgen -W 'claude-desktop claude-code cursor vscode zed codex goose' -- "$cur"))
                    return
                    ;;
                --token-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --tls-cert)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --tls-key)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --artifacts)
                    COMPREPLY=($(compgen -W 'inline auto' -- "$cur"))
                    return
                    ;;
                --runtime-python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox-backend)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --uv-path)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
                --host|--port|--path|--allowed-hosts|--metrics-port|--tools|--default-timeout|--max-timeout|--max-workers|--memory|--cpu-time|--processes|--file-size|--disk|--max-output|--python-version|--max-output-bytes) return ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--transport --print-config --cold --sessions --host --port --path --token-file --insecure-no-auth --tls-cert --tls-key --allowed-hosts --metrics-port --pprof --tools --artifacts --default-timeout --max-timeout --max-workers --memory --cpu-time --processes --file-size --disk --max-output --runtime-python --python-version --sandbox-backend --max-output-bytes --uv-path --no-warm-cache --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            fi
            ;;
        config)
            case $prev in
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            fi
            ;;
        bench)
            case $prev in
                --config)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --python)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --packages-file)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return
                    ;;
                --sandbox)
                    COMPREPLY=($(compgen -W 'auto native restricted none' -- "$cur"))
                    return
                    ;;
                --network)
                    COMPREPLY=($(compgen -W 'loopback none' -- "$cur"))
                    return
                    ;;
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
                --runs|--callers) return ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--runs --callers --json --quiet -q --config --python --packages-file --sandbox --network --color --help -h' -- "$cur"))
            fi
            ;;
        completion)
            case $prev in
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--color --help -h' -- "$cur"))
            else
                COMPREPLY=($(compgen -W 'bash zsh fish powershell' -- "$cur"))
            fi
            ;;
        version)
            case $prev in
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--color --help -h' -- "$cur"))
            fi
            ;;
        help)
            case $prev in
                --color)
                    COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
                    return
                    ;;
            esac
            if [[ $cur == -* ]]; then
                COMPREPLY=($(compgen -W '--color --help -h' -- "$cur"))
            else
                COMPREPLY=($(compgen -W 'run validate check packages serve config bench completion version sandbox exit-codes environment mcp settings' -- "$cur"))
            fi
            ;;
    esac
}

complete -F _pyrun pyrun
