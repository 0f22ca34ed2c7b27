//! Checks whether tools can be run on this machine, by trying out each layer of the sandbox.
//!
//! A layer may be missing only where the level in the user's config accepts that.

use super::{Finding, FindingState};
use mere_host::{
    LayerReport, MAX_COPIED_BYTES, MAX_COPIED_FILES, NOT_ENFORCED, SandboxLayer, SandboxLevel,
};

/// Reports on each layer, judged by the level that the user's config requires.
pub(super) fn check_layers(level: SandboxLevel) -> Vec<Finding> {
    let probe = match mere_host::probe_layers() {
        Ok(probe) => probe,
        Err(error) => {
            let what = format!("tools cannot be run: {error}");
            return vec![Finding::new("sandbox", FindingState::Wrong, what)];
        }
    };
    let LayerReport { layers, processes_limited_by: processes, memory_limited_by: memory, .. } =
        &probe;
    let name = match level {
        SandboxLevel::Full => "full",
        SandboxLevel::Namespaces => {
            "namespaces, without landlock and seccomp where they are missing"
        }
    };
    let mut findings = vec![Finding::new("sandbox", FindingState::Right, format!("level: {name}"))];
    findings.extend(SandboxLayer::ALL.map(|layer| layer_finding(layer, layers, level)));
    let is_kept = ![processes, memory].contains(&&NOT_ENFORCED);
    let what =
        format!("run totals: processes by {processes}, memory by {memory}, workspace by watching");
    findings.push(if is_kept {
        Finding::new("sandbox", FindingState::Right, what)
    } else {
        Finding::new("sandbox", FindingState::Wrong, what).with_fix(SANDBOX_FIX)
    });
    findings.push(project_finding(&probe.project_overlay));
    findings
}

/// Says how tools that ask for the project are shown it.
fn project_finding(overlay: &Result<(), String>) -> Finding {
    match overlay {
        Ok(()) => {
            let what = "the project: by overlay, where a tool asks for it";
            Finding::new("sandbox", FindingState::Right, what.to_owned())
        }
        Err(reason) => {
            let megabytes = MAX_COPIED_BYTES / (1024 * 1024);
            let what = format!(
                "the project: by copy, where a tool asks for it (no overlay: {reason}); one with \
                 more than {MAX_COPIED_FILES} files or {megabytes} MB is refused"
            );
            Finding::new("sandbox", FindingState::Note, what)
        }
    }
}

const SANDBOX_FIX: &str = "Tools are not run without it; docs/running.md says what it needs.";

fn layer_finding(
    layer: SandboxLayer,
    layers: &[(SandboxLayer, Result<(), String>)],
    level: SandboxLevel,
) -> Finding {
    let name = layer.name();
    let is_accepted = level.accepts_missing(layer);
    match layers.iter().find(|(one, _)| *one == layer) {
        Some((_, Ok(()))) => {
            Finding::new("sandbox", FindingState::Right, format!("{name}: available"))
        }
        Some((_, Err(reason))) if is_accepted => {
            let what = format!("{name}: missing ({reason}), which your config accepts");
            Finding::new("sandbox", FindingState::Note, what)
        }
        Some((_, Err(reason))) => {
            Finding::new("sandbox", FindingState::Wrong, format!("{name}: missing ({reason})"))
                .with_fix(SANDBOX_FIX)
        }
        None => Finding::new("sandbox", FindingState::Wrong, format!("{name}: not tried")),
    }
}
