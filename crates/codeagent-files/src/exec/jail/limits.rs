//! Resource limits of a command.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::plan::Plan;
use crate::exec::Policy;

/// Maximum size of a written file, in bytes.
const MAX_FILE: u64 = 64 << 20;
/// Maximum memory of a text tool, in bytes.
const MAX_MEMORY: u64 = 2 << 30;
/// Maximum number of processes and threads while an interpreter runs: counted per user, or with
/// namespaces per command.
const MAX_PROCESSES: u64 = 4_096;

/// Sets the limits for this process and its descendants.
pub fn restrict(plan: &Plan) -> Result<(), String> {
    let set = |resource: Resource, most: u64| {
        // A hard limit that is already lower cannot be raised.
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |hard| hard.min(most));
        setrlimit(
            resource,
            Rlimit {
                current: Some(most),
                maximum: Some(most),
            },
        )
        .map_err(|error| error.to_string())
    };

    set(Resource::Core, 0)?;
    set(Resource::Nofile, 1_024)?;
    set(Resource::Fsize, MAX_FILE)?;

    let seconds = plan.timeout.as_secs() + 1;
    if plan.policy == Policy::Tools {
        // Allows two processors for the whole time, plus some seconds to terminate.
        set(Resource::Cpu, seconds * 2 + 5)?;
        set(Resource::As, MAX_MEMORY)
    } else {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        set(Resource::Cpu, seconds * processors + 5)?;
        // Memory is not limited, because interpreters reserve more address space than there is
        // memory.
        set(Resource::Nproc, MAX_PROCESSES)
    }
}
