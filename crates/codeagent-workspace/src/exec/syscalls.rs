//! Which system calls may a command make? All but those that lead out of the jail: new processes for text tools, sockets, other namespaces, other
//! processes, the kernel itself. A refused call fails with an error; the command goes on.
//!
//! **Limits.** Calls under the x32 names are refused by number, as far as the kernel knows them.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

/// Calls that nobody may make.
const REFUSED: &[libc::c_long] = &[
    // Out of the process group: what is killed at the end is the group.
    libc::SYS_setsid,
    libc::SYS_setpgid,
    // Network, and sockets of the machine.
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
    // Other namespaces and roots.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
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
    libc::SYS_mknodat,
    // Owners, attributes: what Landlock does not cover.
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Calls that text tools may not make either.
const ALONE: &[libc::c_long] = &[libc::SYS_socketpair, libc::SYS_kill];

/// Calls by older names that some processors have.
#[cfg(target_arch = "x86_64")]
const OLD: &[libc::c_long] = &[
    libc::SYS_mknod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_chmod,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[libc::c_long] = &[];

/// The same for text tools.
#[cfg(target_arch = "x86_64")]
const OLD_ALONE: &[libc::c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ALONE: &[libc::c_long] = &[];

/// Flags of `clone` that make a new namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

/// Takes the calls away from this process and all it starts; `alone`: it may start none.
pub fn restrict(alone: bool) -> Result<(), String> {
    let told = |error: &dyn std::error::Error| format!("seccomp: {error}");
    // The flags of `clone3` lie in memory where no filter sees them; programs fall back to `clone`.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    apply(unknown, libc::ENOSYS)?;
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
    if alone {
        refused.extend(ALONE.iter().chain(OLD_ALONE).map(|call| (*call, Vec::new())));
    }
    let condition = |operator, value| SeccompCondition::new(0, SeccompCmpArgLen::Qword, operator, value).map_err(|error| told(&error));
    let rule = |condition| SeccompRule::new(vec![condition]).map_err(|error| told(&error));
    let clone = if alone {
        // Threads are no processes.
        vec![rule(condition(SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0)?)?]
    } else {
        let flags = (0..64).map(|bit| 1_u64 << bit).filter(|flag| NAMESPACES & flag != 0);
        flags.map(|flag| rule(condition(SeccompCmpOp::MaskedEq(flag), flag)?)).collect::<Result<_, _>>()?
    };
    refused.insert(libc::SYS_clone, clone);
    apply(refused, libc::EPERM)
}

fn apply(calls: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<(), String> {
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|error| format!("seccomp: {error}"))?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|error| format!("seccomp: {error}"))?;
    apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}
