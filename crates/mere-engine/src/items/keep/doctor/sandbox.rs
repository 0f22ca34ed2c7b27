//! Whether tools can be run here: each layer of the sandbox is tried out.

use super::{Finding, State};
use crate::host::{self, Layer, Standing};

/// What became of each layer.
pub(super) fn layers() -> Vec<Finding> {
    let standing = match host::layers() {
        Ok(standing) => standing,
        Err(error) => {
            let what = format!("tools cannot be run: {error}");
            return vec![Finding::new("sandbox", State::Wrong, what)];
        }
    };
    let Standing { layers, processes, memory } = standing;
    let mut findings = Layer::ALL.map(|layer| found(layer, &layers)).to_vec();
    let what =
        format!("totals: processes by {processes}, memory by {memory}, workspace by watched");
    findings.push(Finding::new("sandbox", State::Right, what));
    findings
}

fn found(layer: Layer, layers: &[(Layer, Result<(), String>)]) -> Finding {
    let name = layer.name();
    match layers.iter().find(|(one, _)| *one == layer) {
        Some((_, Ok(()))) => Finding::new("sandbox", State::Right, format!("{name}: there")),
        Some((_, Err(why))) => {
            Finding::new("sandbox", State::Wrong, format!("{name}: missing ({why})"))
                .fix("Tools are not run without it; docs/running.md says what it needs.")
        }
        None => Finding::new("sandbox", State::Wrong, format!("{name}: not tried")),
    }
}
