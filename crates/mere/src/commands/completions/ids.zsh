
# The names of items, which the program itself knows. It is the one on the path for programs, never
# a file of the folder that somebody is in.
_mere_and_ids() {
    local -a names
    if [[ "$PREFIX" != -* ]]; then
        names=(${(f)"$(command mere complete -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
        if (( ${#names} )); then
            compadd -a names
            return
        fi
    fi
    _mere "$@"
}

if [ "$funcstack[1]" = "_mere" ]; then
    _mere_and_ids "$@"
else
    compdef _mere_and_ids mere
fi
