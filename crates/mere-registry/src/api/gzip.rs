//! The gzip format around deflated bytes.

use miniz_oxide::deflate::compress_to_vec;

/// A little compression for little time.
const LEVEL: u8 = 4;
/// The header: deflate, no name, no time, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Compresses some bytes.
pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    out.extend(compress_to_vec(bytes, LEVEL));
    out.extend(checksum(bytes).to_le_bytes());
    // The format keeps the length modulo 2^32.
    let length = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or_default();
    out.extend(length.to_le_bytes());
    out
}

/// Computes the CRC-32 of some bytes.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = checksum_table();
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        let [low, ..] = sum.to_le_bytes();
        TABLE[usize::from(low ^ byte)] ^ (sum >> 8)
    });
    !sum
}

const fn checksum_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    let mut start = 0_u32;
    while index < 256 {
        let mut sum = start;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[index] = sum;
        index += 1;
        start += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let text = "merestone ".repeat(500);
        let packed = compress(text.as_bytes());
        let deflated = &packed[HEADER.len()..packed.len() - 8];
        let plain = miniz_oxide::inflate::decompress_to_vec(deflated).expect("deflated");
        assert_eq!(plain, text.as_bytes());
        assert!(packed.len() < 200);
    }
}
