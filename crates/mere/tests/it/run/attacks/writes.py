"""Writes where it must not, and tries to become somebody else."""
import stat

MODE = os.O_WRONLY | os.O_CREAT


def touch(path, flags=MODE, mode=0o644):
    os.close(os.open(path, flags, mode))
    return path


SCRIPT = __file__
for path in """/x /tool/x /usr/x /usr/bin/x /usr/local/x /etc/x /etc/passwd /etc/ld.so.cache /etc/ld.so.preload /dev/x
    /dev/shm/x /tmp/x /var/tmp/x /packages/x /interpreter/x /node_modules/x /lib/x /bin/x /nix/store/x /proc/x /old
    /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/self/oom_score_adj /proc/1/mem
    /proc/self/mem /proc/self/uid_map /proc/self/gid_map /proc/self/setgroups /proc/1/oom_score_adj /proc/1/cwd/../x
    /proc/self/attr/current /proc/self/clear_refs /proc/self/comm /sys/power/state /sys/kernel/uevent_helper /work/../x
    /proc/self/root/x /dev/zero /dev/random /dev/urandom""".split() + [SCRIPT, "/usr/bin/env"]:
    attempt(f"write {path}", SHUT, lambda: touch(path))
    attempt(f"make the folder {path}.d", SHUT, lambda: os.mkdir(f"{path}.d"))
    attempt(f"make a link {path}.l", SHUT, lambda: os.symlink("/", f"{path}.l"))
for path in [SCRIPT, "/tool", "/usr/bin/env", "/usr", "/etc/passwd", "/", "/dev", "/proc/1"]:
    attempt(f"remove {path}", SHUT + " EISDIR EBUSY", lambda: os.unlink(path))
    attempt(f"remove the folder {path}", SHUT + " ENOTDIR EBUSY", lambda: os.rmdir(path))
    attempt(f"rename {path}", SHUT + " EBUSY EXDEV", lambda: os.rename(path, "/work/taken"))
    attempt(f"rename onto {path}", SHUT + " EBUSY EXDEV ENOTDIR", lambda: os.rename("/work", path))
    attempt(f"link {path}", SHUT + " EXDEV", lambda: os.link(path, "/work/taken"))
    attempt(f"change the rights of {path}", SHUT, lambda: os.chmod(path, 0o777))
    attempt(f"own {path}", SHUT, lambda: os.chown(path, 1000, 1000))
    attempt(f"set the time of {path}", SHUT, lambda: os.utime(path))
    attempt(f"truncate {path}", SHUT + " EISDIR EINVAL", lambda: os.truncate(path, 0))
    attempt(f"set an attribute of {path}", SHUT + " ENOTSUP", lambda: os.setxattr(path, "user.x", b"x"))
for name in ("null", "zero"):
    attempt(f"chmod /dev/{name}", SHUT, lambda: os.chmod(f"/dev/{name}", 0o600))

# In its own folder: no devices, no sockets, nobody else's rights.
for kind, number in ((stat.S_IFCHR, os.makedev(1, 1)), (stat.S_IFCHR, os.makedev(1, 3)), (stat.S_IFCHR, 0),
                     (stat.S_IFBLK, os.makedev(254, 0)), (stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFSOCK, 0)):
    attempt(f"a special file {kind:o} {number}", SHUT, lambda: os.mknod("/work/special", kind | 0o666, number))
touch("/work/own", MODE, 0o755)
FOLDER = os.open("/work", os.O_RDONLY)
OWN = os.open("/work/own", os.O_RDWR)
for bits in (0o4755, 0o2755, 0o6755, 0o4000, 0o6000):
    attempt(f"chmod {bits:o}", "EPERM", lambda: os.chmod("/work/own", bits))
    attempt(f"fchmod {bits:o}", "EPERM", lambda: os.fchmod(OWN, bits))
    attempt(f"fchmodat {bits:o}", "EPERM", lambda: os.chmod("own", bits, dir_fd=FOLDER))
    attempt(f"fchmodat2 {bits:o}", "EPERM ENOSYS", lambda: call(452, FOLDER, b"own", bits, 0))
    attempt(f"open {bits:o}", "EPERM", lambda: touch(f"/work/open{bits:o}", MODE, bits))
    attempt(f"a file without a name {bits:o}", "EPERM", lambda: touch("/work", os.O_RDWR | 0o20200000, bits))
    attempt(f"mknod {bits:o}", "EPERM", lambda: os.mknod(f"/work/node{bits:o}", stat.S_IFREG | bits))
    how = (ctypes.c_uint64 * 3)(MODE, bits, 0)
    attempt(f"openat2 {bits:o}", "ENOSYS EPERM", lambda: call(437, FOLDER, b"openat2", how, 24))
    if IS_X86:
        attempt(f"creat {bits:o}", "EPERM", lambda: call(85, b"/work/creat", bits))
        attempt(f"the older open {bits:o}", "EPERM", lambda: call(2, b"/work/older", MODE, bits))
        attempt(f"the older chmod {bits:o}", "EPERM", lambda: call(90, b"/work/own", bits))
        attempt(f"the older mknod {bits:o}", "EPERM", lambda: call(133, b"/work/node", stat.S_IFREG | bits, 0))
kept = [name for name in os.listdir("/work") if os.lstat(f"/work/{name}").st_mode & 0o6000]
holds("no file makes who runs it somebody else", kept == [], kept)
for owner in (0, 1, 65534, 4294967294):
    attempt(f"give a file to {owner}", "EPERM EINVAL", lambda: os.chown("/work/own", owner, -1))
    attempt(f"give a file to the group {owner}", "EPERM EINVAL", lambda: os.chown("/work/own", -1, owner))
    for become in (os.setuid, os.setgid, os.seteuid, os.setegid):
        attempt(f"{become.__name__} {owner}", "EPERM EINVAL", lambda: become(owner))
    attempt(f"setresuid {owner}", "EPERM EINVAL", lambda: os.setresuid(owner, owner, owner))
    attempt(f"setresgid {owner}", "EPERM EINVAL", lambda: os.setresgid(owner, owner, owner))
attempt("setgroups", "ENOSYS EPERM", lambda: os.setgroups([0]))
for name in ("security.capability", "trusted.x"):
    attempt(f"the attribute {name}", "EPERM ENOTSUP EINVAL", lambda: os.setxattr("/work/own", name, b"x"))

# What it reads is what it was given, and is no place to put anything.
attempt("write its input", "EPERM EBADF", lambda: os.pwrite(0, b"x", 0))
attempt("grow its input", "EPERM EINVAL EBADF", lambda: os.ftruncate(0, 1 << 20))
attempt("open its input for writing", "EPERM EACCES", lambda: os.pwrite(os.open("/proc/self/fd/0", os.O_RDWR), b"x", 0))
report()
