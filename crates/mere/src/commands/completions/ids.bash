
# The names of items, which the program itself knows.
_mere_and_ids() {
    _mere "$@"
    local current="${COMP_WORDS[COMP_CWORD]}" names
    [[ "$current" == -* ]] && return 0
    names=$("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null) || return 0
    [[ -n "$names" ]] && mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
    return 0
}

complete -F _mere_and_ids -o bashdefault -o default mere
