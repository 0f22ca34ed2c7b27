//! Tests of the log as a whole, and what they share: a log in memory, and trees computed plainly.

mod checkpoints;
mod offline;
mod trees;
mod witnesses;

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::{
    Checkpoint, EntryDisclosure, Frontier, LogSigner, LogTime, RegistryEvent, SignedCheckpoint,
    TileId, TileTree, TreeHash, TreeHead,
};

/// The origin of the log in the tests.
const ORIGIN: &str = "merestone-registry/019a94e0-aaaa-7bbb-8ccc-0123456789ab";
/// The time in the tests.
const NOW: u64 = 1_800_000_000;

/// A log in memory that keeps what its frontier says for tiles.
#[derive(Clone, Default)]
struct MemoryLog {
    frontier: Frontier,
    nodes: BTreeMap<(u8, u64), TreeHash>,
}

impl MemoryLog {
    /// Makes a log of leaves that are their own numbers.
    fn counting(size: u64) -> Self {
        let mut log = Self::default();
        (0..size).for_each(|index| log.append(counting_leaf(index)));
        log
    }

    fn append(&mut self, leaf: TreeHash) {
        for node in self.frontier.append(leaf) {
            let before = self.nodes.insert((node.level, node.index), node.hash);
            assert_eq!(before, None, "a node never changes");
        }
    }

    fn head(&self) -> TreeHead {
        self.frontier.head()
    }

    /// Returns the tree of the log as it was with so many leaves.
    fn tree(&self, size: u64) -> TileTree<impl FnMut(TileId) -> Result<Vec<u8>, Infallible> + '_> {
        TileTree::new(size, |id: TileId| {
            let indexes = id.first_hash()..id.first_hash() + u64::from(id.width());
            let hashes = indexes.map(|index| self.nodes[&(id.level(), index)]);
            Ok(hashes.flat_map(|hash| *hash.as_bytes()).collect())
        })
    }

    fn sign(&self, seconds: u64) -> SignedCheckpoint {
        let origin = ORIGIN.parse().expect("a name");
        let checkpoint = Checkpoint::new(origin, self.head(), time(seconds));
        SignedCheckpoint::sign(checkpoint, &log_signer()).expect("a checkpoint")
    }
}

fn counting_leaf(index: u64) -> TreeHash {
    TreeHash::leaf(&index.to_be_bytes())
}

fn log_signer() -> LogSigner {
    LogSigner::new(ORIGIN.parse().expect("a name"), &[1; 32]).expect("a key")
}

fn time(seconds: u64) -> LogTime {
    LogTime::from_seconds(seconds).expect("a time")
}

fn yank_of(version: &str) -> EntryDisclosure {
    let text = format!(
        "{{\"at\":\"2026-01-31T23:59:59Z\",\"id\":\"jwt\",\"kind\":\"yank\",\"namespace\":\"acme\",\
         \"type\":\"tool\",\"v\":1,\"version\":\"{version}\"}}"
    );
    EntryDisclosure::public(RegistryEvent::parse(text.as_bytes()).expect("an event"))
}
