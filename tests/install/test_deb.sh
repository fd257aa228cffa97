#!/usr/bin/env bash
# Makes a package of a build, unpacks it somewhere and uses what is in it: test_deb.sh BUILD_FOLDER SOURCE_FOLDER VERSION
set -euo pipefail
build=$1 source=$2 version=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1" >&2
    exit 1
}

package=$("$source/scripts/deb" "$build" "$work") || fail "scripts/deb"
[ "$(dpkg-deb -f "$package" Package)" = continua ] || fail "wrong name"
[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "wrong version"
dpkg-deb -f "$package" Depends | grep -q 'libc6.*libyaml-0-2' || fail "dependencies: $(dpkg-deb -f "$package" Depends)"
dpkg-deb -c "$package" | awk '$2 != "root/root" { exit 1 }' || fail "files that are not root's"
dpkg-deb -c "$package" | grep -q __pycache__ && fail "compiled Python in the package"

dpkg-deb -x "$package" "$work/root"
bin=$work/root/usr/bin/continua
[ "$("$bin" --version)" = "continua $version" ] || fail "the command does not start"
cd "$work"
"$bin" examples bounce | grep -q '^bodies:' || fail "the examples are not found"
"$bin" run "$work/root/usr/share/continua/examples/bounce/scene.yaml" --set time.end=0.05s -o run --quiet || fail "run"
hash=$("$bin" info run --json | sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/')

module=$(dirname "$(find "$work/root" -path '*-packages/continua' -type d)")
library=$(find "$work/root" -name libcontinua.so.0)
said=$(env -u CONTINUA_LIBRARY LD_LIBRARY_PATH="$(dirname "$library")" PYTHONPATH="$module" python3 -B -c "
import continua
w = continua.load('$work/root/usr/share/continua/examples/bounce/scene.yaml', {'time.end': '0.05 s'})
w.run()
print(w.hash)") || fail "the Python module"
[ "$said" = "$hash" ] || fail "the module says $said, the command $hash"
