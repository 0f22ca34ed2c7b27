"""What every hostile tool begins with: a try must be refused, in one of the ways that are right."""
import ctypes, errno, json, os, platform, sys

GIVEN = json.load(sys.stdin)
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
TRIES, WRONG = [0], []
GONE = "ENOENT EACCES"
SHUT = "EROFS EACCES EPERM ENOENT"
ABSENT = "ENOSYS"


def attempt(name, refusals, act):
    """Counts a try, and writes down what became of it where that is not one of the refusals."""
    TRIES[0] += 1
    try:
        outcome = f"succeeded: {act()!r}"[:300]
    except OSError as error:
        outcome = errno.errorcode.get(error.errno, str(error.errno))
        if outcome in refusals.split():
            return
    WRONG.append(f"{name}: {outcome}")


def holds(name, is_so, found=None):
    """Counts something that must be so."""
    TRIES[0] += 1
    if not is_so:
        WRONG.append(f"{name}: {found!r}"[:600])


def call(number, *arguments):
    """A system call by its number."""
    raw = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = LIBC.syscall(ctypes.c_long(number), *raw)
    if result < 0:
        raise OSError(ctypes.get_errno(), "a system call")
    return result


def report():
    print(json.dumps({"tries": TRIES[0], "wrong": WRONG}))


IS_X86 = platform.machine() == "x86_64"
