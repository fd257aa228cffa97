#!/usr/bin/env bash
# Installs a build to a temporary prefix, compiles examples/embed against the installed copy in every way that is
# offered, and runs what came out: test_install.sh CMAKE BUILD_FOLDER SOURCE_FOLDER COMPILER VERSION
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4 version=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/first

fail() {
    echo "FAILED: $1" >&2
    exit 1
}

expect_file() {
    [ -s "$prefix/$1" ] || fail "$1 was not installed"
}

# The output of the example: a header, then time, height and energies. The ball falls freely from 0.25 m for the first
# 0.15 s, lands, and bounces.
check_output() {
    local output
    output=$("$@") || fail "$1 returned $?"
    grep -q "continua $version" <<<"$output" || fail "$1 does not say 'continua $version': $output"
    awk -v how="$1" '
        function bad(why) { print how ": " why " in line: " $0 > "/dev/stderr"; failed = 1 }
        function near(a, b, tolerance) { return (a - b)^2 <= tolerance^2 }
        /^#/ { next }
        { lines++ }
        NF != 5 { bad("not five columns") }
        # A lattice that fills the ball has its centre within a tenth of the spacing of the centre of the ball.
        lines == 1 { start = $2; if (!near(start, 0.25, 0.0025)) bad("wrong height at the start") }
        # Free fall: a rigid translation, which the transfers keep; what remains is the error of symplectic Euler,
        # g t dt / 2 < 2.5 mm for dt < spacing / speed of sound = 0.025 m / 7.3 m/s.
        $1 <= 0.15 && !near($2, start - 9.81 * $1^2 / 2, 0.0025) { bad("wrong height in free fall") }
        $1 <= 0.15 && $5 > 1e-3 * $3 { bad("elastic energy in free fall") }
        $2 < 0.05 || $2 > 0.26 { bad("the ball is where it cannot be") }
        { total = $3 + $4 + $5; if (lines == 1) first = total }
        total > 1.01 * first { bad("energy has grown") }
        $5 > deepest { deepest = $5 }
        END {
            if (lines != 13) bad("13 lines expected, got " lines)
            if (!(deepest > 0.01 * first)) bad("the ball never landed")
            exit failed
        }' <<<"$output" || fail "the output of $1 is wrong: $output"
}

"$cmake" --install "$build" --prefix "$prefix" >"$work/log" 2>&1 || fail "cmake --install: $(cat "$work/log")"
libdir=$(dirname "$(find "$prefix" -name libcontinua.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

# ---- Files -------------------------------------------------------------------------------------------------

expect_file include/continua/continua.h
expect_file share/man/man1/continua.1
expect_file share/bash-completion/completions/continua
expect_file share/zsh/site-functions/_continua
expect_file share/fish/vendor_completions.d/continua.fish
expect_file share/doc/continua/LICENSE
expect_file share/continua/examples/embed/main.c
grep -q '^\.TH CONTINUA 1' "$prefix/share/man/man1/continua.1" || fail "the man page has no title line"
if grep -rIlF -e "$source" -e "$prefix" "$libdir/pkgconfig" "$libdir/cmake"; then
    fail "these files hold the path of the build or of the prefix: the copy cannot be moved"
fi

# ---- The library: pkg-config -------------------------------------------------------------------------------

[ "$(pkg-config --modversion continua)" = "$version" ] || fail "pkg-config knows another version"
for package in continua continua-static; do
    # shellcheck disable=SC2046 # flags are several words
    "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror "$source/examples/embed/main.c" \
        $(pkg-config --cflags --libs "$package") -o "$work/embed-$package" || fail "compiling with $package"
    check_output "$work/embed-$package"
done
# Texts, no pipes: a grep that has found its word ends, and what still writes into it fails.
if grep -q libcontinua <<<"$(ldd "$work/embed-continua-static")"; then fail "continua-static links the shared library"; fi
grep -q libcontinua <<<"$(ldd "$work/embed-continua")" || fail "continua does not link the shared library"

# ---- The library: CMake package, after moving the whole tree ---------------------------------------

mv "$prefix" "$work/moved"
prefix=$work/moved
mkdir "$work/project"
cp "$source"/examples/embed/main.c "$source"/examples/embed/CMakeLists.txt "$work/project"
{
    echo 'add_executable(embed_static main.c)'
    echo 'target_link_libraries(embed_static PRIVATE continua::static)'
} >>"$work/project/CMakeLists.txt"
unset LD_LIBRARY_PATH PKG_CONFIG_PATH # CMake finds its own way and sets the run path
"$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" >"$work/log" 2>&1 || fail "find_package: $(cat "$work/log")"
"$cmake" --build "$work/project/build" >"$work/log" 2>&1 || fail "building: $(cat "$work/log")"
check_output "$work/project/build/embed"
check_output "$work/project/build/embed_static"

# ---- The command -------------------------------------------------------------------------------------------

grep -qF "$version" <<<"$("$prefix/bin/continua" --version)" || fail "continua --version"
cd "$work" # away from the source tree
grep -qw jelly <<<"$("$prefix/bin/continua" examples)" || fail "continua examples does not list jelly"
grep -qw embed <<<"$("$prefix/bin/continua" examples)" && fail "continua examples lists embed, which is not a scene"
"$prefix/bin/continua" examples jelly >"$work/jelly.yaml"
cmp -s "$work/jelly.yaml" "$prefix/share/continua/examples/jelly/scene.yaml" || fail "continua examples jelly"
# ---- The Python module --------------------------------------------------------------------------------------

if command -v python3 >/dev/null; then
    module=$(dirname "$(dirname "$(find "$prefix" -path '*/continua/__init__.py')")")
    said=$(PYTHONPATH=$module python3 -B -c 'import continua; print(continua.__version__, continua._library.library._name)') ||
        fail "import continua"
    grep -q "^$version $prefix/" <<<"$said" || fail "the module uses another library: $said"
fi
echo "install: all good"
