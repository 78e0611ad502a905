# For scripts that make packages; they run in the root of the repository.

# The time of everything in a package: that of the last commit, or SOURCE_DATE_EPOCH.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then SOURCE_DATE_EPOCH=$(git log -1 --format=%ct); fi
export SOURCE_DATE_EPOCH
export LC_ALL=C.UTF-8 TZ=UTC

# The version of packages of a program: its own on a tagged commit; otherwise one that precedes it, and follows those of earlier
# commits. VERSION replaces it.
package_version() {
    if [ -n "${VERSION:-}" ]; then
        echo "$VERSION"
        return
    fi
    own=$("$1" --version)
    if [ "$(git tag --points-at HEAD "v$own" 2>/dev/null)" = "v$own" ]; then
        echo "$own"
    else
        echo "$own~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)"
    fi
}

# Fails if a program contains the path of this folder, which would make its bytes depend on it.
refuse_paths() {
    if [ -z "${ALLOW_PATHS:-}" ] && grep -qaE "$PWD/(Sources|\.build)/" "$1"; then
        echo "$1 contains the path of this folder: build it with \`make package-program\`, or set ALLOW_PATHS=1" >&2
        exit 1
    fi
}
