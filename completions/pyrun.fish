# fish completion for pyrun, made by `pyrun completion`; do not edit

complete -c pyrun -f
set -l commands run config completion version help
set -l none 'not __fish_seen_subcommand_from '"$commands"
complete -c pyrun -n $none -l version -d 'print the version'
complete -c pyrun -n $none -s h -l help -d 'print help'
complete -c pyrun -n $none -a run -d 'run a script in the sandbox'
complete -c pyrun -n $none -a config -d 'show every setting, its value and where it came from'
complete -c pyrun -n $none -a completion -d 'print a completion script for a shell'
complete -c pyrun -n $none -a version -d 'print the version'
complete -c pyrun -n $none -a help -d 'explain a command or topic'

complete -c pyrun -n '__fish_seen_subcommand_from run' -F
complete -c pyrun -n '__fish_seen_subcommand_from run' -s c -x -d 'run CODE instead of a file'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l in -s i -r -F -d 'let the script read PATH[=NAME], a file or folder; may be repeated'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l out -s o -x -a '(__fish_complete_directories)' -d 'write artifacts to DIR instead of the cache'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l env -x -d 'set NAME[=VALUE] inside; without a value take pyrun\'s own; may be repeated'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l value -d 'report the value of the last expression'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l no-figures -d 'do not save matplotlib figures'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l raw -d 'let the script control the terminal'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l timeout -x -d 'stop after TIME: 10s, 2m (default 30s)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l memory -x -d 'at most SIZE of memory: 512M, 2G (default 512M)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l cpu-time -x -d 'at most TIME of processor time'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l processes -x -d 'at most N processes and threads (default 64)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l file-size -x -d 'no file larger than SIZE (default 64M)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l disk -x -d 'at most SIZE of files in all (default 256M)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l max-output -x -d 'keep SIZE of each stream in the result (default 1M)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l json -d 'print one JSON object and nothing else'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l quiet -s q -d 'say nothing but errors'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l config -r -F -d 'read settings from FILE'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l python -r -F -d 'run with the interpreter at PATH'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l packages-file -r -F -d 'read the allowed packages from FILE'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l sandbox -x -a 'auto native restricted none' -d 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l network -x -a 'loopback none' -d 'what of a network: loopback, none'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l color -x -a 'auto always never' -d 'colour: auto, always, never'
complete -c pyrun -n '__fish_seen_subcommand_from run' -l help -s h -d 'print help'

complete -c pyrun -n '__fish_seen_subcommand_from config' -l json -d 'print one JSON object and nothing else'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l quiet -s q -d 'say nothing but errors'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l config -r -F -d 'read settings from FILE'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l python -r -F -d 'run with the interpreter at PATH'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l packages-file -r -F -d 'read the allowed packages from FILE'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l sandbox -x -a 'auto native restricted none' -d 'which walls: auto, native, restricted, none (see pyrun help sandbox)'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l network -x -a 'loopback none' -d 'what of a network: loopback, none'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l color -x -a 'auto always never' -d 'colour: auto, always, never'
complete -c pyrun -n '__fish_seen_subcommand_from config' -l help -s h -d 'print help'

complete -c pyrun -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish powershell'
complete -c pyrun -n '__fish_seen_subcommand_from completion' -l color -x -a 'auto always never' -d 'colour: auto, always, never'
complete -c pyrun -n '__fish_seen_subcommand_from completion' -l help -s h -d 'print help'

complete -c pyrun -n '__fish_seen_subcommand_from version' -l color -x -a 'auto always never' -d 'colour: auto, always, never'
complete -c pyrun -n '__fish_seen_subcommand_from version' -l help -s h -d 'print help'

complete -c pyrun -n '__fish_seen_subcommand_from help' -a 'run config completion version sandbox exit-codes environment settings'
complete -c pyrun -n '__fish_seen_subcommand_from help' -l color -x -a 'auto always never' -d 'colour: auto, always, never'
complete -c pyrun -n '__fish_seen_subcommand_from help' -l help -s h -d 'print help'
