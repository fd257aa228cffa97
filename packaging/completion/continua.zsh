#compdef continua
# Completion of the command `continua` for zsh. Written by scripts/packaging.

_continua() {
    local -a commands
    commands=(
        'run:Simulate a scene; frames, statistics and checkpoints go to a folder'
        'resume:Continue a run that was stopped, killed or limited, bit for bit'
        'check:Check a scene and predict particles, memory, disk, steps and time'
        'info:Describe a run, a scene, a checkpoint, or this build'
        'convert:Write the frames of a run, or one frame, in another format'
        'mesh:Make surface meshes of liquid, sand or snow from the frames of a run'
        'groom:Make hair on a sphere or a mesh, or a braid, as a file of lines for a scene'
        'render:Draw the frames of a run as a film or as pictures'
        'plot:Plot energies, momenta and the time step of one or several runs'
        'compare:Run a scene with several transfer schemes or values and show the results side by side'
        'view:Show runs, finished or running, and scenes in the browser'
        'schema:Print the scene language\: JSON Schema, reference page, reference scene or presets'
        'examples:List the example scenes, print one or copy it'
        'bench:Measure the speed of the step on this machine, stage by stage'
        'reproduce:Repeat the experiments of the papers and compare with their claims'
        'verify:Compare with exact solutions; every check has a control that must fail'
        'help:Print help, of one command if it is named'
        'version:Print the version'
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
    run)
        _arguments \
            '--output[where results go (default\: out/NAME with the name of the scene)]:path:_files' '-o[where results go (default\: out/NAME with the name of the scene)]:path:_files' \
            '--force[replace the run that is in the folder]' '-f[replace the run that is in the folder]' \
            '--set[change a value of the scene\: --set grid.spacing=5mm; may be repeated]:key-value:' \
            '--seed[the seed of all sampling; the same as --set seed=N]:n:' \
            '--threads[use N threads (default\: one per core); results do not depend on it]:n:' \
            '--until[stop at the first step that reaches this simulated time; can be resumed]:time:' \
            '--frames[stop when frame N is written (the start is frame 0); can be resumed]:n:' \
            '--max-wall[stop after this much time by the clock, as in '\''2 h'\''; can be resumed]:time:' \
            '--checkpoint-every[write a checkpoint this often by the clock (default\: the scene'\''s)]:time:' \
            '--quiet[print nothing but the state hash at the end]' '-q[print nothing but the state hash at the end]' \
            '--log[how to print progress\: one JSON object per line, or text]:value:(json text)' \
            '--film[draw film.mp4 and picture.png as the run goes (PNGs where there is no ffmpeg)]' \
            '--view[show the run in the browser as it goes, and afterwards until Ctrl-C]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    resume)
        _arguments \
            '--from-start[start over\: deletes the results of the run, and keeps its scene]' \
            '--threads[use N threads (default\: one per core); results do not depend on it]:n:' \
            '--until[stop at the first step that reaches this simulated time; can be resumed]:time:' \
            '--frames[stop when frame N is written (the start is frame 0); can be resumed]:n:' \
            '--max-wall[stop after this much time by the clock, as in '\''2 h'\''; can be resumed]:time:' \
            '--checkpoint-every[write a checkpoint this often by the clock (default\: the scene'\''s)]:time:' \
            '--quiet[print nothing but the state hash at the end]' '-q[print nothing but the state hash at the end]' \
            '--log[how to print progress\: one JSON object per line, or text]:value:(json text)' \
            '--film[draw film.mp4 and picture.png as the run goes (PNGs where there is no ffmpeg)]' \
            '--view[show the run in the browser as it goes, and afterwards until Ctrl-C]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    check)
        _arguments \
            '--set[change a value of the scene\: --set grid.spacing=5mm; may be repeated]:key-value:' \
            '--threads[use N threads (default\: one per core)]:n:' \
            '--json[print one JSON object]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    info)
        _arguments \
            '--json[print one JSON object]' \
            '--build[print how this program was built\: version, compiler, variants, libraries]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    convert)
        _arguments \
            '--to[the format; required]:value:(vtu ply csv xyz obj usda bgeo hdf pc2)' \
            '--output[where the new files go (default\: FOLDER/FORMAT, or beside the frame)]:path:_files' '-o[where the new files go (default\: FOLDER/FORMAT, or beside the frame)]:path:_files' \
            '--frames[only frames A to B]:a-b:' \
            '--fields[only these fields, and the position]:a,b:' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    mesh)
        _arguments \
            '--to[the format (default\: obj)]:value:(obj ply vtu usda bgeo hdf)' \
            '--output[where the files go (default\: FOLDER/mesh, or beside the frame)]:path:_files' '-o[where the files go (default\: FOLDER/mesh, or beside the frame)]:path:_files' \
            '--frames[only frames A to B]:a-b:' \
            '--fields[particle quantities to store at the vertices (default\: all)]:a,b:' \
            '--bodies[only these bodies, by their numbers in the field body]:a,b:' \
            '--cell[edge of the cells that are marched through, in metres (default\: 0.75 particle distances)]:m:' \
            '--spacing[distance between particles, in metres (default\: measured)]:m:' \
            '--smooth[smoothing passes (default\: 2)]:n:' \
            '--round[isotropic kernels instead of ones that follow the surface\: faster, bumpier]' \
            '--threads[use N threads (default\: one per core)]:n:' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    groom)
        _arguments \
            '--output[the OBJ file to write (default\: groom.obj)]:path:_files' '-o[the OBJ file to write (default\: groom.obj)]:path:_files' \
            '--mesh[grow from this mesh, OBJ, STL or PLY, instead of a sphere]:file:' \
            '--center[centre of the sphere, m (default\: 0,0,0)]:x,y,z:' \
            '--radius[radius of the sphere (default\: 0.1)]:m:' \
            '--count[number of strands, or of strands per lock of a braid (default\: 1000; 12)]:n:' \
            '--density[strands per square metre of the sphere, instead of their number]:n:' \
            '--length[length of a strand outside the surface, or of a braid (default\: 0.2; 0.4)]:m:' \
            '--depth[depth of the roots below the surface, for pinning (default\: 0.02)]:m:' \
            '--segment[distance between the points of a strand (default\: 0.01; 0.005)]:m:' \
            '--comb[direction towards which tips lean (default\: 0,0,0)]:x,y,z:' \
            '--cap[grow only where the normal is within this angle of --up (default\: 180)]:deg:' \
            '--up[the middle of the cap (default\: 0,1,0)]:x,y,z:' \
            '--clumps[number of clumps (default\: 0)]:n:' \
            '--clump[how close tips move to the middle of their clump, 0 to 1 (default\: 0.7)]:f:' \
            '--curl[radius of curls (default\: 0)]:m:' \
            '--pitch[height of one turn of a curl, or of a braid (default\: 0.05; 0.12)]:m:' \
            '--vary[shorten strands at random by up to this fraction (default\: 0)]:f:' \
            '--seed[another groom of the same kind (default\: 1)]:n:' \
            '--braid[make a braid that hangs from --center, instead of hair on a surface]' \
            '--locks[number of locks of a braid (default\: 3)]:n:' \
            '--lock[radius of a lock (default\: 0.01)]:m:' \
            '--width[maximum distance of a lock from the middle of the braid (default\: 0.02)]:m:' \
            '--help[print help]'
        ;;
    render)
        _arguments \
            '--output[OUT.png, OUT.mp4 or a folder for pictures (default\: film.mp4 and picture.png in the run)]:path:_files' '-o[OUT.png, OUT.mp4 or a folder for pictures (default\: film.mp4 and picture.png in the run)]:path:_files' \
            '--frames[only frames A to B]:a-b:' \
            '--size[pixels (default\: 1280x720)]:wxh:' \
            '--color-by[body, material or a quantity in the frames, such as speed]:name:' \
            '--range[range of values of the colour map (default\: that of the frames)]:a-b:' \
            '--camera-from[where the camera stands, in metres]:x,y,z:' \
            '--camera-target[what it looks at (default\: the middle)]:x,y,z:' \
            '--fov[its vertical field of view (default\: 35)]:deg:' \
            '--surface[the surface around the particles instead of spheres (3D)]' \
            '--quality[fast (the default), or high\: path tracing, with materials as they look (3D)]:word:' \
            '--samples[high\: paths per pixel at most (default\: 64)]:n:' \
            '--aperture[high\: diameter of the lens in metres, for depth of field (default\: 0)]:m:' \
            '--shutter[high\: seconds of motion blur (default\: half a frame in films, 0 in pictures)]:s:' \
            '--turntable[move the camera once around one frame, in N pictures]:n:' \
            '--light[a light background]' \
            '--box[draw the edges of the domain (3D; fast)]' \
            '--fps[frames per second of the film (default\: real time if that gives 12 to 60, otherwise 24)]:n:' \
            '--threads[use N threads (default\: one per core)]:n:' \
            '--quiet[print nothing but errors]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    plot)
        _arguments \
            '--output[OUT.svg or OUT.png (default\: plot.svg and plot.png in the run; of several, here)]:path:_files' '-o[OUT.svg or OUT.png (default\: plot.svg and plot.png in the run; of several, here)]:path:_files' \
            '--columns[these columns of stats.csv, one plot each]:a,b:' \
            '--log[logarithmic values]' \
            '--range[only times from A to B, in seconds]:a-b:' \
            '--title[title (default\: the name of the run)]:text:' \
            '--size[pixels (default\: 640x360 per plot)]:wxh:' \
            '--dark[light on dark]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    compare)
        _arguments \
            '--schemes[transfer schemes, parameters after colons\: apic,asflip\:alpha=0.97\:beta_max=0.5 (default\: pic,flip,apic,aflip,asflip)]:a,b:' \
            '--set-each[one run per value; may be repeated, and combined with --schemes]:key-v,w:' \
            '--output[where results go (default\: out/compare-NAME with the name of the scene)]:path:_files' '-o[where results go (default\: out/compare-NAME with the name of the scene)]:path:_files' \
            '--force[repeat existing runs]' '-f[repeat existing runs]' \
            '--set[change a value of the scene for all runs; may be repeated]:key-value:' \
            '--seed[the seed of all sampling; the same as --set seed=N]:n:' \
            '--threads[use N threads (default\: one per core); results do not depend on it]:n:' \
            '--film[draw film.mp4, all runs side by side]' \
            '--quiet[print nothing but errors]' '-q[print nothing but errors]' \
            '--json[print one JSON object instead of the table]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    view)
        _arguments \
            '--port[listen on this port (default\: the first free one from 8484; 0\: any)]:n:' '-p[listen on this port (default\: the first free one from 8484; 0\: any)]:n:' \
            '--listen[let others look, too\: listen on this address, 0.0.0.0 for all (default\: this machine only)]:address:' \
            '--points[reduce frames to about N particles (default\: 1000000)]:n:' \
            '--open[open the page in the browser]' \
            '--quiet[print nothing but the address of the page]' '-q[print nothing but the address of the page]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    schema)
        _arguments \
            '--reference[print the reference page (Markdown) instead of the JSON Schema]' \
            '--reference-scene[print a commented scene with every key instead]' \
            '--presets[list the material presets with their keys and sources instead]' \
            '--help[print help]'
        ;;
    examples)
        _arguments \
            '--output[copy the example'\''s files to this folder]:path:_files' '-o[copy the example'\''s files to this folder]:path:_files' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    bench)
        _arguments \
            '--method[mpm, peridynamics, fluid or strands (default\: mpm)]:name:' \
            '--scene[what to measure, same as the argument (default\: elastic)]:name:' \
            '--particles[about N particles (default\: 1000000)]:n:' \
            '--dimension[in 2D or 3D (default\: 3)]:value:(2 3)' \
            '--threads[use N threads (default\: 1)]:n:' \
            '--steps[N steps after a warm-up (default\: 100)]:n:' \
            '--scheme[transfer scheme (default\: apic)]:name:' \
            '--kernel[quadratic or cubic (default\: quadratic)]:name:' \
            '--precision[float or double (default\: float)]:name:' \
            '--spread[a domain N times as wide as needed (default\: 1)]:n:' \
            '--criteria[choose the step by all criteria instead of a fixed one]' \
            '--collider[let the cube fall on a collider with friction instead of the wall]' \
            '--yardstick[build this C program and alternate it with continua, seven times]:file:' \
            '--json[print one JSON object]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    reproduce)
        _arguments \
            '--quick[reduced sizes, the same criteria where they still hold]' \
            '--report[write one page, FOLDER/index.html, with every figure next to its claim]:folder:' \
            '--output[where plots, pictures and results go (default\: out/reproduce, out/verify; of --quick below out/quick)]:path:_files' '-o[where plots, pictures and results go (default\: out/reproduce, out/verify; of --quick below out/quick)]:path:_files' \
            '--refine[run at the spacing, at half of it, ... (N sizes, 2 to 6); print order and limit]:n:' \
            '--again[repeat finished cases; by default unchanged ones are kept]' \
            '--threads[use N threads (default\: one per core)]:n:' \
            '--json[print a JSON list of id, title, state, claimed, measured and reason]' \
            '--quiet[print one line per trial]' '-q[print one line per trial]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    verify)
        _arguments \
            '--quick[reduced sizes, the same criteria where they still hold]' \
            '--report[write one page, FOLDER/index.html, with every figure next to its claim]:folder:' \
            '--output[where plots, pictures and results go (default\: out/reproduce, out/verify; of --quick below out/quick)]:path:_files' '-o[where plots, pictures and results go (default\: out/reproduce, out/verify; of --quick below out/quick)]:path:_files' \
            '--refine[run at the spacing, at half of it, ... (N sizes, 2 to 6); print order and limit]:n:' \
            '--again[repeat finished cases; by default unchanged ones are kept]' \
            '--threads[use N threads (default\: one per core)]:n:' \
            '--json[print a JSON list of id, title, state, claimed, measured and reason]' \
            '--quiet[print one line per trial]' '-q[print one line per trial]' \
            '*:path:_files' \
            '--help[print help]'
        ;;
    help)
        _arguments \
            '1:command:(run resume check info convert mesh groom render plot compare view schema examples bench reproduce verify help version)' \
            '--help[print help]'
        ;;
    version)
        _arguments \
            '--help[print help]'
        ;;
    esac
}

_continua "$@"
