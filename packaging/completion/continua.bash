# Completion of the command `continua` for bash. Written by scripts/packaging.
_continua() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local commands="run resume check info convert mesh groom render plot compare view schema examples bench reproduce verify help version"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$word"))
        return
    fi
    case $before in
    --log) COMPREPLY=($(compgen -W "json text" -- "$word")); return ;;
    --to) COMPREPLY=($(compgen -W "obj ply vtu usda bgeo hdf" -- "$word")); return ;;
    --dimension) COMPREPLY=($(compgen -W "2 3" -- "$word")); return ;;
    -o | --output) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    if [[ $word == -* ]]; then
        local options=""
        case $command in
        run) options="--output --force --set --seed --threads --until --frames --max-wall --checkpoint-every --quiet --log --film --view" ;;
        resume) options="--from-start --threads --until --frames --max-wall --checkpoint-every --quiet --log --film --view" ;;
        check) options="--set --threads --json" ;;
        info) options="--json --build" ;;
        convert) options="--to --output --frames --fields" ;;
        mesh) options="--to --output --frames --fields --bodies --cell --spacing --smooth --round --threads" ;;
        groom) options="--output --mesh --center --radius --count --density --length --depth --segment --comb --cap --up --clumps --clump --curl --pitch --vary --seed --braid --locks --lock --width" ;;
        render) options="--output --frames --size --color-by --range --camera-from --camera-target --fov --surface --quality --samples --aperture --shutter --turntable --light --box --fps --threads --quiet" ;;
        plot) options="--output --columns --log --range --title --size --dark" ;;
        compare) options="--schemes --set-each --output --force --set --seed --threads --film --quiet --json" ;;
        view) options="--port --listen --points --open --quiet" ;;
        schema) options="--reference --reference-scene --presets" ;;
        examples) options="--output" ;;
        bench) options="--method --scene --particles --dimension --threads --steps --scheme --kernel --precision --spread --criteria --collider --yardstick --json" ;;
        reproduce) options="--quick --report --output --refine --again --threads --json --quiet" ;;
        verify) options="--quick --report --output --refine --again --threads --json --quiet" ;;
        esac
        COMPREPLY=($(compgen -W "$options --help" -- "$word"))
        return
    fi
    case $command in
    help) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
    examples) COMPREPLY=($(compgen -W "$(continua examples 2>/dev/null | awk '/^  /{print $1}')" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _continua continua
