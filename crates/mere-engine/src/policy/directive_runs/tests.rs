//! What a run of a directive permits.

use mere_core::request::LookupScope;

use super::*;

fn permission(access: PermittedAccess, resource: PermittedResource) -> DirectivePermission {
    DirectivePermission { access, resource }
}

fn bound(permissions: &[DirectivePermission]) -> RunPermit {
    let directive = "a/follow".parse().expect("a reference");
    let stores = ["ROOT_PROJECT:/.ai/memories/".parse().expect("an address")];
    let limits = RunLimits::new(directive, permissions, &stores);
    permit_call(RunBond::Limits(Arc::new(limits)), &Verb::Help { topic: None })
}

fn check(permitted: Result<(), RunRefusal>, missing: Option<&str>) {
    let found = permitted.err().map(|refusal| match refusal {
        RunRefusal::Missing(missing) => missing.to_string(),
        RunRefusal::HandleNeeded => "a handle".to_owned(),
    });
    assert_eq!(found.as_deref(), missing);
}

#[test]
fn only_what_is_listed_is_permitted_and_what_is_missing_is_named() {
    let permit = bound(&[
        permission(PermittedAccess::Execute, PermittedResource::Tool("web_search".to_owned())),
        permission(PermittedAccess::Execute, PermittedResource::Tool("ops/deploy".to_owned())),
        permission(PermittedAccess::Execute, PermittedResource::Tool("pinned@1.0.0".to_owned())),
        permission(PermittedAccess::Read, PermittedResource::Tool("reader".to_owned())),
        permission(PermittedAccess::Write, PermittedResource::Filesystem("src/**".to_owned())),
        permission(PermittedAccess::Read, PermittedResource::Filesystem("docs/**".to_owned())),
        permission(PermittedAccess::Write, PermittedResource::Memory("api".to_owned())),
        permission(PermittedAccess::Read, PermittedResource::Memory("web".to_owned())),
    ]);
    let tool = |text: &str| permit.permit_tool(&text.parse().expect("a reference"));
    check(tool("web_search"), None);
    check(tool("any/web_search"), None);
    check(tool("ops/deploy"), None);
    check(tool("deploy"), Some("tool deploy"));
    check(tool("dev/deploy"), Some("tool dev/deploy"));
    check(tool("reader"), Some("tool reader"));
    check(tool("web_search@2.0.0"), None);
    check(tool("pinned@1.0.0"), None);
    check(tool("pinned@2.0.0"), Some("tool pinned@2.0.0"));
    check(tool("pinned"), Some("tool pinned"));
    let write = |text: &str| permit.permit_write(&text.parse().expect("an address"));
    check(write("ROOT_PROJECT:/src/a.rs"), None);
    check(write("ROOT_WORKSPACE:/src/a.rs"), None);
    check(write("ROOT_PROJECT:/docs/a.md"), Some("filesystem write docs/a.md"));
    check(write("ROOT_USER:/src/a.rs"), Some("filesystem write ROOT_USER:/src/a.rs"));
    let memory = |text: &str| permit.permit_memory(&text.parse().expect("a path"));
    check(memory("api/one"), None);
    check(memory("api/deep/one"), None);
    check(memory("apis/one"), Some("memory write apis/one"));
    check(memory("web/one"), Some("memory write web/one"));
    check(memory("one"), Some("memory write one"));
    let limits = permit.read_limits().expect("limits");
    let reads = |path: &str| limits.read_coverage(&Root::Project, path);
    assert_eq!(reads("src/a.rs"), RunCoverage::Reached, "what is written may be read");
    assert_eq!(reads("docs/a.md"), RunCoverage::Reached);
    assert_eq!(reads(".ai/memories/web/one.md"), RunCoverage::Reached);
    assert_eq!(reads(".ai/memories/one.md"), RunCoverage::Outside);
    assert_eq!(reads(".ai/tools/web_search.yaml"), RunCoverage::Outside);
}

#[test]
fn the_directive_and_its_tools_are_loaded_wherever_they_lie() {
    let tool = PermittedResource::Tool("web_search".to_owned());
    let tools = [permission(PermittedAccess::Execute, tool)];
    for ((kind, item), is_listed) in [
        ((ItemType::Directive, "a/follow"), true),
        ((ItemType::Tool, "web_search"), true),
        ((ItemType::Directive, "other"), false),
        ((ItemType::Tool, "other"), false),
        ((ItemType::Knowledge, "follow"), false),
    ] {
        let item = item.parse().expect("a reference");
        let load = Load {
            kind,
            item,
            source: LookupScope::default(),
            destination: None,
            version: None,
            relationships: None,
        };
        let verb = Verb::Items(ItemVerb::Load(load));
        let permit = permit_call(bound(&tools).bond, &verb);
        assert_eq!(permit.read_limits().is_none(), is_listed);
    }
}

#[test]
fn a_path_can_name_its_root() {
    let notes = PermittedResource::Filesystem("ROOT_WORKSPACE:/".to_owned());
    let permit = bound(&[permission(PermittedAccess::Write, notes)]);
    let write = |text: &str| permit.permit_write(&text.parse().expect("an address"));
    check(write("ROOT_WORKSPACE:/notes.md"), None);
    check(write("ROOT_PROJECT:/notes.md"), Some("filesystem write notes.md"));
}

#[test]
fn a_call_that_must_name_its_run_writes_nothing() {
    let permit = permit_call(RunBond::HandleNeeded, &Verb::Help { topic: None });
    check(permit.permit_tool(&"a".parse().expect("a reference")), Some("a handle"));
    let address = "ROOT_WORKSPACE:/a".parse().expect("an address");
    check(permit.permit_write(&address), Some("a handle"));
    check(permit.permit_category(&Category::default()), Some("a handle"));
    assert!(permit.read_limits().is_none());
}
