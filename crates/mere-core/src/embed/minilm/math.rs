//! The exponential function and GELU, in a form that compilers vectorise.

/// Approximates the exponential function to five digits between -87 and 87; arguments beyond that
/// are clamped.
pub(super) fn exponential(number: f32) -> f32 {
    let powers = number.clamp(-87.0, 87.0) * std::f32::consts::LOG2_E;
    let (whole, rest) = split_whole(powers);
    // The Taylor series of 2^rest for a rest of at most a half.
    let series = [1.540_353e-4, 1.333_355_8e-3, 9.618_129e-3, 5.550_411e-2, 2.402_265e-1];
    let series = series.into_iter().fold(0.0, |sum, factor| sum * rest + factor);
    let fraction = (series * rest + std::f32::consts::LN_2) * rest + 1.0;
    f32::from_bits(fraction.to_bits().wrapping_add(whole << 23))
}

/// Approximates GELU with the hyperbolic tangent, to within 0.0005 of the exact curve.
pub(super) fn gelu(number: f32) -> f32 {
    let inner = number * (0.797_884_6 + 0.035_677_41 * number * number);
    // x/2 * (1 + tanh y) = x / (1 + e^-2y)
    number / (1.0 + exponential(-2.0 * inner))
}

/// Splits off the nearest whole number, as the low bits of a word, and returns it with the rest.
fn split_whole(number: f32) -> (u32, f32) {
    // After adding this, a float's lowest bits hold its whole part.
    const SHIFT: f32 = 12_582_912.0;
    let shifted = number + SHIFT;
    (shifted.to_bits().wrapping_sub(SHIFT.to_bits()), number - (shifted - SHIFT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_five_digits() {
        for step in -8700_i16..=8700 {
            let number = f32::from(step) / 100.0;
            let exact = f64::from(number).exp();
            let found = f64::from(exponential(number));
            assert!((found / exact - 1.0).abs() < 1e-5, "{number}: {found} is not {exact}");
        }
        assert!(exponential(-1e30) < 1e-37);
        assert!(exponential(1e30).is_finite());
    }

    #[test]
    fn gelu_has_its_known_values() {
        for (number, expected) in [(0.0, 0.0), (1.0, 0.841_3), (-1.0, -0.158_7), (9.0, 9.0)] {
            assert!((gelu(number) - expected).abs() < 5e-4, "{number}: {}", gelu(number));
        }
        assert!(gelu(-60.0).abs() < 1e-6);
    }
}
