//! The proxy of a cell: a tool with granted hosts reaches them and nothing else, by whatever way it
//! tries; a tool without reaches nothing.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::web_server::WebServer;
use crate::support::workshop::{EVERYBODY, Who, Workshop};

/// How long to wait for something that happens at once.
const LONG: Duration = Duration::from_mins(1);

/// A signed tool that asks for these hosts.
fn asking(workshop: &Workshop, (id, runtime): (&str, &str), script: &str, hosts: &[&str]) {
    let permissions = format!("permissions: {{net: {}}}\n", json!(hosts));
    workshop.tool_with(id, runtime, script, &permissions);
}

/// The same, with the hosts granted as private ones.
fn granted(workshop: &Workshop, tool: (&str, &str), script: &str, hosts: &[&str]) {
    asking(workshop, tool, script, hosts);
    for host in hosts {
        workshop.person(&["grant", tool.0, "--net-private", host]);
    }
}

const PYTHON: &str = "
import json, sys, urllib.request, urllib.error
given = json.load(sys.stdin)
def ask(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return [answer.status, answer.read().decode()]
    except urllib.error.HTTPError as error:
        return [error.code, error.read().decode()]
print(json.dumps([ask(url) for url in given['urls']]))
";

#[test]
fn a_tool_reaches_what_was_granted_and_is_told_what_was_not() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let server = WebServer::fixed("200 OK", "", "granted");
        let other = WebServer::fixed("200 OK", "", "other");
        granted(&workshop, ("a", "python_runtime"), PYTHON, &[&server.host()]);
        let urls = [server.host(), other.host()].map(|host| format!("http://{host}/x?y"));
        let reply = workshop.call("a", &json!({ "urls": urls }));
        let data = &reply["data"];
        assert_eq!(data["success"], true, "{reply:#}");
        let stdout = data["stdout"].as_str().unwrap_or_default();
        let told: Value = serde_json::from_str(stdout).expect("JSON");
        assert_eq!(told[0], json!([200, "granted"]), "{reply:#}");
        assert_eq!(told[1][0], 403, "{reply:#}");
        assert!(told[1][1].as_str().is_some_and(|text| text.contains("was not granted")));
        assert_eq!(data["refused_hosts"], json!([other.host()]), "{reply:#}");
        assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("refused_hosts")));
        assert_eq!((server.seen().len(), other.seen().len()), (1, 0));
        let head = &server.seen()[0].head;
        assert!(head.starts_with("GET /x?y HTTP/1.1\r\nHost: 127.0.0.1:"), "{head}");
        assert!(!head.to_ascii_lowercase().contains("proxy"), "{head}");
    }
}

#[test]
fn curl_and_node_go_through_the_proxy_too() {
    let workshop = Workshop::new(Who::Tester);
    let server = WebServer::fixed("200 OK", "", "granted");
    let host = server.host();
    let curl = format!(
        "curl -sS -m 60 http://{host}/a; curl -sS -m 60 -p http://{host}/b\n\
         curl -sS -m 60 -o /dev/null -w '%{{http_code}}' -d x http://127.0.0.1:1/\n\
         env | grep -ic no_proxy; env | grep -ic _proxy=\n"
    );
    granted(&workshop, ("c", "bash_runtime"), &curl, &[&host]);
    let reply = workshop.call("c", &json!({}));
    assert_eq!(reply["data"]["stdout"], "grantedgranted4030\n5\n", "{reply:#}");
    let node = format!(
        "const http = require('http');\n\
         const proxy = new URL(process.env.HTTP_PROXY);\n\
         const options = {{host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: '{host}'}};\n\
         http.request(options).on('connect', (answer, socket) => {{\n\
           http.get({{path: '/n', createConnection: () => socket, headers: {{host: 'x'}}}}, (got) => {{\n\
             got.on('data', (text) => process.stdout.write(answer.statusCode + ' ' + text));\n\
           }});\n\
         }}).end();\n"
    );
    granted(&workshop, ("n", "node_runtime"), &node, &[&host]);
    let reply = workshop.call("n", &json!({}));
    assert_eq!(reply["data"]["stdout"], "200 granted", "{reply:#}");
}

