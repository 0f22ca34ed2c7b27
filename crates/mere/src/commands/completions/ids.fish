
# The names of items, which the program itself knows. It is the one on the path for programs, never
# a file of the folder that somebody is in.
function __mere_names
    set -l typed (commandline -opc)
    command mere complete -- $typed[2..-1] 2>/dev/null
end

complete -c mere -n 'string length -q -- (__mere_names)' -f -a '(__mere_names)'
