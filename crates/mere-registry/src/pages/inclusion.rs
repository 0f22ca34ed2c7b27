//! The proof that a version is in the log, as its page shows it.

use mere_core::log::{InclusionProof, TileTree, TreeHash, TreeHead};
use mere_pages::{Html, Tag, definition_list, element};

use super::PageRequest;
use crate::error::RegistryError;
use crate::transparency::read_tile;

const HOW: &str = "To check it without this registry: the hash of the leaf is SHA-256 of a zero byte \
    and the entry. Put it together with each hash of the path in turn, as RFC 9162, section 2.1.3.2 \
    says, which leads to the root; and the checkpoint has that root and the signature of the log's \
    key. mere pull stores the same proof beside the item, and mere verify checks it offline.";

impl PageRequest<'_> {
    /// Shows the proof that an entry is in the tree of a checkpoint.
    pub(super) fn inclusion(&self, index: u64, head: &TreeHead) -> Result<Html, RegistryError> {
        let mut tree = TileTree::new(head.size, |id| {
            let tile = self.registry.database.read(|connection| read_tile(connection, id))?;
            tile.ok_or(RegistryError::Log("a tile is missing"))
        });
        let missing = || RegistryError::Log("there is no proof of an entry");
        let leaf = tree.leaf_hash(index).map_err(|_| missing())?;
        let proof = tree.inclusion_proof(index).map_err(|_| missing())?;
        Ok(render(&proof, &leaf, head))
    }
}

fn render(proof: &InclusionProof, leaf: &TreeHash, head: &TreeHead) -> Html {
    let digest = |hash: &TreeHash| element(Tag::Span).class("digest").with(hash.to_string());
    let hashes = proof.hashes.iter().map(|hash| element(Tag::Li).with(digest(hash)));
    let path: Html = match proof.hashes.len() {
        0 => Html::text("none: the entry is the only one"),
        _ => element(Tag::Ol).with_all(hashes).into(),
    };
    let facts = definition_list([
        ("Leaf index", proof.index.to_string().into()),
        ("Tree size", head.size.to_string().into()),
        ("Hash of the leaf", digest(leaf).into()),
        ("Audit path, from the leaf up", path),
        ("Root of the checkpoint", digest(&head.root).into()),
    ]);
    let details = element(Tag::Details).with(element(Tag::Summary).with("Inclusion proof"));
    details.with(facts).with(element(Tag::P).class("quiet small").with(HOW)).into()
}
