# For .ci/run: steps in the foreground, and others beside them. Bash 5.1 or later.

# process ID of what runs beside the foreground -> its name; and the step in the foreground
declare -A beside=()
foreground=

# begin FOLDER: for outputs and times. The folder is emptied.
begin() {
    steps=$1
    rm -rf "$steps" && mkdir -p "$steps"
    # A process group for each job, so that nothing of it is left over.
    set -m
    trap end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# step NAME COMMAND...: runs a command, and ends the run if it, or what runs beside it, fails.
step() {
    local name=$1 start=$SECONDS ended status
    shift
    echo "== $name"
    "$@" </dev/null &
    foreground=$!
    while true; do
        status=0
        wait -n -p ended "$foreground" "${!beside[@]}" || status=$?
        [ "$ended" != "$foreground" ] || break
        finish "$ended" "$status"
    done
    printf '%3d:%02d  %s%s\n' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)) "$name" "${lane:+, beside}" >>"$steps/times"
    [ "$status" = 0 ] || { echo "failed: $name (status $status)" >&2; exit 1; }
    foreground=
}

# beside FUNCTION NICENESS: runs a function of steps with a lower priority, its output in a file.
beside() {
    (
        set +m
        beside=() lane=$1
        [ "$2" = 0 ] || renice -n "$2" "$BASHPID" >/dev/null
        "$1"
    ) >"$steps/$1.log" 2>&1 </dev/null &
    beside[$!]=$1
}

# join [FUNCTION]: waits for what runs beside, one function of steps or all, and shows what each wrote.
join() {
    local ended status
    while [ ${#beside[@]} -gt 0 ] && { [ $# = 0 ] || [[ " ${beside[*]} " = *" $1 "* ]]; }; do
        status=0
        wait -n -p ended "${!beside[@]}" || status=$?
        finish "$ended" "$status"
    done
}

finish() {
    local name=${beside[$1]}
    # What still writes to the same output would hide why this failed.
    [ "$2" = 0 ] || stop
    unset "beside[$1]"
    cat "$steps/$name.log"
    [ "$2" = 0 ] || exit 1
}

# Ends what still runs, within ten seconds.
stop() {
    local job
    for job in $foreground "${!beside[@]}"; do
        # Without a notice of the shell that it was ended.
        disown "$job" 2>/dev/null || true
        kill -TERM -- "-$job" 2>/dev/null || true
        for _ in $(seq 50); do kill -0 -- "-$job" 2>/dev/null && sleep 0.2 || break; done
        kill -KILL -- "-$job" 2>/dev/null || true
    done
    foreground='' beside=()
}

end() {
    local status=$?
    trap - EXIT
    stop
    [ ! -e "$steps/times" ] || { echo "minutes:" && cat "$steps/times" && echo "$((SECONDS / 60)):$(printf %02d $((SECONDS % 60))) in all"; } >&2
    exit "$status"
}
