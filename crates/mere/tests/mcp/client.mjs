// The official TypeScript client against the fixture server: discover or initialize, list, call,
// progress, cancel, elicitation, and one more call. Prints what it saw as one JSON object.
//   node client.mjs legacy|auto|2026-07-28 URL
//   node client.mjs legacy|auto|2026-07-28 COMMAND ARGUMENTS...
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are installed apart from this file.
const installed = createRequire(process.env.MCP_TOOLS + '/package.json');
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const [mode, ...target] = process.argv.slice(2);
const seen = { questions: [], progress: [] };

const client = new Client({ name: 'typescript', version: '1' }, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: mode === '2026-07-28' ? { pin: mode } : mode },
});
client.setRequestHandler('elicitation/create', async (request) => {
  seen.questions.push(request.params.message);
  return { action: 'accept', content: { confirm: true } };
});
const transport = target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'ignore' });
await client.connect(transport);
seen.version = client.getNegotiatedProtocolVersion();

const call = (name, options, seconds) =>
  client.callTool({ name, arguments: seconds === undefined ? {} : { seconds } }, options);
seen.tools = (await client.listTools()).tools.length;
seen.text = (await call('test_simple_text')).content[0].text;
const slow = await call('door_slow', { onprogress: (note) => seen.progress.push([note.progress, note.total, note.message]) }, 0.2);
seen.slow = slow.structuredContent.data.said;
const stop = new AbortController();
setTimeout(() => stop.abort('enough'), 300);
seen.cancelled = await call('door_slow', { signal: stop.signal }, 30).then(() => false, () => true);
seen.answer = (await call('door_question')).structuredContent.data.said;
seen.panicked = await call('door_panic').then(() => false, () => true);
seen.alive = (await call('test_simple_text')).content[0].text === seen.text;
await client.close();
console.log(JSON.stringify(seen));
