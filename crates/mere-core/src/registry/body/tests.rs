//! Tests of the bodies.
