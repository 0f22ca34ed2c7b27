//! An author who signs items and publishes them: four notes, and then a tool of two files.

use std::sync::atomic::{AtomicUsize, Ordering};

use ed25519_dalek::{Signer, SigningKey};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{CategoryBase, Item, ItemForm, ItemType, Scope, ScopedPath};
use mere_core::trust::{ClaimedTime, Envelope, PayloadType, PublicKey, Statement};
use serde_json::json;

use super::host::NAMESPACES;
use super::http::HttpConnection;
use crate::random::Random;
use crate::vocabulary::{FIRST_CONTENT_RANK, Vocabulary, planted_word};

/// How many connections publish while the registry is filled.
const PUBLISHERS: usize = 4;
/// How many words the text of an item has.
const WORDS: usize = 120;
/// A word that is in every item.
pub(super) const EVERYWHERE: &str = "merestone";

/// The author.
pub(super) struct Publisher {
    vocabulary: Vocabulary,
    key: SigningKey,
}

/// A signed item.
pub(super) struct SignedItem {
    pub(super) kind: ItemType,
    pub(super) namespace: &'static str,
    pub(super) id: String,
    /// The digest and the bytes of each file.
    pub(super) files: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Publisher {
    pub(super) fn new() -> Self {
        Self { vocabulary: Vocabulary::new(), key: SigningKey::from_bytes(&[7; 32]) }
    }

    /// Returns the key as in a `.pub` file.
    pub(super) fn public_line() -> String {
        public_key(&SigningKey::from_bytes(&[7; 32])).to_string()
    }

    /// Publishes that many items.
    pub(super) fn fill(address: &str, token: &str, items: usize) {
        let (publisher, next) = (Self::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..PUBLISHERS {
                scope.spawn(|| {
                    let mut connection = HttpConnection::open(address, Some(token));
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= items {
                            return;
                        }
                        publisher.sign(number).publish(&mut connection);
                    }
                });
            }
        });
    }

    /// Makes and signs an item. The same number makes the same item.
    pub(super) fn sign(&self, number: usize) -> SignedItem {
        let mut random = Random::new(number as u64);
        let words = |count: usize, random: &mut Random| {
            let words = (0..count).map(|_| self.vocabulary.word(self.vocabulary.draw(random)));
            words.collect::<Vec<_>>().join(" ")
        };
        let topic = self.vocabulary.word(FIRST_CONTENT_RANK + random.below(900)).to_owned();
        let planted = planted_word(number % 2_000);
        let title = format!("{topic} {} {planted}", words(4, &mut random));
        let description = format!("A {EVERYWHERE} item about {topic}: {}.", words(12, &mut random));
        let category = format!("area{}/{topic}", number % 20);
        let body = words(WORDS, &mut random);
        if number % 5 == 4 {
            let id = format!("tool-{number}");
            let manifest = format!(
                "tool_id: {id}\ntool_type: script\nexecutor_id: python_runtime\nversion: 1.0.0\n\
                 category: {category}\ndescription: {description:?}\n\
                 manifest:\n  entrypoint: {id}.py\n"
            );
            let script = format!("# {title}\nprint({body:?})\n");
            let files = vec![(format!("{id}.yaml"), manifest), (format!("{id}.py"), script)];
            return self.sign_files(ItemType::Tool, (number, &id), &category, files);
        }
        let id = format!("note-{number}");
        let text = format!(
            "---\nid: {id}\ntitle: {title:?}\nversion: 1.0.0\nentry_type: pattern\ncategory: \
             {category}\ntags: [{topic}, {EVERYWHERE}]\n---\n\n{description}\n\n{body}\n"
        );
        let files = vec![(format!("{id}.md"), text)];
        self.sign_files(ItemType::Knowledge, (number, &id), &category, files)
    }

    /// Signs files, the main one first.
    fn sign_files(
        &self,
        kind: ItemType,
        (number, id): (usize, &str),
        category: &str,
        files: Vec<(String, String)>,
    ) -> SignedItem {
        let place = ScopedPath {
            scope: Scope::Registry,
            kind,
            base: CategoryBase::Space,
            category: category.parse().expect("a category"),
            id: id.parse().expect("an id"),
            version: None,
            form: ItemForm::Flat,
        };
        let item = Item::parse(&files[0].1, &place).unwrap_or_else(|fault| panic!("{fault:?}"));
        let digest = |(path, text): &(String, String)| FileDigest {
            path: path.clone(),
            sha256: Sha256::digest(text.as_bytes()),
            size: text.len() as u64,
        };
        let others = files[1..].iter().map(digest).collect::<Vec<_>>();
        let mut all = files.iter().map(digest).collect::<Vec<_>>();
        all.sort_by(|left, right| left.path.cmp(&right.path));
        let statement = Statement {
            kind,
            id: place.id.clone(),
            version: "1.0.0".parse().expect("a version"),
            category: place.category.clone(),
            integrity: item.integrity(&files[0].1, &place, &others).expect("a hash"),
            files: all,
            executor: match &item {
                Item::Tool(tool) => tool.executor.clone(),
                _ => None,
            },
            created: "2026-11-18T00:00:00Z".parse::<ClaimedTime>().expect("a time"),
        };
        let mut envelope = Envelope::new(PayloadType::Statement, statement.payload());
        let signature = self.key.sign(&envelope.message()).to_bytes();
        envelope.add_signature(public_key(&self.key).fingerprint(), signature);
        let files = files.into_iter().map(|(_, text)| text.into_bytes());
        SignedItem {
            kind,
            namespace: NAMESPACES[number % NAMESPACES.len()],
            id: id.to_owned(),
            files: files.map(|bytes| (Sha256::digest(&bytes).to_string(), bytes)).collect(),
            body: json!({ "statement": envelope.to_json() }).to_string().into_bytes(),
        }
    }
}

impl SignedItem {
    /// Sends the files, and then the statement.
    pub(super) fn publish(&self, connection: &mut HttpConnection) {
        for (digest, bytes) in &self.files {
            self.upload(connection, digest, bytes);
        }
        self.submit(connection);
    }

    /// Sends one file.
    pub(super) fn upload(&self, connection: &mut HttpConnection, digest: &str, bytes: &[u8]) {
        connection.put(&self.blob_path(digest), bytes);
    }

    /// Sends the statement.
    pub(super) fn submit(&self, connection: &mut HttpConnection) {
        connection.put(&self.version_path(), &self.body);
    }

    /// Returns the path of one of its files.
    pub(super) fn blob_path(&self, digest: &str) -> String {
        format!("/api/v1/namespaces/{}/blobs/{digest}", self.namespace)
    }

    /// Returns the path of the item.
    pub(super) fn item_path(&self) -> String {
        format!("/api/v1/items/{}/{}/{}", self.kind.name(), self.namespace, self.id)
    }

    /// Returns the path of its version.
    pub(super) fn version_path(&self) -> String {
        format!("{}/versions/1.0.0", self.item_path())
    }
}

fn public_key(key: &SigningKey) -> PublicKey {
    PublicKey::from_bytes(key.verifying_key().as_bytes()).expect("a key")
}
