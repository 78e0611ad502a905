# For scripts that install what only some tests need; they run in the root of the repository. `purpose` names these tests.

# Ends the script with a message if an installation is impossible, such as without a network. It prints no path, so the tests
# are skipped. In CI (CI=true, or ASSAY_SHARED set) that is a failure.
without() {
    # shellcheck disable=SC2154 # of the script that reads this
    echo "no $purpose: $1" >&2
    if [ "${CI:-}" = true ] || [ -n "${ASSAY_SHARED:-}" ]; then exit 1; fi
    exit 0
}

# Makes a virtual environment of Python when it is missing or older than what is pinned, and prints where its Python is.
#
#   python_environment FOLDER MODULES PIP-OPTIONS REQUIREMENTS...    of the first three, the last two may be several words
python_environment() {
    folder=$1 modules=$2 options=$3
    shift 3
    python=$folder/bin/python
    # What is installed is written last, so that what was broken off is made anew.
    if ! cat "$@" | cmp -s - "$folder/installed.txt" || ! "$python" -c "import $modules" 2>/dev/null; then
        # Debian keeps pip for virtual environments in a package of its own.
        if ! python3 -c "import ensurepip, venv" 2>/dev/null; then
            Scripts/install-packages python3 python3-venv >&2 || without "python3 and python3-venv are needed"
        fi
        log=$(mktemp)
        trap 'rm -f "$log"' EXIT
        rm -rf "$folder"
        # shellcheck disable=SC2046,SC2086 # lists of words
        if ! { python3 -m venv "$folder" && "$python" -m pip install --quiet --disable-pip-version-check $options \
            $(printf -- '--requirement %s ' "$@"); } >"$log" 2>&1; then
            cat "$log" >&2
            without "$* cannot be installed"
        fi
        cat "$@" >"$folder/installed.txt"
    fi
    echo "$(pwd)/$python"
}
