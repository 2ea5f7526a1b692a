"""A submission that tries what a confined worker must not be able to do; each function returns what it got hold of.

Every attempt is harmless where it succeeds: it reads, or makes something that the test removes.
"""

SUBMISSION = r'''
import ctypes, mmap, os, signal, socket, subprocess, sys, threading, time
import numpy as np

def read(path):
    with open(path, "rb") as file:
        return file.read(64)

def read_raw(path):
    """Around Python: the system call itself, under every name that it has."""
    libc = ctypes.CDLL(None, use_errno=True)
    opened = libc.open(path.encode(), 0)
    if opened < 0:
        opened = libc.syscall(257, -100, path.encode(), 0)  # openat
    if opened < 0:
        opened = libc.syscall(437, -100, path.encode(), bytes(24), 24)  # openat2
    return None if opened < 0 else os.read(opened, 64)

def list_folder(path):
    return os.listdir(path)

def look(path):
    return os.stat(path).st_size

def write(path):
    with open(path, "w") as file:
        file.write("x" * 10)
    return True

def many_files(folder):
    for number in range(64):
        with open(f"{folder}/{number}", "wb") as file:
            file.write(b"x" * 1000)
    return True

def environment(pid):
    return read(f"/proc/{pid}/environ") or dict(os.environ)

def memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as file:
        return file.fileno()

def tcp(port):
    with socket.create_connection(("127.0.0.1", port), timeout=2):
        return True

def udp(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        return sock.sendto(b"x", ("127.0.0.1", port))

def unix(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.connect(path)
        return True

def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid

def spawn():
    return subprocess.run(["/bin/true"]).returncode == 0

def daemon(seconds):
    """A child that would outlive the run."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(seconds)
        os._exit(0)
    return True

def signal_process(pid):
    os.kill(pid, 0)
    return True

def signal_by_owner(pid):
    """Have the kernel send a signal, by making a process the owner of a descriptor."""
    import fcntl
    return fcntl.fcntl(0, 8, pid) == 0  # F_SETOWN

def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.ptrace(16, pid, 0, 0) == 0 or None  # PTRACE_ATTACH

def read_process(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(310, pid, 0, 0, 0, 0, 0) == 0 or None  # process_vm_readv

def lower_limit(pid):
    import resource
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64))
    return True

def shared_memory():
    return os.memfd_create("left behind")

def shared_segment():
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.shmget(0x480, 4096, 0o1666)
    return None if found < 0 else found

def new_user():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.unshare(0x10000000) == 0 or None  # CLONE_NEWUSER

def mount():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0 or None

def become_root():
    os.setuid(0)
    return os.getuid() == 0

def raise_limits():
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return True

def huge():
    return np.ones(1 << 34).sum()

def endless(seconds):
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            time.sleep(0)
        except BaseException:
            pass

def print_much():
    for _ in range(300):
        print("x" * 1_000_000)
    os.write(1, b"y" * 1_000_000)
    return True

# --- and what must go on working ---

def threads():
    found = []
    workers = [threading.Thread(target=lambda n=n: found.append(n * n)) for n in range(4)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    return sorted(found)

def pool():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(3) as executor:
        return sum(executor.map(abs, range(-5, 0)))

def large():
    return float(np.ones(10_000_000).sum())

def algebra():
    a = np.random.default_rng(0).normal(size=(200, 200))
    return bool(np.allclose(a @ np.linalg.inv(a), np.eye(200)))

def library():
    import csv, decimal, statistics, json, io
    first = next(csv.reader(io.StringIO("a,b")))
    return [statistics.mean([1, 2]), str(decimal.Decimal("0.1") * 3), json.dumps([1]), first]
'''
