//! The documented format: what another program makes of what `mere` signs.

mod verifier;
