//! Whether tools can be run here: each layer of the sandbox is tried out.

use super::{Finding, State};
use mere_host::{Layer, Level, NOT_KEPT, Standing};

/// What became of each layer, by the level that the user's config asks for.
pub(super) fn layers(level: Level) -> Vec<Finding> {
    let standing = match mere_host::layers() {
        Ok(standing) => standing,
        Err(error) => {
            let what = format!("tools cannot be run: {error}");
            return vec![Finding::new("sandbox", State::Wrong, what)];
        }
    };
    let Standing { layers, processes, memory } = standing;
    let name = match level {
        Level::Full => "full",
        Level::Namespaces => "namespaces, without landlock and seccomp where there is none",
    };
    let mut findings = vec![Finding::new("sandbox", State::Right, format!("level: {name}"))];
    findings.extend(Layer::ALL.map(|layer| found(layer, &layers, level)));
    let is_kept = processes != NOT_KEPT && memory != NOT_KEPT;
    let what =
        format!("totals: processes by {processes}, memory by {memory}, workspace by watching");
    findings.push(if is_kept {
        Finding::new("sandbox", State::Right, what)
    } else {
        Finding::new("sandbox", State::Wrong, what).fix(NEEDS)
    });
    findings
}

const NEEDS: &str = "Tools are not run without it; docs/running.md says what it needs.";

fn found(layer: Layer, layers: &[(Layer, Result<(), String>)], level: Level) -> Finding {
    let name = layer.name();
    let is_accepted = level == Level::Namespaces && layer.may_lack();
    match layers.iter().find(|(one, _)| *one == layer) {
        Some((_, Ok(()))) => Finding::new("sandbox", State::Right, format!("{name}: there")),
        Some((_, Err(why))) if is_accepted => {
            let what = format!("{name}: missing ({why}), which your config accepts");
            Finding::new("sandbox", State::Note, what)
        }
        Some((_, Err(why))) => {
            Finding::new("sandbox", State::Wrong, format!("{name}: missing ({why})")).fix(NEEDS)
        }
        None => Finding::new("sandbox", State::Wrong, format!("{name}: not tried")),
    }
}
