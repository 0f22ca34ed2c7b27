//! Variables that choose code belong to `mere`: a workspace holds bytes that nobody has signed.

use serde_json::json;

use crate::support::workshop::{Who, Workshop};

#[test]
fn no_manifest_points_an_interpreter_or_loader_at_the_workspace() {
    let workshop = Workshop::new(Who::Tester);
    // An agent leaves a module with the name of one that the script imports.
    workshop.stage.file("project/.ai/workspaces/default/colorsys.py", "print('taken over')\n");
    for (variable, value) in [
        ("PYTHONPATH", "/work"),
        ("PYTHONSTARTUP", "/work/colorsys.py"),
        ("PYTHONHOME", "/work"),
        ("LD_PRELOAD", "/work/evil.so"),
        ("LD_LIBRARY_PATH", "/work"),
        ("NODE_OPTIONS", "--require /work/evil.js"),
        ("BASH_ENV", "/work/evil.sh"),
        ("PATH", "/work"),
        ("HOME", "/work"),
    ] {
        let more = format!("env_config: {{{variable}: {{value: '{value}'}}}}\n");
        workshop.tool_with("a", "python_runtime", "import colorsys\nprint('own')\n", &more);
        let reply = workshop.call("a", &json!({}));
        assert_eq!(reply["reply_type"], "I", "{variable}: {reply:#}");
        assert_eq!(reply["data"]["field"], format!("env_config.{variable}"), "{reply:#}");
        assert!(!reply.to_string().contains("taken over"), "{reply:#}");
    }
}

#[test]
fn an_executor_of_ones_own_may_not_set_them_either() {
    let workshop = Workshop::new(Who::Tester);
    let runtime = "tool_id: own\nversion: 1.0.0\ntool_type: runtime\nexecutor_id: subprocess\n\
        description: An executor\nconfig:\n  command: [python3, '${entrypoint}']\n  env_config:\n    \
        PYTHONPATH: {value: /work}\n";
    workshop.manifest("own", runtime, "");
    workshop.tool("a", "own", "print('ran')\n");
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["reply_type"], "I", "{reply:#}");
    assert!(!reply.to_string().contains("ran\\n"), "{reply:#}");
}

#[test]
fn variables_that_choose_no_code_are_given() {
    let workshop = Workshop::new(Who::Tester);
    let script = "import os\nprint(os.environ['API_BASE'], os.environ['PYTHONHASHSEED'])\n";
    let more = "env_config: {API_BASE: {value: base}, PYTHONHASHSEED: {value: '7'}}\n";
    workshop.tool_with("a", "python_runtime", script, more);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["data"]["stdout"], "base 7\n", "{reply:#}");
}
