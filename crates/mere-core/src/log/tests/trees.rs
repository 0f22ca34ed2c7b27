//! Roots and proofs, compared with those that the definitions of RFC 6962 give when they are
//! followed literally.

use super::{MemoryLog, counting_leaf};
use crate::log::{
    ConsistencyProof, Frontier, FrontierError, HashTile, InclusionProof, ProofError, TileId,
    TileTree, TileTreeError, TreeHash, TreeHead,
};

/// The leaves of the reference tree of Certificate Transparency, and the root after each.
const REFERENCE: [(&str, &str); 8] = [
    ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    (
        "606162636465666768696a6b6c6d6e6f",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ),
];

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("two digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// MTH of RFC 6962, section 2.1.
fn plain_root(leaves: &[TreeHash]) -> TreeHash {
    match leaves {
        [] => TreeHash::empty_tree(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            TreeHash::node(&plain_root(left), &plain_root(right))
        }
    }
}

/// PATH of RFC 6962, section 2.1.1.
fn plain_path(index: usize, leaves: &[TreeHash]) -> Vec<TreeHash> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut path, sibling) = if index < left.len() {
        (plain_path(index, left), plain_root(right))
    } else {
        (plain_path(index - left.len(), right), plain_root(left))
    };
    path.push(sibling);
    path
}

/// Whether a subtree begins where the old tree does.
#[derive(Clone, Copy, PartialEq)]
enum Begins {
    WithTheOldTree,
    Later,
}

/// SUBPROOF of RFC 6962, section 2.1.2.
fn plain_subproof(old: usize, leaves: &[TreeHash], begins: Begins) -> Vec<TreeHash> {
    if old == leaves.len() {
        let is_known = begins == Begins::WithTheOldTree;
        return if is_known { Vec::new() } else { vec![plain_root(leaves)] };
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut proof, sibling) = if old <= left.len() {
        (plain_subproof(old, left, begins), plain_root(right))
    } else {
        (plain_subproof(old - left.len(), right, Begins::Later), plain_root(left))
    };
    proof.push(sibling);
    proof
}

fn heads(leaves: &[TreeHash]) -> Vec<TreeHead> {
    let head = |size: usize| TreeHead { size: size as u64, root: plain_root(&leaves[..size]) };
    (0..=leaves.len()).map(head).collect()
}

fn flip(hash: &mut TreeHash) {
    let mut bytes = *hash.as_bytes();
    bytes[0] ^= 1;
    *hash = TreeHash::from_bytes(bytes);
}

#[test]
fn the_reference_tree_has_its_known_roots() {
    let mut frontier = Frontier::default();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(frontier.head().root.as_bytes().as_slice(), unhex(empty));
    for (size, (leaf, root)) in (1..).zip(REFERENCE) {
        frontier.append(TreeHash::leaf(&unhex(leaf)));
        assert_eq!(frontier.head().size, size);
        assert_eq!(frontier.head().root.as_bytes().as_slice(), unhex(root), "{size}");
    }
}

#[test]
fn a_frontier_is_restored_from_its_bytes() {
    for size in 0..70 {
        let log = MemoryLog::counting(size);
        let bytes = log.frontier.to_bytes();
        let restored = Frontier::from_bytes(size, &bytes).expect("a frontier");
        assert_eq!(restored, log.frontier);
        assert_eq!(
            Frontier::from_bytes(size, &[bytes.as_slice(), &[0]].concat()),
            Err(FrontierError)
        );
        assert_eq!(
            Frontier::from_bytes(size, &[bytes.as_slice(), &[0; 32]].concat()),
            Err(FrontierError)
        );
        assert_eq!(Frontier::from_bytes(2 * size + 1, &bytes), Err(FrontierError));
    }
    assert_eq!(Frontier::from_bytes(u64::MAX, &[0; 64 * 32]), Err(FrontierError));
}

#[test]
fn every_inclusion_is_proved_and_nothing_else() {
    let log = MemoryLog::counting(70);
    let leaves = (0..70).map(counting_leaf).collect::<Vec<_>>();
    for head in &heads(&leaves)[1..] {
        let mut tree = log.tree(head.size);
        assert_eq!(tree.root(), Ok(head.root));
        for index in 0..head.size {
            let at = usize::try_from(index).expect("small");
            let proof = tree.inclusion_proof(index).expect("a proof");
            let inside = &leaves[..usize::try_from(head.size).expect("small")];
            assert_eq!(proof.hashes, plain_path(at, inside), "{index} of {}", head.size);
            assert_eq!(tree.leaf_hash(index), Ok(leaves[at]));
            assert_eq!(proof.check(leaves[at], head), Ok(()));
            refuse_changed_inclusion(&proof, leaves[at], head);
        }
        assert_eq!(tree.inclusion_proof(head.size), Err(TileTreeError::Range));
    }
}

fn refuse_changed_inclusion(proof: &InclusionProof, leaf: TreeHash, head: &TreeHead) {
    for at in 0..proof.hashes.len() {
        let mut changed = proof.clone();
        flip(&mut changed.hashes[at]);
        assert_eq!(changed.check(leaf, head), Err(ProofError::OtherRoot));
        let mut shorter = proof.clone();
        shorter.hashes.remove(at);
        assert!(shorter.check(leaf, head).is_err());
    }
    let mut longer = proof.clone();
    longer.hashes.push(leaf);
    assert_eq!(longer.check(leaf, head), Err(ProofError::Shape));
    let (mut other_leaf, mut other_head) = (leaf, *head);
    flip(&mut other_leaf);
    assert_eq!(proof.check(other_leaf, head), Err(ProofError::OtherRoot));
    flip(&mut other_head.root);
    assert_eq!(proof.check(leaf, &other_head), Err(ProofError::OtherRoot));
    for index in (0..=head.size).filter(|index| *index != proof.index) {
        let moved = InclusionProof { index, hashes: proof.hashes.clone() };
        assert!(moved.check(leaf, head).is_err(), "{index}");
    }
}

