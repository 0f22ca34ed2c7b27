"""Looks in the project for what is hidden there, and writes where it may not."""
import ctypes.util
import stat

MAY_WRITE = GIVEN["access"] == "propose"


def look(path):
    with open(path, "rb") as file:
        return file.read(200)


def everything(folder):
    for above, folders, files in os.walk(folder):
        for name in folders + files:
            yield os.path.join(above, name)


# What may be seen is there.
for path, text in GIVEN["shown"].items():
    holds(f"{path} is shown", look(f"/project/{path}").decode() == text)
names = [os.path.relpath(path, "/project") for path in everything("/project")]
for path in GIVEN["hidden"]:
    holds(f"{path} is not listed", path not in names, names)
    target = f"/project/{path}"
    for way in (target, f"/project/./{path}", f"/project/src/../{path}", f"/project//{path}",
                f"/proc/self/root{target}", f"/proc/1/root{target}", f"/proc/self/cwd/..{target}"):
        attempt(f"read {way}", GONE + " ENOTDIR", lambda: look(way))
        attempt(f"list {way}", GONE + " ENOTDIR", lambda: os.listdir(way))
        attempt(f"stat {way}", GONE + " ENOTDIR", lambda: os.lstat(way))
    folder = os.open("/project", os.O_RDONLY | os.O_DIRECTORY)
    attempt(f"openat {path}", GONE + " ENOTDIR", lambda: os.open(path, os.O_RDONLY, dir_fd=folder))
    attempt(f"O_PATH {path}", GONE + " ENOTDIR", lambda: os.open(path, os.O_PATH, dir_fd=folder))
    os.symlink(target, "/work/link")
    attempt(f"read {path} by a link", GONE + " ENOTDIR", lambda: look("/work/link"))
    os.unlink("/work/link")
    attempt(f"link {path}", GONE + " EXDEV EPERM ENOTDIR", lambda: os.link(target, "/work/hard"))
    attempt(f"rename {path}", GONE + " EXDEV EROFS ENOTDIR", lambda: os.rename(target, "/work/moved"))
    attempt(f"swap {path}", GONE + " EXDEV EROFS EINVAL ENOSYS ENOTDIR",
            lambda: call(316 if IS_X86 else 276, -100, target.encode(), -100, b"/project/readme.md", 2))
    attempt(f"chmod {path}", GONE + " EROFS ENOTDIR", lambda: os.chmod(target, 0o777))
for place in ("/layers", "/layers/project", "/layers/hiding", "/layers/scratch/upper", "/old", "/proc/self/mountinfo"):
    attempt(f"list {place}", GONE + " ENOTDIR", lambda: os.listdir(place))
    attempt(f"read {place}", GONE, lambda: look(place))
for path in everything("/project"):
    holds(f"{path} is no device", not stat.S_ISCHR(os.lstat(path).st_mode))
    if os.path.islink(path):
        holds(f"{path} names nothing outside", not os.readlink(path).startswith(("/", "..")), os.readlink(path))
    for name in os.listxattr(path, follow_symlinks=False):
        holds(f"{path} has no attribute of the overlay", not name.startswith("user.overlay"), name)
for call_number in ((165, 40), (166, 39), (428, 428), (429, 429), (442, 442), (304, 265), (303, 264)):
    attempt(f"call {call_number}", ABSENT, lambda: call(call_number[0 if IS_X86 else 1], b"/project", b"/project", 0, 0, 0))

# Writing.
if not MAY_WRITE:
    for path in ("/project/new", "/project/readme.md", "/project/src/new", "/project/.env"):
        attempt(f"write {path}", SHUT, lambda: open(path, "w").close())
    attempt("make a folder", SHUT, lambda: os.mkdir("/project/folder"))
    attempt("delete", SHUT, lambda: os.unlink("/project/readme.md"))
    attempt("rename", SHUT + " EXDEV", lambda: os.rename("/project/readme.md", "/project/other"))
    attempt("chmod", SHUT, lambda: os.chmod("/project/readme.md", 0o777))
    attempt("set a time", SHUT, lambda: os.utime("/project/readme.md", (1, 1)))
    attempt("truncate", SHUT, lambda: os.truncate("/project/readme.md", 0))
    attempt("set an attribute", SHUT + " EOPNOTSUPP", lambda: os.setxattr("/project/readme.md", "user.x", b"y"))
else:
    # Whatever was hidden stays so, however the folders around it are taken apart.
    for folder in ("deep", "src"):
        for above, folders, files in os.walk(f"/project/{folder}", topdown=False):
            for name in files:
                os.unlink(os.path.join(above, name))
            for name in folders:
                os.rmdir(os.path.join(above, name))
        os.rmdir(f"/project/{folder}")
        os.mkdir(f"/project/{folder}")
        holds(f"{folder} is empty when it is made again", os.listdir(f"/project/{folder}") == [])
    for path in GIVEN["hidden"]:
        attempt(f"read {path} again", GONE + " ENOTDIR", lambda: look(f"/project/{path}"))
    for name in (b"user.overlay.opaque", b"user.overlay.redirect", b"user.overlay.metacopy", b"trusted.overlay.opaque"):
        try:
            os.setxattr("/project/deep", name, b"n")
        except OSError:
            pass
    for path in GIVEN["hidden"]:
        attempt(f"read {path} with attributes", GONE + " ENOTDIR", lambda: look(f"/project/{path}"))
    attempt("make a whiteout", "EPERM EACCES", lambda: os.mknod("/project/white", stat.S_IFCHR | 0o600, 0))
report()
