//! Signing: the daily loop, what agents cannot do, and what was once possible.

pub(crate) mod advice;
pub(crate) mod agents;
pub(crate) mod answers;
pub(crate) mod crash;
pub(crate) mod daily;
pub(crate) mod holes;
mod leftovers;
pub(crate) mod moved_by_hand;
pub(crate) mod moves;
pub(crate) mod renewal;
pub(crate) mod staged;
pub(crate) mod statements;
pub(crate) mod work;
