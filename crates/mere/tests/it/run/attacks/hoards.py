"""Keeps more than it may, where it is not easily seen. It ends with 0 if nobody stops it."""
import json, mmap, os, socket, sys, threading, time, ctypes

MIB = 1 << 20
BLOCK = b"x" * (4 * MIB)
LIBC = ctypes.CDLL(None, use_errno=True)
HOW = json.load(sys.stdin)["how"]


def fill(handle, size):
    for _ in range(size // len(BLOCK)):
        os.write(handle, BLOCK)


def opened(path):
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def files(keep):
    """Four files of 300 MiB, each kept in one way."""
    for number in range(4):
        name = f"hoard{number}"
        handle = opened(name)
        fill(handle, 300 * MIB)
        keep(handle, name)


KEPT = []


def many_files():
    files(lambda handle, name: os.close(handle))


def nameless():
    files(lambda handle, name: os.unlink(name))


def mapped():
    def keep(handle, name):
        # Python would keep a copy of the handle.
        LIBC.mmap.restype = ctypes.c_void_p
        LIBC.mmap(None, ctypes.c_size_t(4096), 1, 1, handle, ctypes.c_long(0))
        os.unlink(name)
        os.close(handle)
    files(keep)


def unlisted():
    os.mkdir("dark")
    os.chmod("dark", 0o300)
    os.chdir("dark")
    files(lambda handle, name: os.close(handle))


def unlooked():
    """Files in a folder where nobody may look any more, kept open."""
    os.mkdir("shut")
    handles = [opened(f"shut/{number}") for number in range(4)]
    os.chmod("shut", 0o400)
    for handle in handles:
        fill(handle, 300 * MIB)


def deep():
    for _ in range(3000):
        os.mkdir("d" * 20)
        os.chdir("d" * 20)
    files(lambda handle, name: os.close(handle))


def own_files_of_a_thread():
    def keep():
        close_range = 436
        LIBC.syscall(close_range, 1000, 1001, 2)
        files(lambda handle, name: os.unlink(name))
        time.sleep(6)
    thread = threading.Thread(target=keep)
    thread.start()
    thread.join()


def memory():
    kept = []
    for _ in range(40):
        kept.append(bytearray(BLOCK * 10))


def without_its_first_thread():
    """The first thread ends, and the others go on."""
    def keep():
        time.sleep(0.2)
        memory()
        time.sleep(6)
        os._exit(0)
    threading.Thread(target=keep).start()
    LIBC.syscall(60 if os.uname().machine == "x86_64" else 93, 0)


def page_tables():
    """Nothing but zeros, in a great many places."""
    room = 1 << 40
    area = mmap.mmap(-1, room, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)
    area.madvise(15)
    for place in range(0, room, 2 * MIB):
        area[place]


def buffers():
    """Sockets full of what nobody reads, in many processes."""
    for _ in range(40):
        if os.fork() == 0:
            for _ in range(240):
                pair = socket.socketpair()
                KEPT.append(pair)
                for one in pair:
                    one.setblocking(False)
                    try:
                        while True:
                            one.send(BLOCK[:MIB])
                    except BlockingIOError:
                        pass
            time.sleep(6)
            os._exit(0)
    if any(os.wait()[1] for _ in range(40)):
        os._exit(9)


def shared():
    """Memory that is shared, touched, and then let go of without being given back."""
    device = os.open("/dev/zero", os.O_RDWR)
    for _ in range(5):
        area = mmap.mmap(device, 256 * MIB, mmap.MAP_SHARED)
        for place in range(0, 256 * MIB, 4096):
            area[place] = 1
        area.madvise(mmap.MADV_DONTNEED)
        KEPT.append(area)


def pinned():
    """Large pages of which a pipe holds a little."""
    for _ in range(640):
        reader, writer = os.pipe() if _ % 16 == 0 else (reader, writer)
        area = mmap.mmap(-1, 4 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area.madvise(14)
        area.write(BLOCK)
        start = ctypes.addressof(ctypes.c_char.from_buffer(area)) + 2 * MIB & ~(2 * MIB - 1)
        piece = (ctypes.c_void_p * 2)(start, 1)
        if LIBC.vmsplice(writer, piece, 1, 0) != 1:
            raise OSError(ctypes.get_errno(), "vmsplice")
        KEPT.append((reader, writer))
        del area


globals()[HOW]()
time.sleep(6)
