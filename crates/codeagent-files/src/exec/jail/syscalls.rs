//! The seccomp filter: refuses system calls that could escape the jail. A refused call fails with
//! an error, and the command continues.
//!
//! Some calls are harmless within namespaces and allowed there: files outside are absent or
//! read-only, and a new session ends with the others.
//!
//! Limitations: x32 calls are refused by number, as far as the kernel knows them.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::plan::Plan;
use crate::exec::Policy;

/// Calls that are always refused.
const REFUSED: &[libc::c_long] = &[
    // Network and local sockets; a socket with a path reaches out of any namespace.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Namespaces and roots.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_mknodat,
    // Owners and attributes.
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Calls that are refused without namespaces.
const SHARED: &[libc::c_long] = &[
    // Leaving the process group, which is killed at the end.
    libc::SYS_setsid,
    libc::SYS_setpgid,
    // Modes and times, which Landlock does not cover.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utimensat,
    // Shared memory and queues, which have no path.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];

/// Calls that change a mode, with the index of the mode argument.
const MODES: &[(libc::c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
];

/// Calls that may create a file, with the index of the flags argument; the mode follows it.
const OPENS: &[(libc::c_long, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// Calls also refused for text tools.
const ALONE: &[libc::c_long] = &[libc::SYS_socketpair, libc::SYS_kill];

/// Older calls that only some processors have; always refused.
#[cfg(target_arch = "x86_64")]
const OLD: &[libc::c_long] = &[
    libc::SYS_mknod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[libc::c_long] = &[];

/// Older calls refused without namespaces.
#[cfg(target_arch = "x86_64")]
const OLD_SHARED: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_SHARED: &[libc::c_long] = &[];

/// Older calls refused for text tools.
#[cfg(target_arch = "x86_64")]
const OLD_ALONE: &[libc::c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ALONE: &[libc::c_long] = &[];

/// Flags of `clone` that create a namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

/// Refuses these calls to this process and its descendants. Text tools may start no processes.
pub fn restrict(plan: &Plan) -> Result<(), String> {
    let alone = plan.policy == Policy::Tools;
    // The arguments of these calls are in memory, which a filter cannot read. As the calls seem to
    // be missing, programs fall back to `clone` and `openat`.
    let unknown = BTreeMap::from([
        (libc::SYS_clone3, Vec::new()),
        (libc::SYS_openat2, Vec::new()),
    ]);
    apply(unknown, libc::ENOSYS)?;

    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = special_modes()?;
    refused.extend(REFUSED.iter().chain(OLD).map(|call| (*call, Vec::new())));
    // Text tools do not need these calls, even with namespaces.
    if alone || !plan.namespaces {
        refused.extend(
            SHARED
                .iter()
                .chain(OLD_SHARED)
                .map(|call| (*call, Vec::new())),
        );
    }

    if alone {
        refused.extend(
            ALONE
                .iter()
                .chain(OLD_ALONE)
                .map(|call| (*call, Vec::new())),
        );
    }

    let clone = if alone {
        // Starting a thread is allowed.
        vec![rule(&[has_none(0, libc::CLONE_THREAD as u64)?])?]
    } else {
        let flags = (0..64)
            .map(|bit| 1_u64 << bit)
            .filter(|flag| NAMESPACES & flag != 0);
        flags
            .map(|flag| rule(&[has(0, flag)?]))
            .collect::<Result<_, _>>()?
    };

    refused.insert(libc::SYS_clone, clone);
    apply(refused, libc::EPERM)
}

/// Refuses to set the set-user-ID and set-group-ID bits. If the server runs as root, such a file
/// would make every user root.
fn special_modes() -> Result<BTreeMap<i64, Vec<SeccompRule>>, String> {
    let bits = [u64::from(libc::S_ISUID), u64::from(libc::S_ISGID)];
    let create = libc::O_CREAT as u64;

    let mut calls = BTreeMap::new();
    for (call, mode) in MODES {
        calls.insert(
            *call,
            bits.iter()
                .map(|bit| rule(&[has(*mode, *bit)?]))
                .collect::<Result<_, _>>()?,
        );
    }

    for (call, flags) in OPENS {
        let rules = bits
            .iter()
            .map(|bit| rule(&[has(*flags, create)?, has(*flags + 1, *bit)?]))
            .collect::<Result<_, _>>()?;
        calls.insert(*call, rules);
    }

    Ok(calls)
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, String> {
    SeccompRule::new(conditions.to_vec()).map_err(|error| format!("seccomp: {error}"))
}

/// Returns the condition that an argument has all these bits.
fn has(argument: u8, bits: u64) -> Result<SeccompCondition, String> {
    condition(argument, bits, bits)
}

/// Returns the condition that an argument has none of these bits.
fn has_none(argument: u8, bits: u64) -> Result<SeccompCondition, String> {
    condition(argument, bits, 0)
}

fn condition(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, String> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(mask),
        value,
    )
    .map_err(|error| format!("seccomp: {error}"))
}

fn apply(calls: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<(), String> {
    let arch: TargetArch = std::env::consts::ARCH
        .try_into()
        .map_err(|error| format!("seccomp: {error}"))?;
    let filter = SeccompFilter::new(
        calls,
        SeccompAction::Allow,
        SeccompAction::Errno(errno as u32),
        arch,
    );
    let program: BpfProgram = filter
        .and_then(TryInto::try_into)
        .map_err(|error| format!("seccomp: {error}"))?;
    apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}
