
# The names of items, which the program itself knows. It is the one on the path for programs, never
# a file of the folder that somebody is in; and a name is only compared, never evaluated.
_mere_and_ids() {
    _mere "$@"
    local current="${COMP_WORDS[COMP_CWORD]}" names name
    [[ "$current" == -* ]] && return 0
    names=$(command mere complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null) || return 0
    [[ -n "$names" ]] || return 0
    COMPREPLY=()
    while IFS= read -r name; do
        [[ "$name" == "$current"* ]] && COMPREPLY+=("$name")
    done <<< "$names"
    return 0
}

complete -F _mere_and_ids -o bashdefault -o default mere