#[test]
fn a_tool_with_a_granted_host_has_no_other_way_out() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let server = WebServer::fixed("200 OK", "", "granted");
        let victim = TcpListener::bind("127.0.0.1:0").expect("a port");
        victim.set_nonblocking(true).expect("a listener");
        let name = format!("mere-test-{}", server.port);
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let socket = UnixListener::bind_addr(&address).expect("an abstract socket");
        socket.set_nonblocking(true).expect("a listener");
        let script = include_str!("attacks/granted_network.py");
        granted(&workshop, ("a", "python_runtime"), script, &[&server.host()]);
        let port = victim.local_addr().expect("an address").port();
        let given = json!({ "port": port, "abstract": name, "granted": server.host() });
        let result = workshop.result("a", &given);
        assert_eq!(result["wrong"], json!([]), "{who:?}");
        assert!(result["tries"].as_u64().is_some_and(|tries| tries > 55), "{result}");
        assert!(victim.accept().is_err() && socket.accept().is_err(), "nobody came");
        assert_eq!(server.seen().len(), 0);
    }
}

#[test]
fn a_name_that_leads_to_this_machine_needs_a_grant_of_its_own() {
    let workshop = Workshop::new(Who::Tester);
    let server = WebServer::fixed("200 OK", "", "granted");
    let host = format!("localhost:{}", server.port);
    asking(&workshop, ("a", "python_runtime"), PYTHON, &[&host]);
    let given = json!({ "urls": [format!("http://{host}/")] });
    workshop.person(&["grant", "a", "--net", &host]);
    let reply = workshop.call("a", &given);
    assert!(reply["data"]["stdout"].as_str().is_some_and(|text| text.contains("private address")));
    assert_eq!(reply["data"]["refused_hosts"], json!([host]), "{reply:#}");
    assert_eq!(server.seen().len(), 0);
    workshop.person(&["grant", "a", "--net-private", &host]);
    assert_eq!(workshop.result("a", &given), json!([[200, "granted"]]));
}

#[test]
fn much_is_passed_on_unchanged_and_many_connections_wait_their_turn() {
    let workshop = Workshop::new(Who::Tester);
    let server = WebServer::start(|request, stream| {
        let body = request.body.repeat(4);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        drop(stream.write_all(head.as_bytes()));
        drop(stream.write_all(body.as_bytes()));
    });
    let script = "
import json, sys, threading, urllib.request
url = json.load(sys.stdin)['url']
body = ('0123456789abcdef' * 65536).encode()
def ask(found):
    with urllib.request.urlopen(url, data=body, timeout=120) as answer:
        found.append(answer.read() == body * 4)
found = []
threads = [threading.Thread(target=ask, args=(found,)) for _ in range(40)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps([len(found), all(found)]))
";
    granted(&workshop, ("a", "python_runtime"), script, &[&server.host()]);
    let given = json!({ "url": format!("http://{}/", server.host()) });
    assert_eq!(workshop.result("a", &given), json!([40, true]));
}

#[test]
fn connections_end_with_the_run() {
    let workshop = Workshop::new(Who::Tester);
    let (ended, ending) = channel();
    let server = WebServer::start(move |_, stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nx"));
        // Returns when the connection is closed.
        let _ = stream.read(&mut [0; 16]);
        let _ = ended.send(());
    });
    let script = "
import json, os, socket, sys, time
host = json.load(sys.stdin)['host']
proxy = socket.create_connection(('127.0.0.1', 3128))
proxy.sendall(f'CONNECT {host} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'.encode())
while b'OK\\r\\n\\r\\nx' not in proxy.recv(4096, socket.MSG_PEEK):
    time.sleep(0.01)
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print('{}')
";
    granted(&workshop, ("a", "python_runtime"), script, &[&server.host()]);
    workshop.result("a", &json!({ "host": server.host() }));
    ending.recv_timeout(LONG).expect("the connection is closed");
}

#[test]
fn a_tool_without_hosts_has_no_proxy_and_no_socket() {
    let workshop = Workshop::new(Who::Tester);
    let script = "
import json, os, socket
try:
    socket.socket()
    made = True
except PermissionError:
    made = False
names = [name for name in os.environ if 'PROXY' in name.upper()]
print(json.dumps([made, names, os.path.exists('/etc/ssl')]))
";
    workshop.tool("a", "python_runtime", script);
    assert_eq!(workshop.result("a", &json!({})), json!([false, [], false]));
}
