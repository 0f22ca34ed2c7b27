//! The system calls that a tool may make: those that ordinary programs need, and no others.
//!
//! A call that is not listed fails as if the kernel did not have it, so that programs fall back to
//! another. Sockets are denied outright, except for connections to the proxy of a run that has one.
//! No call may create or enter a namespace, look into another
//! process, load code into the kernel, reveal mounts, create a set-user-id or set-group-id file, or
//! hold memory that is not accounted for.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::protocol::CellNetwork;

/// The flags of `clone` that create a namespace.
const CLONE_NAMESPACE_FLAGS: u64 = 0x7e02_0000;
/// The `ioctl` that simulates typing on a terminal.
const TIOCSTI: u64 = 0x5412;
/// The `ioctl` that does the same on consoles.
const TIOCLINUX: u64 = 0x541c;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_TYPE: u64 = 0x0f;
const MAP_PRIVATE: u64 = 0x02;
/// The bits of a socket's type that are not flags.
const SOCK_TYPE_MASK: u64 = 0x0f;
/// The flags of `open` that create a file: one with a name (`O_CREAT`), and one without
/// (`O_TMPFILE`).
const CREATE_FLAGS: [u64; 2] = [0x40, 0x40_0000];
/// The calls that set a file's mode, and the index of the mode argument.
const MODE_ARGUMENTS: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];
/// The calls that open a file, and the index of the flags argument; the mode follows it.
const OPEN_FLAG_ARGUMENTS: &[(i64, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// The calls that are allowed with any arguments.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64,
    libc::SYS_pwrite64, libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2,
    libc::SYS_close, libc::SYS_close_range, libc::SYS_lseek, libc::SYS_dup, libc::SYS_dup3,
    libc::SYS_fcntl, libc::SYS_flock, libc::SYS_pipe2, libc::SYS_sendfile,
    libc::SYS_copy_file_range, libc::SYS_readahead, libc::SYS_fadvise64, libc::SYS_sync_file_range,
    // Files.
    libc::SYS_openat, libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx,
    libc::SYS_statfs, libc::SYS_fstatfs, libc::SYS_getdents64, libc::SYS_readlinkat,
    libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_mkdirat, libc::SYS_mknodat,
    libc::SYS_unlinkat, libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_linkat,
    libc::SYS_symlinkat, libc::SYS_truncate, libc::SYS_ftruncate, libc::SYS_fallocate,
    libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync, libc::SYS_syncfs, libc::SYS_utimensat,
    libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchmodat2, libc::SYS_fchown,
    libc::SYS_fchownat, libc::SYS_umask, libc::SYS_getcwd, libc::SYS_chdir, libc::SYS_fchdir,
    libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_fgetxattr, libc::SYS_listxattr,
    libc::SYS_llistxattr, libc::SYS_flistxattr, libc::SYS_setxattr, libc::SYS_lsetxattr,
    libc::SYS_fsetxattr, libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr,
    libc::SYS_inotify_init1, libc::SYS_inotify_add_watch, libc::SYS_inotify_rm_watch,
    // Memory.
    libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_mremap, libc::SYS_msync, libc::SYS_mincore,
    libc::SYS_madvise, libc::SYS_brk, libc::SYS_mlock, libc::SYS_mlock2, libc::SYS_munlock,
    libc::SYS_mlockall, libc::SYS_munlockall, libc::SYS_membarrier, libc::SYS_pkey_alloc,
    libc::SYS_pkey_free, libc::SYS_pkey_mprotect,
    // Processes and threads.
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4,
    libc::SYS_waitid, libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_getpid,
    libc::SYS_getppid, libc::SYS_gettid, libc::SYS_getpgid, libc::SYS_setpgid, libc::SYS_getsid,
    libc::SYS_setsid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid,
    libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_getgroups, libc::SYS_setresuid,
    libc::SYS_setresgid, libc::SYS_setuid, libc::SYS_setgid, libc::SYS_setreuid,
    libc::SYS_setregid, libc::SYS_capget, libc::SYS_prctl, libc::SYS_set_tid_address,
    libc::SYS_set_robust_list, libc::SYS_get_robust_list, libc::SYS_futex, libc::SYS_futex_waitv,
    libc::SYS_rseq, libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal, libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity, libc::SYS_sched_setaffinity, libc::SYS_sched_getparam,
    libc::SYS_sched_setparam, libc::SYS_sched_getscheduler, libc::SYS_sched_setscheduler,
    libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval, libc::SYS_sched_getattr, libc::SYS_getpriority,
    libc::SYS_setpriority, libc::SYS_ioprio_get, libc::SYS_ioprio_set, libc::SYS_getcpu,
    libc::SYS_getrusage, libc::SYS_prlimit64, libc::SYS_times, libc::SYS_sysinfo, libc::SYS_uname,
    libc::SYS_getrandom, libc::SYS_restart_syscall,
    // Signals, time and waiting.
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo, libc::SYS_rt_sigsuspend, libc::SYS_sigaltstack,
    libc::SYS_signalfd4, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_clock_gettime,
    libc::SYS_clock_getres, libc::SYS_gettimeofday, libc::SYS_getitimer, libc::SYS_setitimer,
    libc::SYS_timer_create, libc::SYS_timer_settime, libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun, libc::SYS_timer_delete, libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime, libc::SYS_timerfd_gettime, libc::SYS_eventfd2,
    libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2,
    libc::SYS_pselect6, libc::SYS_ppoll,
    // Socket pairs, with which event loops wake themselves. `socket` itself is denied below; no
    // call that could address another socket, or hide open files in one, is listed here.
    libc::SYS_socket, libc::SYS_recvfrom, libc::SYS_recvmsg, libc::SYS_recvmmsg, libc::SYS_shutdown,
    libc::SYS_getsockname, libc::SYS_getpeername, libc::SYS_getsockopt, libc::SYS_setsockopt,
];

/// The older variants of these calls.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_LEGACY: &[i64] = &[
    libc::SYS_open, libc::SYS_creat, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access,
    libc::SYS_mkdir, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_rename, libc::SYS_link,
    libc::SYS_symlink, libc::SYS_readlink, libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown,
    libc::SYS_mknod, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat, libc::SYS_getdents,
    libc::SYS_pipe, libc::SYS_dup2, libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_create,
    libc::SYS_epoll_wait, libc::SYS_inotify_init, libc::SYS_signalfd, libc::SYS_eventfd,
    libc::SYS_fork, libc::SYS_vfork, libc::SYS_getpgrp, libc::SYS_pause, libc::SYS_alarm,
    libc::SYS_time, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_LEGACY: &[i64] = &[libc::SYS_getrlimit, libc::SYS_setrlimit];

type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Restricts this thread, and everything that it starts, to the allowed calls.
pub(super) fn install_filters(network: CellNetwork) -> io::Result<()> {
    for program in filter_programs(network).map_err(io::Error::other)? {
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

fn filter_programs(network: CellNetwork) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let deny = |code: i32| SeccompAction::Errno(code.unsigned_abs());
    let always = |call| SyscallRules::from([(call, Vec::new())]);
    let denied = [
        (libc::EACCES, socket_rules(network)?),
        (libc::EPERM, set_id_rules()?),
        // `fallocate` fills a whole disk faster than its free space is checked.
        (libc::EOPNOTSUPP, always(libc::SYS_fallocate)),
        // `sendfile` can keep pages of a file in a pipe after the file is gone. Programs fall back
        // to read and write.
        (libc::EINVAL, always(libc::SYS_sendfile)),
    ];
    let denied = denied.into_iter().map(|(code, rules)| {
        SeccompFilter::new(rules, SeccompAction::Allow, deny(code), target)?.try_into()
    });
    let calls = SeccompFilter::new(
        allow_rules(network)?,
        deny(libc::ENOSYS),
        SeccompAction::Allow,
        target,
    )?;
    denied.chain([calls.try_into()]).collect()
}

/// Returns the rules for sockets that are denied: all of them, or all but TCP sockets.
fn socket_rules(network: CellNetwork) -> Result<SyscallRules, seccompiler::BackendError> {
    let mut denied = Vec::new();
    if network == CellNetwork::Proxy {
        let differs = |argument, values: &[i32]| {
            let conditions = values.iter().map(|value| {
                let value = u64::from(value.unsigned_abs());
                SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
            });
            SeccompRule::new(conditions.collect::<Result<_, _>>()?)
        };
        denied.push(differs(0, &[libc::AF_INET, libc::AF_INET6])?);
        denied.push(differs(2, &[0, libc::IPPROTO_TCP])?);
        let stream = u64::from(libc::SOCK_STREAM.unsigned_abs());
        for kind in (0..=SOCK_TYPE_MASK).filter(|kind| *kind != stream) {
            denied.push(SeccompRule::new(vec![masked_condition(1, SOCK_TYPE_MASK, kind)?])?);
        }
    }
    Ok(SyscallRules::from([(libc::SYS_socket, denied)]))
}

/// Returns the rules for calls that create a set-user-id or set-group-id file: outside of the
/// sandbox it would run with its owner's rights, whoever starts it.
fn set_id_rules() -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules = SyscallRules::new();
    for bit in [u64::from(libc::S_ISUID), u64::from(libc::S_ISGID)] {
        for (call, mode) in MODE_ARGUMENTS {
            let rule = SeccompRule::new(vec![masked_condition(*mode, bit, bit)?])?;
            rules.entry(*call).or_default().push(rule);
        }
        for ((call, flags), flag) in
            OPEN_FLAG_ARGUMENTS.iter().flat_map(|one| CREATE_FLAGS.map(|flag| (*one, flag)))
        {
            let makes =
                vec![masked_condition(flags, flag, flag)?, masked_condition(flags + 1, bit, bit)?];
            rules.entry(call).or_default().push(SeccompRule::new(makes)?);
        }
    }
    Ok(rules)
}

/// Returns the condition that the masked bits of an argument have this value.
fn masked_condition(
    argument: u8,
    mask: u64,
    bits: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), bits)
}

