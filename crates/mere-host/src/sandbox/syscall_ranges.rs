//! The check of calls that are allowed with any arguments, by ranges of their numbers.
//!
//! `seccompiler` compares a call with one number after the other. The kernel checks such a program
//! once for each call that exists, and the tool waits for that; so most of the numbers are put into
//! a few dozen ranges. A call in no range is left to the program that `seccompiler` made.

use std::io;

use seccompiler::{BpfProgram, sock_filter};

/// Loads a word of the description of a call. The number of the call is the word at 0.
const LOAD_WORD: u16 = bpf(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS);
/// Compares what was loaded with a number.
const JUMP_IF_GREATER: u16 = bpf(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K);
const JUMP_IF_NOT_LESS: u16 = bpf(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K);
/// Ends the program with a decision.
const RETURN: u16 = bpf(libc::BPF_RET | libc::BPF_K);

/// Returns the code of an instruction. All of them fit.
#[expect(clippy::cast_possible_truncation, reason = "the codes are below 256")]
const fn bpf(code: u32) -> u16 {
    code as u16
}

/// Extends a program so that it allows these calls before it looks at anything else about a call
/// than its architecture.
pub(super) fn allow_calls(
    program: BpfProgram,
    calls: impl Iterator<Item = i64>,
) -> io::Result<BpfProgram> {
    let loads_number = |one: &sock_filter| (one.code, one.k) == (LOAD_WORD, 0);
    // The architecture is checked before the number is loaded.
    let start = program.iter().position(loads_number).map(|at| at + 1);
    let start = start.ok_or_else(|| io::Error::other("a filter without a call"))?;
    let mut extended = program;
    let after = extended.split_off(start);
    for (first, last) in ranges(calls)? {
        extended.push(sock_filter { code: JUMP_IF_GREATER, jt: 2, jf: 0, k: last });
        extended.push(sock_filter { code: JUMP_IF_NOT_LESS, jt: 0, jf: 1, k: first });
        extended.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW });
    }
    extended.extend(after);
    Ok(extended)
}

/// Returns the ranges of numbers that these calls make up.
fn ranges(calls: impl Iterator<Item = i64>) -> io::Result<Vec<(u32, u32)>> {
    let numbers = calls.map(|call| u32::try_from(call).map_err(io::Error::other));
    let mut numbers = numbers.collect::<io::Result<Vec<_>>>()?;
    numbers.sort_unstable();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if number <= *last + 1 => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        let of = |calls: &[i64]| ranges(calls.iter().copied()).expect("numbers");
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[7]), [(7, 7)]);
        assert_eq!(of(&[3, 1, 2, 2, 9, 8, 5]), [(1, 3), (5, 5), (8, 9)]);
        assert!(ranges([-1].into_iter()).is_err());
    }

    #[test]
    fn a_program_that_loads_no_number_is_refused() {
        let program = vec![sock_filter { code: RETURN, jt: 0, jf: 0, k: 0 }];
        assert!(allow_calls(program, [1].into_iter()).is_err());
    }
}
