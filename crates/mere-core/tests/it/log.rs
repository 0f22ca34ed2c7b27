//! Whatever a registry, a mirror or a witness sends: it is refused, or read as it is written, and
//! nothing panics.

use std::collections::BTreeMap;
use std::convert::Infallible;

use mere_core::log::{
    BundleId, Checkpoint, EntryBundle, Frontier, HashTile, LogEntry, NoteSignature, OfflineProof,
    SignedCheckpoint, SignedNote, TileId, TileTree, TreeHash, TreeHead, VerifierKey,
    WitnessRequest, parse_signatures,
};
use mere_core::registry::{
    ApiPath, ApiToken, Namespace, PublishedReference, RegistryInfo, RegistryItemPage,
    RegistryQuery, TokenScope, VersionInfo, VersionRecord, parse_body,
};
use proptest::prelude::*;

const CASES: u32 = 300;

/// Texts that are nearly right: the pieces of the formats in any order.
fn nearly_right() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(
        &[
            "— ",
            "log.example",
            " ",
            "\n",
            "\n\n",
            "old ",
            "time ",
            "0",
            "1",
            "20852163",
            "+",
            "tile/",
            "entries/",
            "x001/",
            "000",
            ".p/",
            "255",
            "/api/v1",
            "/items/",
            "tool/",
            "acme",
            "/versions/",
            "1.0.0",
            "{\"v\":1,",
            "\"kind\":\"yank\"",
            "\"entry\":",
            "}",
            "publish:",
            "/*",
            "mere_",
            "&",
            "q=",
            "%20",
            "%",
            "types=tool",
            "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
            "Az3grlgtzPICa5OS8npVmf1Myq",
            "c74f20a3",
            "ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "\u{2014}",
            "\r",
            "\u{0}",
            "é",
        ][..],
    );
    prop::collection::vec(pieces, 0..16).prop_map(|pieces| pieces.concat())
}

fn parse_texts(text: &str) {
    macro_rules! read_as_written {
        ($($kind:ty),*) => {$(
            if let Ok(value) = text.parse::<$kind>() {
                assert_eq!(value.to_string(), text);
            }
        )*};
    }
    read_as_written!(
        Checkpoint,
        NoteSignature,
        VerifierKey,
        TileId,
        BundleId,
        TreeHash,
        ApiPath,
        Namespace,
        PublishedReference,
        TokenScope
    );
    if let Ok(token) = text.parse::<ApiToken>() {
        assert_eq!(token.expose(), text);
    }
    if let Ok(query) = text.parse::<RegistryQuery>() {
        assert_eq!(query.to_string().parse(), Ok(query));
    }
    let _ = parse_signatures(text);
}

fn parse_bytes(bytes: &[u8]) {
    if let Ok(note) = SignedNote::parse(bytes) {
        assert_eq!(note.to_string().as_bytes(), bytes);
    }
    if let Ok(checkpoint) = SignedCheckpoint::parse(bytes) {
        assert_eq!(checkpoint.to_string().as_bytes(), bytes);
    }
    if let Ok(request) = WitnessRequest::parse(bytes) {
        assert_eq!(request.to_string().as_bytes(), bytes);
    }
    if let Ok(entry) = LogEntry::parse(bytes) {
        assert_eq!(entry.payload(), bytes);
    }
    if let Ok(record) = VersionRecord::parse(bytes) {
        assert_eq!(record.payload(), bytes);
    }
    if let Ok(proof) = OfflineProof::parse(bytes) {
        assert_eq!(OfflineProof::parse(proof.to_text().as_bytes()), Ok(proof));
    }
    for width in [1, 2, 256] {
        let bundle = BundleId::new(0, width).expect("a bundle");
        if let Ok(bundle) = EntryBundle::parse(bundle, bytes) {
            assert_eq!(bundle.to_bytes(), bytes);
        }
        let tile = TileId::new(0, 0, width).expect("a tile");
        assert_eq!(HashTile::parse(tile, bytes).is_ok(), bytes.len() == usize::from(width) * 32);
    }
    assert!(parse_body::<RegistryInfo>(bytes).is_err());
    let _ = (parse_body::<RegistryItemPage>(bytes), parse_body::<VersionInfo>(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn anything_is_refused_or_read_as_it_is_written(
        text in nearly_right(),
        any in ".{0,80}",
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        for text in [&text, &any] {
            parse_texts(text);
            parse_bytes(text.as_bytes());
        }
        parse_bytes(&bytes);
    }

    #[test]
    fn tile_ids_are_read_as_they_are_written(level in 0_u8..64, index: u64, width in 1_u16..=256) {
        let tile = TileId::new(level, index, width).expect("a tile");
        prop_assert_eq!(tile.to_string().parse(), Ok(tile));
        let path = ApiPath::Tile(tile);
        prop_assert_eq!(path.to_string().parse(), Ok(path));
        let bundle = BundleId::new(index, width).expect("a bundle");
        prop_assert_eq!(bundle.to_string().parse(), Ok(bundle));
    }

    #[test]
    fn a_log_proves_that_it_grew(sizes in (0_usize..600, 0_usize..600), changed in any::<usize>()) {
        let (old_size, new_size) = (sizes.0.min(sizes.1), sizes.0.max(sizes.1));
        let mut frontier = Frontier::default();
        let mut nodes = BTreeMap::new();
        let mut old = TreeHead::empty();
        for index in 0..new_size {
            if index == old_size {
                old = frontier.head();
            }
            for node in frontier.append(TreeHash::leaf(&index.to_be_bytes())) {
                nodes.insert((node.level, node.index), node.hash);
            }
        }
        let new = frontier.head();
        if old_size == new_size {
            old = new;
        }
        let mut tree = TileTree::new(new.size, |id: TileId| {
            let indexes = id.first_hash()..id.first_hash() + u64::from(id.width());
            let hashes = indexes.flat_map(|index| *nodes[&(id.level(), index)].as_bytes());
            Ok::<_, Infallible>(hashes.collect::<Vec<_>>())
        });
        prop_assert_eq!(tree.root(), Ok(new.root));
        let mut proof = tree.consistency_proof(old.size).expect("a proof");
        prop_assert_eq!(proof.check(&old, &new), Ok(()));
        if !proof.hashes.is_empty() {
            let at = changed % proof.hashes.len();
            proof.hashes[at] = TreeHash::leaf(b"another history");
            prop_assert!(proof.check(&old, &new).is_err());
        }
    }
}
