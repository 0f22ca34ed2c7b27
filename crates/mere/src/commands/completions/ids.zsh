
# The names of items, which the program itself knows.
_mere_and_ids() {
    local -a names
    if [[ "$PREFIX" != -* ]]; then
        names=(${(f)"$(${(Q)words[1]} complete -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
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
