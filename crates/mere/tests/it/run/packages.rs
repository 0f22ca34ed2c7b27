//! Interpreters and packages: fetched when a person asks for it, and shown read-only.

use serde_json::json;

use crate::support::workshop::{EVERYBODY, Who, Workshop, manifest};

/// What pip and npm need to know of the network they are in.
fn connected(who: Who) -> Workshop {
    let mut workshop = Workshop::new(who);
    let starts = ["PIP_", "NPM_", "npm_", "HTTP", "http", "SSL_", "NODE_EXTRA_"];
    for (name, value) in std::env::vars() {
        if name == "PATH" || starts.iter().any(|start| name.starts_with(start)) {
            workshop.stage.setting(&name, &value);
        }
    }
    workshop
}

#[test]
fn a_python_tool_gets_what_its_requirements_ask_for() {
    for who in EVERYBODY {
        let workshop = connected(who);
        workshop.stage.file("project/.ai/tools/t/needs.requirements.txt", "six==1.16.0\n");
        let script = "import json, six\nprint(json.dumps([six.__version__, six.__file__]))\n";
        workshop.tool("needs", "python_runtime", script);
        let reply = workshop.call("needs", &json!({}));
        assert_eq!(reply["code"], "EX-RUN-I-003", "{reply:#}");
        assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("mere prepare t/needs")));
        workshop.person(&["prepare", "t/needs"]);
        let result = workshop.result("needs", &json!({}));
        assert_eq!(result, json!(["1.16.0", "/packages/six.py"]), "{who:?}");
        // Another list of requirements is another set.
        workshop.stage.file("project/.ai/tools/t/needs.requirements.txt", "six==1.17.0\n");
        workshop.sign("needs");
        assert_eq!(workshop.call("needs", &json!({}))["code"], "EX-RUN-I-003");
    }
}

#[test]
fn a_node_tool_gets_what_its_package_json_asks_for() {
    let workshop = connected(Who::Tester);
    let folder = "project/.ai/tools/t/odd";
    let package = r#"{"private": true, "dependencies": {"is-number": "7.0.0"}}"#;
    workshop.stage.file(&format!("{folder}/package.json"), package);
    let text = manifest("odd", "node_runtime", "main.mjs");
    workshop.stage.file(&format!("{folder}/manifest.yaml"), &text);
    workshop.stage.file(
        &format!("{folder}/main.mjs"),
        "import isNumber from 'is-number';\nimport {createRequire} from 'module';\n\
         const again = createRequire(import.meta.url)('is-number');\n\
         console.log(JSON.stringify([isNumber(5), again('x')]));\n",
    );
    workshop.sign("odd");
    workshop.person(&["prepare", "odd"]);
    assert_eq!(workshop.result("odd", &json!({})), json!([true, false]));
}

#[test]
fn an_interpreter_of_the_users_own_is_used_where_it_is() {
    let workshop = Workshop::new(Who::Tester);
    // A folder with an interpreter, and something beside its `bin`.
    let bash = std::fs::read("/usr/bin/bash").expect("bash");
    let own = workshop.stage.path("home/lang/bin/bash");
    std::fs::create_dir_all(own.parent().expect("a folder")).expect("folders");
    std::fs::write(&own, bash).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&own, mode).expect("executable");
    workshop.stage.file("home/lang/lib/word", "beside\n");
    workshop.stage.file("home/secret", "hush");
    let config =
        "sign: {unattended: true}\nruntimes: {bash_runtime: {interpreter: ~/lang/bin/bash}}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    workshop.tool(
        "which",
        "bash_runtime",
        "echo $BASH; cat /interpreter/lib/word; cat /interpreter/../secret; touch /interpreter/x\n",
    );
    let reply = workshop.call("which", &json!({}));
    assert_eq!(reply["data"]["stdout"], "/interpreter/bin/bash\nbeside\n", "{reply:#}");
    let stderr = reply["data"]["stderr"].as_str().unwrap_or_default();
    assert!(stderr.contains("Read-only") && !stderr.contains("hush"), "{stderr}");
    // What a project says of interpreters counts for nothing.
    workshop.stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let project = "runtimes: {bash_runtime: {interpreter: /usr/bin/false}}\n";
    workshop.stage.file("project/.ai/config.yaml", project);
    let reply = workshop.call("which", &json!({}));
    assert!(
        reply["data"]["stdout"].as_str().is_some_and(|stdout| stdout.contains("/usr/bin/bash"))
    );
}

