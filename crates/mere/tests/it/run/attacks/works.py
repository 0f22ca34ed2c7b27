"""What ordinary programs do, which must go on working."""
import asyncio, concurrent.futures, os, shutil, signal, socket, subprocess, tempfile, threading


async def talk():
    process = await asyncio.create_subprocess_exec("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    said, _ = await process.communicate(b"through a pipe")
    return said


holds("an event loop", asyncio.run(talk()) == b"through a pipe")
holds("a program", subprocess.run(["sort"], input=b"b\na\n", capture_output=True).stdout == b"a\nb\n")
holds("a pool", list(concurrent.futures.ThreadPoolExecutor(4).map(abs, [-1, -2])) == [1, 2])
with tempfile.TemporaryDirectory() as folder:
    first, second = f"{folder}/first", f"{folder}/second"
    open(first, "wb").write(os.urandom(100_000))
    shutil.copy2(first, second)
    os.chmod(second, 0o755)
    holds("a copy", open(first, "rb").read() == open(second, "rb").read() and os.access(second, os.X_OK))
    subprocess.run(["tar", "-cf", f"{folder}/all.tar", "-C", folder, "first", "second"], check=True)
    os.mkdir(f"{folder}/out")
    subprocess.run(["tar", "-xpf", f"{folder}/all.tar", "-C", f"{folder}/out"], check=True)
    holds("an archive", sorted(os.listdir(f"{folder}/out")) == ["first", "second"])
    subprocess.run(["dd", "if=/dev/zero", f"of={folder}/zeros", "bs=64k", "count=16"], check=True, capture_output=True)
    holds("zeros", os.path.getsize(f"{folder}/zeros") == 1 << 20)
    handle = os.open(f"{folder}/room", os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(handle, 0, 1 << 20)
    holds("room", os.fstat(handle).st_size == 1 << 20)
    with tempfile.TemporaryFile() as nameless:
        nameless.write(b"x")
    subprocess.run("echo a | cat | tee " + folder + "/tee > /dev/null", shell=True, check=True)
    holds("a pipeline", open(f"{folder}/tee").read() == "a\n")
holds("no signal is held back", signal.pthread_sigmask(signal.SIG_BLOCK, []) == set())
one, other = socket.socketpair()
thread = threading.Thread(target=lambda: other.sendall(b"hello"))
thread.start()
holds("a pair of sockets", one.recv(5) == b"hello")
thread.join()
report()
