//! Any bytes are refused, or are an entry, a bundle, a record, a proof or a body that is written as
//! it was read; no proof ever verifies.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::log::{BundleId, EntryBundle, LogEntry, LogSigner, OfflineProof};
use mere_core::registry::{
    ApiPath, RegistryInfo, RegistryItemPage, RegistryQuery, TokenScope, VersionInfo, VersionRecord,
    format_body, parse_body,
};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(entry) = LogEntry::parse(bytes) {
        assert_eq!(entry.payload(), bytes);
    }
    if let Ok(record) = VersionRecord::parse(bytes) {
        assert_eq!(record.payload(), bytes);
    }
    let width = u16::from(bytes.first().copied().unwrap_or(0)) + 1;
    let id = BundleId::new(0, width).expect("a bundle");
    if let Ok(bundle) = EntryBundle::parse(id, bytes) {
        assert_eq!(bundle.to_bytes(), bytes);
    }
    if let Ok(proof) = OfflineProof::parse(bytes) {
        let name = "log.example".parse().expect("a name");
        let log = LogSigner::new(name, &[1; 32]).expect("a key");
        assert!(proof.verify(log.key()).is_err());
        assert_eq!(OfflineProof::parse(proof.to_text().as_bytes()), Ok(proof));
    }
    if let Ok(info) = parse_body::<VersionInfo>(bytes) {
        let written = format_body(&info).expect("a body");
        assert_eq!(parse_body(&written), Ok(info));
    }
    if let Ok(page) = parse_body::<RegistryItemPage>(bytes) {
        let written = format_body(&page).expect("a body");
        assert_eq!(parse_body(&written), Ok(page));
    }
    let _ = parse_body::<RegistryInfo>(bytes);
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(path) = text.parse::<ApiPath>() {
        assert_eq!(path.to_string(), text);
    }
    if let Ok(scope) = text.parse::<TokenScope>() {
        assert_eq!(scope.to_string(), text);
    }
    if let Ok(query) = text.parse::<RegistryQuery>() {
        assert_eq!(query.to_string().parse(), Ok(query));
    }
});
