"""Does not want to end. It says how it is to be."""
import json, os, signal, sys, threading, time

HOW = json.load(sys.stdin)["how"]


def loop():
    while True:
        pass


def sleep():
    while True:
        time.sleep(1000)


def deaf():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    sleep()


def stop():
    os.kill(0, signal.SIGSTOP)
    sleep()


def mute():
    for handle in range(3):
        os.close(handle)
    sleep()


def last_word():
    """Tries to end what keeps it."""
    for number in range(1, 65):
        for process in (1, -1):
            try:
                os.kill(process, number) if process == 1 or number in (19, 23) else None
            except OSError:
                pass
    print("still here", flush=True)
    sleep()


def daemons(closed):
    """Processes that nobody waits for, which do something later."""
    for number in range(5):
        if os.fork():
            continue
        os.setsid()
        if os.fork():
            os._exit(0)
        for handle in range(3) if closed else ():
            os.close(handle)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(2.5)
        open(f"/work/late{number}", "w").close()
        sleep()


def leaves_daemons():
    daemons(False)


def leaves_silent_daemons():
    daemons(True)


def stays_with_daemons():
    daemons(False)
    sleep()


def children(act):
    """As many as there may be; ends with 3 when there are no more."""
    count = 0
    try:
        while count < 5000:
            act()
            count += 1
    except (OSError, RuntimeError):
        print(count, flush=True)
        os._exit(3)
    print(count, flush=True)


def forks():
    def act():
        if os.fork() == 0:
            sleep()
    children(act)


def zombies():
    def act():
        if os.fork() == 0:
            os._exit(0)
    children(act)


def threads():
    threading.stack_size(64 * 1024)
    children(lambda: threading.Thread(target=sleep, daemon=True).start())


def bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def shouts():
    while True:
        os.write(1, b"y" * 65536)


def complains():
    while True:
        os.write(2, b"y" * 65536)


def long_file():
    """Ends with 4 where the end of a file is reached."""
    size = 600 << 20
    handle = os.open("/work/long", os.O_RDWR | os.O_CREAT)
    for act in (lambda: os.ftruncate(handle, size), lambda: os.pwrite(handle, b"x", size),
                lambda: os.truncate("/work/long", size)):
        try:
            act()
        except OSError as error:
            print(error.errno, flush=True)
        else:
            os._exit(0)
    os._exit(4)


def many_files():
    for number in range(100_000):
        os.close(os.open(f"/work/{number}", os.O_CREAT | os.O_WRONLY))
    print("made", flush=True)


globals()[HOW]()
