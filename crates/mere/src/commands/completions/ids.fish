
# The names of items, which the program itself knows.
function __mere_names
    set -l typed (commandline -opc)
    $typed[1] complete -- $typed[2..-1] 2>/dev/null
end

complete -c mere -n 'string length -q -- (__mere_names)' -f -a '(__mere_names)'
