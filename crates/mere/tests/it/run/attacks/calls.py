"""Makes every system call that it must not have."""
import mmap, signal

# By the names of the kernel: the number on x86_64, and the one of every newer machine.
NUMBERS = {
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "syslog": (103, 116),
    "statmount": (457, 457), "listmount": (458, 458), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "clone3": (435, 435), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "personality": (135, 92), "capset": (126, 91), "acct": (163, 89),
    "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
    "kcmp": (312, 272), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446),
    "seccomp": (317, 277), "vhangup": (153, 58), "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186),
    "semget": (64, 190), "mq_open": (240, 180), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "mbind": (237, 235), "set_mempolicy": (238, 237), "remap_file_pages": (216, 234), "vmsplice": (278, 75),
    "splice": (275, 76), "tee": (276, 77), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "setgroups": (116, 159), "sched_setattr": (314, 274), "lsm_set_self_attr": (460, 460), "io_setup": (206, 0),
    "cachestat": (451, 451), "map_shadow_stack": (453, 453), "nfsservctl": (180, 42),
}
OLDER = {"iopl": 172, "ioperm": 173, "modify_ldt": 154, "uselib": 134, "sysfs": 139, "ustat": 136, "_sysctl": 156,
         "create_module": 174, "kexec_file_load": 320, "lookup_dcookie": 212}
KINDS = {"NEWNS": 0x20000, "NEWCGROUP": 0x02000000, "NEWUTS": 0x04000000, "NEWIPC": 0x08000000,
         "NEWUSER": 0x10000000, "NEWPID": 0x20000000, "NEWNET": 0x40000000}
CLONE = 56 if IS_X86 else 220


def number(name):
    return NUMBERS[name][0 if IS_X86 else 1]


# Arguments of zero harm nobody, if one of them should work after all.
for name in NUMBERS:
    attempt(name, ABSENT, lambda: call(number(name), 0, 0, 0, 0, 0, 0))
if IS_X86:
    for name, one in OLDER.items():
        attempt(name, ABSENT, lambda: call(one, 0, 0, 0, 0, 0, 0))
    for one in (41, 165, 272, 101, 59, 0, 257):
        attempt(f"call {one} of another world", ABSENT, lambda: call(0x40000000 | one, 0, 0, 0, 0, 0, 0))


def born(flags):
    """A process with its own namespaces, which ends at once."""
    child = call(CLONE, flags | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


for name, flag in list(KINDS.items()) + [("all", sum(KINDS.values()))]:
    attempt(f"clone {name}", ABSENT, lambda: born(flag))
    attempt(f"clone {name} with more bits", ABSENT, lambda: born(flag | 1 << 40))
    attempt(f"unshare {name}", ABSENT, lambda: call(number("unshare"), flag))
holds("an ordinary process is born", born(0) > 1)
attempt("a filesystem", ABSENT, lambda: call(number("mount"), b"t", b"/work", b"tmpfs", 0, 0))
attempt("a bind", ABSENT, lambda: call(number("mount"), b"/usr", b"/work", 0, 4096, 0))
attempt("a remount", ABSENT, lambda: call(number("mount"), 0, b"/", 0, 32, 0))
attempt("an unmount", ABSENT, lambda: call(number("umount2"), b"/work", 2))
attempt("a handle", ABSENT, lambda: call(number("name_to_handle_at"), -100, b"/work", ctypes.create_string_buffer(200), ctypes.create_string_buffer(8), 0))
attempt("a new root", ABSENT, lambda: call(number("chroot"), b"/work"))
attempt("trace the first process", ABSENT, lambda: call(number("ptrace"), 16, 1, 0, 0))
attempt("seize the first process", ABSENT, lambda: call(number("ptrace"), 0x4206, 1, 0, 0))
for request in (0x5412, 0x541C, 0x5412 | 1 << 40):
    for one in (0, 1, 2):
        attempt(f"type {request:x} on {one}", ABSENT, lambda: call(16 if IS_X86 else 29, one, request, b"x"))


def prctl(*arguments):
    return call(157 if IS_X86 else 167, *arguments, *[0] * (5 - len(arguments)))


for name, arguments in {"new privileges": (38, 0), "bounding set": (24, 21), "ambient": (47, 2, 21),
                        "secure bits": (28, 1), "another program": (35, 13, 0), "memory map": (35, 1, 4096),
                        "flusher": (57, 1), "another filter": (22, 2, 0)}.items():
    attempt(f"prctl {name}", "EPERM EINVAL EFAULT EACCES EBADF", lambda: prctl(*arguments))
holds("no new privileges", prctl(39) == 1)
holds("a filter", prctl(21) == 2)
left = []
for one in range(41):
    try:
        left += [one] if prctl(23, one) else []
    except OSError:
        break
holds("no capability is left to get", left == [], left)
head, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
call(125 if IS_X86 else 90, head, sets)
holds("no capability", list(sets) == [0] * 6, list(sets))
room = os.open("/work/room", os.O_RDWR | os.O_CREAT)
attempt("much of the disk at once", "EOPNOTSUPP ENOTSUP", lambda: call(285 if IS_X86 else 47, room, 0, 0, 1 << 28))
os.write(room, b"x")
attempt("a page in a pipe", "EINVAL", lambda: os.sendfile(os.pipe()[1], room, 0, 1))
shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
attempt("memory in nobody's account", ABSENT, lambda: mmap.mmap(-1, 4096, shared))
attempt("the same by its other name", ABSENT, lambda: mmap.mmap(-1, 4096, shared | 3))
attempt("the same by a device", "EACCES EPERM", lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096, mmap.MAP_SHARED))


def older_way():
    """The calls of 32 bits, by their own gate: `getpid`, then its end with 0 if it came back."""
    code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(place)() > 0 else 1)
    return os.waitpid(child, 0)[1]


if IS_X86:
    status = older_way()
    holds("the gate of 32 bits is shut", os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 1, status)
report()
