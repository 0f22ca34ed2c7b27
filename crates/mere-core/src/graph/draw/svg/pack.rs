//! Packs rectangles onto a sheet about as wide as a screen: each as high up as it fits, the tallest
//! first.

use std::cmp::Reverse;

use super::geometry::{Point, Size};

/// The space between two rectangles.
pub(super) const GAP: i32 = 44;

/// Returns the positions of the rectangles and the size of the sheet.
pub(super) fn pack(sizes: &[Size]) -> (Vec<Point>, Size) {
    let grown = |size: &Size| Size { width: size.width + GAP, height: size.height + GAP };
    let area = sizes.iter().map(|size| grown(size).area()).sum::<i64>();
    let widest = sizes.iter().map(|size| size.width).max().unwrap_or_default();
    let square = i32::try_from((area * 8 / 5).isqrt()).unwrap_or(i32::MAX / 2);
    let limit = widest.max(square) + GAP;
    let mut order = (0..sizes.len()).collect::<Vec<_>>();
    order.sort_by_key(|at| (Reverse(sizes[*at].height), Reverse(sizes[*at].width), *at));
    let mut skyline = vec![SkylineSegment { x: 0, width: limit, y: 0 }];
    let mut places = vec![Point::default(); sizes.len()];
    let mut bounds = Size::default();
    for at in order {
        let size = grown(&sizes[at]);
        let place = highest_position(&skyline, size.width, limit);
        cover_skyline(&mut skyline, place, size);
        places[at] = place;
        bounds.width = bounds.width.max(place.x + sizes[at].width);
        bounds.height = bounds.height.max(place.y + sizes[at].height);
    }
    (places, bounds)
}

/// A segment of the lower edge of the rectangles placed so far.
#[derive(Clone, Copy, Debug)]
struct SkylineSegment {
    x: i32,
    width: i32,
    y: i32,
}

/// Finds the highest position for a rectangle of this width.
fn highest_position(skyline: &[SkylineSegment], width: i32, limit: i32) -> Point {
    let starts = skyline.iter().map(|segment| segment.x).filter(|x| x + width <= limit);
    let places = starts.map(|x| {
        let under =
            skyline.iter().filter(|segment| segment.x < x + width && segment.x + segment.width > x);
        (under.map(|segment| segment.y).max().unwrap_or_default(), x)
    });
    let below = || skyline.iter().map(|segment| segment.y).max().unwrap_or_default();
    let (y, x) = places.min().unwrap_or_else(|| (below(), 0));
    Point { x, y }
}

/// Moves the lower edge below a rectangle that was placed.
fn cover_skyline(skyline: &mut Vec<SkylineSegment>, at: Point, size: Size) {
    let end = at.x + size.width;
    let mut segments = Vec::with_capacity(skyline.len() + 2);
    for segment in skyline.drain(..) {
        let (start, stop) = (segment.x, segment.x + segment.width);
        if start < at.x {
            segments.push(SkylineSegment { width: stop.min(at.x) - start, ..segment });
        }
        if stop > end {
            let x = start.max(end);
            segments.push(SkylineSegment { x, width: stop - x, y: segment.y });
        }
    }
    segments.push(SkylineSegment { x: at.x, width: size.width, y: at.y + size.height });
    segments.sort_by_key(|segment| segment.x);
    *skyline = segments;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps() {
        let sizes = (1..60).map(|n| Size { width: 40 + n * 37 % 300, height: 30 + n * 53 % 200 });
        let sizes = sizes.collect::<Vec<_>>();
        let (places, bounds) = pack(&sizes);
        for (a, at) in places.iter().enumerate() {
            assert!(at.x >= 0 && at.x + sizes[a].width <= bounds.width, "{a}");
            assert!(at.y >= 0 && at.y + sizes[a].height <= bounds.height, "{a}");
            for (b, other) in places.iter().enumerate().skip(a + 1) {
                let apart = at.x + sizes[a].width + GAP <= other.x
                    || other.x + sizes[b].width + GAP <= at.x
                    || at.y + sizes[a].height + GAP <= other.y
                    || other.y + sizes[b].height + GAP <= at.y;
                assert!(apart, "{a} {b}");
            }
        }
    }
}
