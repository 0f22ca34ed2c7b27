//! An author, who signs items and sends them to a registry.

use ed25519_dalek::{Signer, SigningKey};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{CategoryBase, Item, ItemForm, ItemType, Scope, ScopedPath};
use mere_core::trust::{ClaimedTime, Envelope, PayloadType, PublicKey, Statement};
use serde_json::{Value, json};

use super::client::{Client, Reply};

/// An author with a key.
pub(super) struct Author(SigningKey);

/// A signed item, ready to be sent.
#[derive(Clone)]
pub(super) struct Package {
    pub(super) kind: ItemType,
    pub(super) id: String,
    pub(super) version: String,
    pub(super) files: Vec<(String, Vec<u8>)>,
    pub(super) envelope: Value,
}

/// The parts of an item before it is signed.
pub(super) struct Draft<'a> {
    pub(super) kind: ItemType,
    pub(super) id: &'a str,
    pub(super) version: &'a str,
    pub(super) category: &'a str,
    /// The main file first.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

impl Author {
    pub(super) fn new(seed: u8) -> Self {
        Self(SigningKey::from_bytes(&[seed; 32]))
    }

    fn public_key(&self) -> PublicKey {
        PublicKey::from_bytes(self.0.verifying_key().as_bytes()).expect("a key")
    }

    /// The key as in a `.pub` file.
    pub(super) fn public_line(&self) -> String {
        self.public_key().to_string()
    }

    pub(super) fn fingerprint(&self) -> String {
        self.public_key().fingerprint().to_string()
    }

    pub(super) fn note(&self, id: &str, version: &str) -> Package {
        self.note_with(id, version, "")
    }

    /// A note with more lines of frontmatter.
    pub(super) fn note_with(&self, id: &str, version: &str, more: &str) -> Package {
        let text = format!(
            "---\nid: {id}\ntitle: About {id}\nversion: {version}\nentry_type: pattern\ncategory: \
             guides/api\ntags: [retry]\n{more}---\n\nWords about {id} at {version}.\n"
        );
        let files = vec![(format!("{id}.md"), text.into_bytes())];
        let kind = ItemType::Knowledge;
        self.sign(Draft { kind, id, version, category: "guides/api", files })
    }

    pub(super) fn tool(&self, id: &str, version: &str) -> Package {
        let manifest = format!(
            "tool_id: {id}\ntool_type: script\nexecutor_id: python_runtime\nversion: {version}\n\
             description: Greets with backoff.\nmanifest:\n  entrypoint: {id}.py\n"
        );
        let script = b"print('hello')\n".to_vec();
        let files =
            vec![(format!("{id}.yaml"), manifest.into_bytes()), (format!("{id}.py"), script)];
        self.sign(Draft { kind: ItemType::Tool, id, version, category: "", files })
    }

    pub(super) fn directive(&self, id: &str, version: &str) -> Package {
        let text = format!(
            "# {id}\n\n<directive name=\"{id}\" version=\"{version}\">\n<metadata>\n\
             <description>Says what to do.</description>\n<category>flows</category>\n\
             <model tier=\"balanced\" />\n</metadata>\n<permissions>\n\
             <execute resource=\"tool\" action=\"greet\" />\n</permissions>\n<process>\n\
             <step name=\"one\">Do it.</step>\n</process>\n</directive>\n"
        );
        let files = vec![(format!("{id}.md"), text.into_bytes())];
        self.sign(Draft { kind: ItemType::Directive, id, version, category: "flows", files })
    }

    pub(super) fn skill(&self, id: &str, version: &str) -> Package {
        let text = format!(
            "---\nname: {id}\ndescription: Helps with {id}.\nmetadata:\n  version: \"{version}\"\n\
             ---\n\nSteps.\n"
        );
        let files = vec![
            ("SKILL.md".to_owned(), text.into_bytes()),
            ("scripts/run.sh".to_owned(), b"echo hi\n".to_vec()),
        ];
        self.sign(Draft { kind: ItemType::Directive, id, version, category: "", files })
    }

    /// Signs an item as it is.
    pub(super) fn sign(&self, draft: Draft<'_>) -> Package {
        let Draft { kind, id, version, category, files } = draft;
        let form = match files[0].0.as_str() {
            "SKILL.md" | "manifest.yaml" => ItemForm::Folder,
            _ => ItemForm::Flat,
        };
        let place = ScopedPath {
            scope: Scope::Registry,
            kind,
            base: CategoryBase::Space,
            category: category.parse().expect("a category"),
            id: id.parse().expect("an id"),
            version: None,
            form,
        };
        let text = str::from_utf8(&files[0].1).expect("text");
        let item = Item::parse(text, &place).unwrap_or_else(|fault| panic!("{fault:?}"));
        let digest = |(path, bytes): &(String, Vec<u8>)| FileDigest {
            path: path.clone(),
            sha256: Sha256::digest(bytes),
            size: bytes.len() as u64,
        };
        let others = files[1..].iter().map(digest).collect::<Vec<_>>();
        let mut all = files.iter().map(digest).collect::<Vec<_>>();
        all.sort_by(|left, right| left.path.cmp(&right.path));
        let statement = Statement {
            kind,
            id: place.id.clone(),
            version: version.parse().expect("a version"),
            category: place.category.clone(),
            integrity: item.integrity(text, &place, &others).expect("a hash"),
            files: all,
            executor: match &item {
                Item::Tool(tool) => tool.executor.clone(),
                _ => None,
            },
            created: "2026-11-18T00:00:00Z".parse::<ClaimedTime>().expect("a time"),
        };
        let (id, version) = (id.to_owned(), version.to_owned());
        Package { kind, id, version, files, envelope: self.envelope(&statement.payload()) }
    }

    /// Signs any payload as a statement.
    pub(super) fn envelope(&self, payload: &[u8]) -> Value {
        let mut envelope = Envelope::new(PayloadType::Statement, payload.to_vec());
        let signature = self.0.sign(&envelope.message()).to_bytes();
        envelope.add_signature(self.public_key().fingerprint(), signature);
        envelope.to_json()
    }
}

impl Package {
    pub(super) fn item_path(&self, namespace: &str) -> String {
        format!("/api/v1/items/{}/{namespace}/{}", self.kind.name(), self.id)
    }

    pub(super) fn path(&self, namespace: &str) -> String {
        format!("{}/versions/{}", self.item_path(namespace), self.version)
    }

    pub(super) fn body(&self) -> Vec<u8> {
        json!({ "statement": self.envelope }).to_string().into_bytes()
    }

    /// Sends the files.
    #[track_caller]
    pub(super) fn upload(&self, client: &Client, namespace: &str) {
        for (_, bytes) in &self.files {
            let reply = client.send("PUT", &blob_path(namespace, bytes), bytes);
            assert!(matches!(reply.status, 200 | 201), "{}", reply.text());
        }
    }

    /// Sends the statement.
    pub(super) fn submit(&self, client: &Client, namespace: &str) -> Reply {
        let client = client.with_header("content-type", "application/json");
        client.send("PUT", &self.path(namespace), &self.body())
    }

    /// Publishes the item, which succeeds.
    #[track_caller]
    pub(super) fn publish(&self, client: &Client, namespace: &str) -> Value {
        self.upload(client, namespace);
        let reply = self.submit(client, namespace);
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()
    }
}

pub(super) fn blob_path(namespace: &str, bytes: &[u8]) -> String {
    format!("/api/v1/namespaces/{namespace}/blobs/{}", Sha256::digest(bytes))
}
