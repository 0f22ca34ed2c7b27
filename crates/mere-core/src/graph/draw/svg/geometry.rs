//! Points and sizes in whole pixels, so that a drawing is the same on every machine.

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Point {
    pub(super) fn translate(self, by: Self) -> Self {
        Self { x: self.x + by.x, y: self.y + by.y }
    }
}

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: i32,
    pub(super) height: i32,
}

impl Size {
    pub(super) fn area(self) -> i64 {
        i64::from(self.width) * i64::from(self.height)
    }

    /// Rates a layout by its area and its difference from the shape of a screen. Less is better.
    pub(super) fn layout_cost(self) -> i64 {
        let (across, down) = (i64::from(self.width) * 5, i64::from(self.height) * 8);
        self.area() / 64 * across.max(down) / across.min(down).max(1)
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) at: Point,
    pub(super) size: Size,
}

/// The main direction of the links in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Right,
    Down,
}

impl Flow {
    /// Makes a point from its coordinates along the flow and across it.
    pub(super) fn point(self, along: i32, across: i32) -> Point {
        match self {
            Self::Right => Point { x: along, y: across },
            Self::Down => Point { x: across, y: along },
        }
    }

    /// Makes a size from its extents along the flow and across it.
    pub(super) fn size(self, along: i32, across: i32) -> Size {
        let Point { x: width, y: height } = self.point(along, across);
        Size { width, height }
    }

    /// Returns the extents of a size along the flow and across it.
    pub(super) fn extent(self, size: Size) -> (i32, i32) {
        match self {
            Self::Right => (size.width, size.height),
            Self::Down => (size.height, size.width),
        }
    }
}

/// Converts a count to pixels or steps, which always fits because drawings are small.
pub(super) fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