#[test]
fn what_is_not_there_is_said_with_what_to_do() {
    let workshop = Workshop::new(Who::Tester);
    let text =
        manifest("none", "subprocess", "none.sh").replace("manifest: {entrypoint: none.sh}\n", "");
    workshop.manifest("none", &text, "config: {command: [no-such-program]}\n");
    let reply = workshop.call("none", &json!({}));
    assert_eq!(reply["code"], "EX-RUN-I-003", "{reply:#}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("interpreter")), "{reply:#}");
    workshop.tool("plain", "bash_runtime", "true\n");
    let output = workshop.person(&["prepare", "plain"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("needs no packages"));
    let config = "sign: {unattended: true}\nruntimes: {bash_runtime: {interpreter: /no/such}}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    assert_eq!(workshop.call("plain", &json!({}))["code"], "EX-RUN-I-003");
}

#[test]
fn requirements_are_names_and_versions_and_nothing_else() {
    let workshop = Workshop::new(Who::Tester);
    let sdist = workshop.stage.file("beside/evil-1.0.tar.gz", "no archive");
    let evil = format!("evil @ file://{}\n", sdist.display());
    for line in [
        &*evil,
        "--no-binary :all:\nsix==1.16.0\n",
        "-e .\n",
        "--index-url https://example.com\n",
        "./evil-1.0.tar.gz\n",
        "git+https://example.com/evil\n",
        "https://example.com/evil-1.0.tar.gz\n",
        "-r other.txt\n",
        "six==1.16.0 --no-binary=six\n",
    ] {
        workshop.stage.file("project/.ai/tools/t/asks.requirements.txt", line);
        workshop.tool("asks", "python_runtime", "print(1)\n");
        let output = workshop.command().args(["prepare", "asks"]).output().expect("runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {stderr}");
        assert!(stderr.contains("of the requirements contains more than"), "{line}: {stderr}");
    }
}

#[test]
fn an_interpreter_shows_no_more_than_is_its_own() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("plain", "bash_runtime", "ls /interpreter\n");
    let bash = std::fs::read("/usr/bin/bash").expect("bash");
    for place in ["home/bin/bash", "home/bash", "home/.config/bin/bash", "venv/bin/bash"] {
        let own = workshop.stage.path(place);
        std::fs::create_dir_all(own.parent().expect("a folder")).expect("folders");
        std::fs::write(&own, &bash).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&own, mode).expect("executable");
        workshop.stage.file("venv/pyvenv.cfg", "");
        let config = "sign: {unattended: true}\nruntimes: {bash_runtime: {interpreter: '";
        let config = format!("{config}{}'}}}}\n", own.display());
        workshop.stage.file("home/.ai/config.yaml", &config);
        let reply = workshop.call("plain", &json!({}));
        assert_eq!(reply["code"], "EX-RUN-I-003", "{place} {reply:#}");
    }
}

#[test]
fn a_package_lock_is_honoured_and_refused_if_it_leads_elsewhere() {
    let workshop = connected(Who::Tester);
    let folder = "project/.ai/tools/t/n";
    let manifest = crate::support::workshop::manifest("n", "node_runtime", "main.js");
    workshop.stage.file(&format!("{folder}/manifest.yaml"), &manifest);
    workshop.stage.file(
        &format!("{folder}/main.js"),
        "console.log(require('is-number/package.json').version)\n",
    );
    let package =
        r#"{"name": "n", "version": "1.0.0", "dependencies": {"is-number": "^7.0.0 || ^6.0.0"}}"#;
    workshop.stage.file(&format!("{folder}/package.json"), package);
    let lock = |resolved: &str, integrity: &str| {
        format!(
            r#"{{"name": "n", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {{
            "": {{"name": "n", "version": "1.0.0", "dependencies": {{"is-number": "^7.0.0 || ^6.0.0"}}}},
            "node_modules/is-number": {{"version": "6.0.0", {resolved}, "integrity": "{integrity}",
            "engines": {{"node": ">=0.10.0"}}}}}}}}"#
        )
    };
    let sign = || workshop.person(&["sign", "tool", "t/n"]);
    let file = format!("{folder}/package-lock.json");
    let pinned = "sha512-Wu1VHeILBK8KAWJUAiSZQX94GmOE45Rg6/538fKwiloUu21KncEkYGPqob2oSZ5mUT73vLGrHQjKw3KMPwfDzg==";
    for resolved in [
        r#""resolved": "git+ssh://git@example.org/x.git""#,
        r#""resolved": "file:../x.tgz""#,
        r#""link": true"#,
    ] {
        workshop.stage.file(&file, &lock(resolved, pinned));
        sign();
        let output = workshop.command().args(["prepare", "n"]).output().expect("mere runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && words.contains("package-lock.json"), "{words}");
    }
    // npm takes the pinned version, although a newer one would fit, and refuses another hash.
    let resolved = r#""resolved": "https://registry.example/is-number/-/is-number-6.0.0.tgz""#;
    workshop.stage.file(&file, &lock(resolved, &pinned.replace("Wu1V", "Wu2V")));
    sign();
    assert!(!workshop.command().args(["prepare", "n"]).output().expect("runs").status.success());
    workshop.stage.file(&file, &lock(resolved, pinned));
    sign();
    workshop.person(&["prepare", "n"]);
    assert_eq!(workshop.call("n", &json!({}))["data"]["stdout"], "6.0.0\n");
}
