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
use super::syscall_ranges::allow_calls;

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

/// Restricts this thread, and everything that it starts, to what all these programs allow.
pub(super) fn install_filters(programs: &[BpfProgram]) -> io::Result<()> {
    programs
        .iter()
        .try_for_each(|program| seccompiler::apply_filter(program).map_err(io::Error::other))
}

/// Compiles the programs that allow a tool its calls.
pub(super) fn compile_filters(network: CellNetwork) -> io::Result<Vec<BpfProgram>> {
    let mut programs = denying_programs(network).map_err(io::Error::other)?;
    let conditional = allowing_program(conditional_rules()).map_err(io::Error::other)?;
    programs.push(allow_calls(conditional, unconditional_calls(network))?);
    Ok(programs)
}

/// Returns the programs that deny calls, each with an error of its own.
fn denying_programs(network: CellNetwork) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
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
    denied.collect()
}

/// Returns the program that allows what the rules allow, and nothing else.
fn allowing_program(
    rules: Result<SyscallRules, seccompiler::BackendError>,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules?, deny(libc::ENOSYS), SeccompAction::Allow, target)?.try_into()
}

fn deny(code: i32) -> SeccompAction {
    SeccompAction::Errno(code.unsigned_abs())
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

/// Returns the calls that are allowed with any arguments.
fn unconditional_calls(network: CellNetwork) -> impl Iterator<Item = i64> {
    let connect = (network == CellNetwork::Proxy).then_some(libc::SYS_connect);
    ALLOWED.iter().chain(ALLOWED_LEGACY).copied().chain(connect)
}

/// Returns the rules for calls that are allowed with some arguments.
fn conditional_rules() -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules = SyscallRules::new();
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
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use seccompiler::sock_filter;

    use super::*;

    /// Runs a program for a call on this architecture, and returns its decision. A call is its
    /// number and its arguments.
    fn decide(program: &[sock_filter], (number, arguments): (u32, [u64; 6])) -> u32 {
        let architecture = program[1].k;
        let mut words = vec![number, architecture, 0, 0];
        for argument in arguments {
            let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).expect("32 bits");
            words.extend([half(argument), half(argument >> 32)]);
        }
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            let jump = |is_true: bool| usize::from(if is_true { jt } else { jf });
            at += 1;
            match u32::from(code) {
                0x20 => loaded = words[k as usize / 4],
                0x05 => at += k as usize,
                0x15 => at += jump(loaded == k),
                0x25 => at += jump(loaded > k),
                0x35 => at += jump(loaded >= k),
                0x54 => loaded &= k,
                0x06 => return k,
                _ => panic!("an instruction that no filter has: {code:#x}"),
            }
        }
    }

    /// Arguments that some conditions accept and others do not.
    fn some_arguments() -> impl Iterator<Item = [u64; 6]> {
        let values = [0, 1, 2, 5, MAP_PRIVATE | MAP_ANONYMOUS, TIOCSTI, CLONE_NAMESPACE_FLAGS, !0];
        let each = values.into_iter().flat_map(move |one| (0..6).map(move |at| (one, at)));
        each.chain([(0, 0)]).map(|(one, at)| {
            let mut arguments = [1; 6];
            arguments[at] = one;
            arguments
        })
    }

    #[test]
    fn ranges_allow_what_a_comparison_with_each_number_allows() {
        for network in [CellNetwork::None, CellNetwork::Proxy] {
            let programs = compile_filters(network).expect("programs");
            let mut rules = conditional_rules().expect("rules");
            rules.extend(unconditional_calls(network).map(|call| (call, Vec::new())));
            let each = allowing_program(Ok(rules)).expect("a program");
            let ours = programs.last().expect("a program");
            assert!(ours.len() * 3 < each.len(), "{} of {}", ours.len(), each.len());
            let foreign = [0x4000_0000, 0x4000_0001, 0x4000_0100, u32::MAX];
            for number in (0..1024).chain(foreign) {
                for arguments in some_arguments() {
                    let call = (number, arguments);
                    assert_eq!(decide(ours, call), decide(&each, call), "{call:?}");
                }
            }
        }
    }

    #[test]
    fn only_listed_calls_are_allowed() {
        let programs = compile_filters(CellNetwork::None).expect("programs");
        let ours = programs.last().expect("a program");
        let allows = |call: i64, arguments| {
            let number = u32::try_from(call).expect("a number");
            decide(ours, (number, arguments)) == libc::SECCOMP_RET_ALLOW
        };
        for (call, arguments, expected) in [
            (libc::SYS_read, [0; 6], true),
            (libc::SYS_ioctl, [0; 6], true),
            (libc::SYS_ioctl, [0, TIOCSTI, 0, 0, 0, 0], false),
            (libc::SYS_clone, [0; 6], true),
            (libc::SYS_clone, [CLONE_NAMESPACE_FLAGS, 0, 0, 0, 0, 0], false),
            (libc::SYS_mmap, [0, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS, 0, 0], true),
            (libc::SYS_mmap, [0, 0, 0, 0x01 | MAP_ANONYMOUS, 0, 0], false),
            (libc::SYS_connect, [0; 6], false),
            (libc::SYS_mount, [0; 6], false),
            (libc::SYS_ptrace, [0; 6], false),
            (libc::SYS_unshare, [0; 6], false),
            (libc::SYS_memfd_create, [0; 6], false),
        ] {
            assert_eq!(allows(call, arguments), expected, "{call} {arguments:?}");
        }
    }
}