fn allow_rules(network: CellNetwork) -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules: SyscallRules =
        ALLOWED.iter().chain(ALLOWED_LEGACY).map(|call| (*call, Vec::new())).collect();
    let differs =
        |value| SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value);
    let threads = SeccompRule::new(vec![masked_condition(0, CLONE_NAMESPACE_FLAGS, 0)?])?;
    rules.insert(libc::SYS_clone, vec![threads]);
    let typing = SeccompRule::new(vec![differs(TIOCSTI)?, differs(TIOCLINUX)?])?;
    rules.insert(libc::SYS_ioctl, vec![typing]);
    // Shared anonymous memory is not accounted to any process once it is unmapped.
    let of_file = SeccompRule::new(vec![masked_condition(3, MAP_ANONYMOUS, 0)?])?;
    let private = SeccompRule::new(vec![masked_condition(3, MAP_TYPE, MAP_PRIVATE)?])?;
    rules.insert(libc::SYS_mmap, vec![of_file, private]);
    // A datagram socket could send to any socket that has a path.
    let pairs = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(|kind| {
        let own =
            masked_condition(0, u64::from(u32::MAX), u64::from(libc::AF_UNIX.unsigned_abs()))?;
        SeccompRule::new(vec![
            own,
            masked_condition(1, SOCK_TYPE_MASK, u64::from(kind.unsigned_abs()))?,
        ])
    });
    rules.insert(libc::SYS_socketpair, pairs.into_iter().collect::<Result<_, _>>()?);
    let nowhere = SeccompRule::new(vec![masked_condition(4, u64::MAX, 0)?])?;
    rules.insert(libc::SYS_sendto, vec![nowhere]);
    if network == CellNetwork::Proxy {
        rules.insert(libc::SYS_connect, Vec::new());
    }
    Ok(rules)
}
