//! A direction in the space of a model, before it is rounded to a [`Vector`].

use super::Vector;

/// Numbers of length one: where a text lies in the space of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitVector(Vec<f32>);

impl UnitVector {
    /// Scales numbers to length one. Returns `None` if they are all zero or one is not finite.
    pub fn from_sums(numbers: &[f32]) -> Option<Self> {
        // Divide by the greatest first: the square of a very small number is zero.
        let greatest = numbers.iter().fold(0.0_f32, |so_far, number| so_far.max(number.abs()));
        if greatest == 0.0 || !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        let scaled = numbers.iter().map(|number| number / greatest);
        let length = scaled.clone().map(|number| number * number).sum::<f32>().sqrt();
        Some(Self(scaled.map(|number| number / length).collect()))
    }

    /// Adds a share of another direction of the same model.
    #[must_use]
    pub fn turned_to(self, other: &Self, share: f32) -> Self {
        let sums = self.0.iter().zip(&other.0).map(|(own, other)| own + share * other);
        Self::from_sums(&sums.collect::<Vec<_>>()).unwrap_or(self)
    }

    /// Appends the direction that another model gives to the same text, with `dimensions` zeros if
    /// it gives none. In the cosine of two joint directions, the similarity by the second model
    /// counts `weight` times as much as that by the first.
    #[must_use]
    pub fn joined_with(mut self, second: Option<Self>, dimensions: usize, weight: f32) -> Self {
        let end = self.0.len() + dimensions;
        let second = second.map(|second| second.0).unwrap_or_default();
        self.0.extend(second.iter().map(|number| number * weight.sqrt()));
        self.0.resize(end, 0.0);
        self
    }

    /// Rounds the direction to a vector.
    pub fn to_vector(&self) -> Option<Vector> {
        Vector::from_floats(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_direction_counts() {
        for sums in [[3.0, 4.0], [3e-30, 4e-30], [3e30, 4e30]] {
            let UnitVector(numbers) = UnitVector::from_sums(&sums).expect("a unit vector");
            assert!((numbers[0] - 0.6).abs() < 1e-6 && (numbers[1] - 0.8).abs() < 1e-6);
        }
        for sums in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert_eq!(UnitVector::from_sums(&sums), None);
        }
        assert_eq!(UnitVector::from_sums(&[]), None);
    }

    #[test]
    fn a_joint_cosine_weighs_both_models() {
        let direction = |x: f32, y: f32| UnitVector::from_sums(&[x, y]).expect("a unit vector");
        let joint = |second| direction(1.0, 0.0).joined_with(second, 2, 0.5).to_vector();
        let one = joint(Some(direction(1.0, 0.0))).expect("a vector");
        let other = joint(Some(direction(0.0, 1.0))).expect("a vector");
        assert!((one.cosine(&other) - 1.0 / 1.5).abs() < 0.01);
        assert_eq!(joint(None).expect("a vector").as_bytes(), [127, 0, 0, 0]);
    }
}
