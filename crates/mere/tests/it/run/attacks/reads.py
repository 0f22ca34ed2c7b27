"""Looks for everything that is none of its business."""
import glob

PLACES = ["", "/proc/self/root", "/proc/1/root", "/proc/self/cwd/../..", "/proc/1/cwd/../..",
          "/proc/thread-self/root", "/old", "/proc/old", "/work/..", "/work/../..", "/tool/..",
          "/proc/self/task/../root", "/usr/..", "/dev/fd/../root"]


def look(path):
    with open(path, "rb") as file:
        return file.read(80)


# What lies on the machine, by every way there.
for number, target in enumerate(GIVEN["secrets"]):
    for place in PLACES:
        attempt(f"read {number} by {place or '/'}", GONE, lambda: look(place + target))
        attempt(f"list {number} by {place or '/'}", GONE, lambda: os.listdir(place + target))
        attempt(f"stat {number} by {place or '/'}", GONE, lambda: os.stat(place + target))
    for depth in (1, 3, 30):
        attempt(f"read {number} by {depth} times ..", GONE, lambda: look("../" * depth + target.lstrip("/")))
    link = f"/work/link{number}"
    for to in (target, "../" * 20 + target.lstrip("/"), "/proc/1/root" + target):
        os.symlink(to, link)
        attempt(f"read {number} by a link", GONE, lambda: look(link))
        attempt(f"list {number} by a link", GONE, lambda: os.listdir(link))
        os.unlink(link)

# What a machine has.
for path in """/root /home /etc/shadow /etc/machine-id /etc/hostname /etc/resolv.conf /etc/ssh /etc/ssl/private
    /etc/sudoers /var /var/log /var/lib /run /run/systemd /tmp /boot /mnt /media /opt /srv /lost+found /sys
    /sys/kernel /sys/fs/cgroup /dev/mem /dev/kmsg /dev/tty /dev/console /dev/ptmx /dev/pts /dev/shm /dev/kvm
    /dev/fuse /dev/vda /dev/sda /dev/net/tun /dev/loop0 /dev/loop-control /dev/mqueue /dev/vsock /project /old
    /proc/mounts /proc/cmdline /proc/kcore /proc/version /proc/keys /proc/key-users /proc/kallsyms /proc/config.gz
    /proc/sys /proc/sys/kernel/hostname /proc/sys/kernel/random/boot_id /proc/modules /proc/partitions /proc/net
    /proc/self/net/tcp /proc/kmsg /proc/meminfo /proc/cpuinfo /proc/locks /proc/timer_list /proc/interrupts
    """.split():
    attempt(f"read {path}", GONE, lambda: look(path))
    attempt(f"list {path}", GONE + " ENOTDIR", lambda: os.listdir(path))
attempt("list the root", "EACCES", lambda: os.listdir("/"))
attempt("list /dev", "EACCES", lambda: os.listdir("/dev"))

# Processes: their own are there, and tell nothing.
attempt("list the processes", "EACCES", lambda: os.listdir("/proc"))
attempt("signal everybody", "ESRCH", lambda: os.kill(-1, 0))
for process in GIVEN["processes"]:
    attempt("see a process of the machine", GONE, lambda: os.stat(f"/proc/{process}"))
    attempt("signal a process of the machine", "ESRCH", lambda: os.kill(process, 0))
    attempt("open a process of the machine", "ESRCH", lambda: os.pidfd_open(process))
holds("the numbers of processes are its own", os.getpid() < 100 and os.getppid() == 1, os.getppid())
for process in ("self", "thread-self", "1", str(os.getpid())):
    for name in """environ mountinfo mounts mountstats maps smaps mem auxv cmdline comm status stat statm stack
        syscall wchan cgroup limits io sched schedstat numa_maps oom_score pagemap personality sessionid loginuid
        uid_map gid_map setgroups timers fdinfo/0 attr/current task map_files fd ns net""".split():
        path = f"/proc/{process}/{name}"
        attempt(f"read {path}", GONE, lambda: look(path))
        attempt(f"list {path}", GONE + " ENOTDIR", lambda: os.listdir(path))
for name in ["exe", "cwd", "root", "ns/mnt", "ns/user", "ns/net"] + [f"fd/{one}" for one in range(9)]:
    attempt(f"read the link {name} of the first process", GONE + " EPERM", lambda: os.readlink(f"/proc/1/{name}"))
    attempt(f"open {name} of the first process", GONE + " EPERM ENXIO", lambda: os.open(f"/proc/1/{name}", os.O_RDONLY))
for name, said in (("exe", "/usr/"), ("cwd", "/work"), ("root", "/")):
    found = os.readlink(f"/proc/self/{name}")
    holds(f"its own {name}", found.startswith(said), found)

# What it was given, and no more.
allowed = {"PATH", "HOME", "TMPDIR", "LANG", "USER", "LC_CTYPE", "PYTHONPATH", "PYTHONUNBUFFERED",
           "PYTHONDONTWRITEBYTECODE"}
holds("its environment", set(os.environ) <= allowed, sorted(set(os.environ) - allowed))
extra = [number for number in range(3, 4096) if os.path.lexists(f"/proc/self/fd/{number}")]
extra = [number for number in extra if not os.path.samestat(os.fstat(number), os.stat(__file__))]
holds("its open files", extra == [], [os.readlink(f"/proc/self/fd/{number}") for number in extra])
holds("its name", os.uname().nodename == "sandbox", os.uname().nodename)
everything = "\n".join([repr(os.environ), repr(sys.argv), repr(sys.path), __file__, os.getcwd(), sys.executable,
                        repr(sys.modules), repr(glob.glob("/*")), repr(glob.glob("/proc/self/*"))])
for number, target in enumerate(GIVEN["secrets"]):
    holds(f"path {number} is told nowhere", target not in everything, everything)
report()