#[test]
fn every_growth_is_proved_and_nothing_else() {
    let log = MemoryLog::counting(70);
    let leaves = (0..70).map(counting_leaf).collect::<Vec<_>>();
    let heads = heads(&leaves);
    for (new_size, new) in heads.iter().enumerate() {
        let mut tree = log.tree(new.size);
        for (old_size, old) in heads[..=new_size].iter().enumerate() {
            let proof = tree.consistency_proof(old.size).expect("a proof");
            let expected = match old_size {
                0 => Vec::new(),
                _ => plain_subproof(old_size, &leaves[..new_size], Begins::WithTheOldTree),
            };
            assert_eq!(proof.hashes, expected, "{old_size} to {new_size}");
            assert_eq!(proof.check(old, new), Ok(()), "{old_size} to {new_size}");
            assert_eq!(tree.growth_proof(Some(*old)), Ok(proof.clone()));
            refuse_changed_growth(&proof, old, new);
        }
        assert_eq!(tree.consistency_proof(new.size + 1), Err(TileTreeError::Range));
        let larger = TreeHead { size: new.size + 1, ..*new };
        assert_eq!(tree.growth_proof(Some(larger)), Ok(ConsistencyProof::default()));
    }
}

fn refuse_changed_growth(proof: &ConsistencyProof, old: &TreeHead, new: &TreeHead) {
    let mut longer = proof.clone();
    longer.hashes.push(new.root);
    assert_eq!(longer.check(old, new), Err(ProofError::Shape));
    for at in 0..proof.hashes.len() {
        let mut changed = proof.clone();
        flip(&mut changed.hashes[at]);
        assert_eq!(changed.check(old, new), Err(ProofError::OtherRoot));
        let mut shorter = proof.clone();
        shorter.hashes.remove(at);
        assert!(shorter.check(old, new).is_err());
    }
    if old.size == 0 {
        return;
    }
    let (mut other_old, mut other_new) = (*old, *new);
    flip(&mut other_old.root);
    flip(&mut other_new.root);
    let seeded = old.size.is_power_of_two() && old.size < new.size;
    let expected = if seeded { ProofError::OtherRoot } else { ProofError::OtherOldRoot };
    assert_eq!(proof.check(&other_old, new), Err(expected));
    assert!(proof.check(old, &other_new).is_err());
    assert_eq!(proof.check(&TreeHead { size: new.size + 1, ..*old }, new), Err(ProofError::Shape));
}

#[test]
fn large_trees_have_the_same_roots_and_short_proofs() {
    let log = MemoryLog::counting(65_537);
    let leaves = (0..65_537).map(counting_leaf).collect::<Vec<_>>();
    let head = |size: u64| {
        let inside = &leaves[..usize::try_from(size).expect("small")];
        TreeHead { size, root: plain_root(inside) }
    };
    let sizes = [255, 256, 257, 65_535, 65_536, 65_537];
    let heads = sizes.map(head);
    assert_eq!(log.head(), heads[5]);
    for (at, new) in heads.iter().enumerate() {
        let mut tree = log.tree(new.size);
        assert_eq!(tree.root(), Ok(new.root), "{}", new.size);
        for old in &heads[..=at] {
            let proof = tree.consistency_proof(old.size).expect("a proof");
            assert_eq!(proof.check(old, new), Ok(()), "{} to {}", old.size, new.size);
        }
        for index in [0, 1, 127, 254, 255, 256, 65_279, 65_280, 65_535, 65_536] {
            let Ok(proof) = tree.inclusion_proof(index) else { continue };
            assert!(proof.hashes.len() <= 17);
            assert_eq!(proof.check(counting_leaf(index), new), Ok(()), "{index}");
        }
    }
}

#[test]
fn a_proof_reads_few_tiles_and_each_once() {
    let log = MemoryLog::counting(65_537);
    let mut asked = Vec::new();
    let mut tree = TileTree::new(65_537, |id: TileId| {
        asked.push(id);
        let indexes = id.first_hash()..id.first_hash() + u64::from(id.width());
        let hashes = indexes.map(|index| log.nodes[&(id.level(), index)]).collect();
        HashTile::new(id, hashes).map(|tile| tile.to_bytes())
    });
    tree.inclusion_proof(300).expect("a proof");
    tree.inclusion_proof(301).expect("a proof");
    tree.root().expect("a root");
    let paths = asked.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(paths, ["tile/0/256.p/1", "tile/1/000", "tile/0/001", "tile/2/000.p/1"]);
}

#[test]
fn a_tile_of_another_length_is_refused() {
    for (length, is_right) in [(0, false), (31, false), (96, true), (128, false), (95, false)] {
        let mut tree = TileTree::new(3, |_| Ok::<_, ()>(vec![0; length]));
        assert_eq!(tree.root().is_ok(), is_right, "{length}");
    }
    let mut unread = TileTree::new(3, |_| Err("no such file"));
    let id = TileId::new(0, 0, 3).expect("a tile");
    assert_eq!(unread.root(), Err(TileTreeError::Read(id, "no such file")));
    let mut huge = TileTree::new(u64::MAX, |_| Ok::<_, ()>(Vec::new()));
    assert_eq!(huge.root(), Err(TileTreeError::Range));
}
