// The official TypeScript client does an agent's first minutes: discover, search, load, get a
// directive as a prompt with completion, read resources, see an edit, read a skill and verify it.
// Prints what it saw as one JSON object.
//   node story.mjs legacy|auto|2026-07-28 PUBLIC_KEY EDITED_FILE URL
//   node story.mjs legacy|auto|2026-07-28 PUBLIC_KEY EDITED_FILE COMMAND ARGUMENTS...
import { createHash, createPublicKey, verify } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are installed apart from this file.
const installed = createRequire(process.env.MCP_TOOLS + '/package.json');
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
const { z } = await load('zod');

const [mode, publicKey, edited, ...target] = process.argv.slice(2);
const seen = {};
const client = new Client({ name: 'typescript', version: '1' }, {
  capabilities: {},
  versionNegotiation: { mode: mode === '2026-07-28' ? { pin: mode } : mode },
});
setTimeout(() => { console.error('it took more than a minute'); process.exit(1); }, 60_000).unref();
const updated = new Promise((resolve) => {
  client.setNotificationHandler('notifications/resources/updated', (note) => resolve(note.params.uri));
});
await client.connect(target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'ignore' }));
seen.version = client.getNegotiatedProtocolVersion();
seen.instructions = client.getInstructions().split('.')[0];
seen.skills_extension = client.getServerCapabilities().extensions['io.modelcontextprotocol/skills'];

const tool = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent.data;
const found = (await tool('search', { query: 'signing keys' })).knowledge[0];
seen.found = found.ref;
seen.title = (await tool('load', { item_type: 'knowledge', item_id: found.ref })).metadata.title;

const prompt = (await client.listPrompts()).prompts.find((one) => one.name === 'ops/release');
const argument = { name: prompt.arguments[0].name, value: 'st' };
seen.values = (await client.complete({ ref: { type: 'ref/prompt', name: prompt.name }, argument })).completion.values;
const got = await client.getPrompt({ name: prompt.name, arguments: { [argument.name]: seen.values[0] } });
seen.prompt = got.messages[0].content.text.split('\n')[0];

seen.resources = (await client.listResources()).resources.map((one) => one.uri);
seen.templates = (await client.listResourceTemplates()).resourceTemplates.length;
const text = async (uri) => (await client.readResource({ uri })).contents[0].text;
const note = 'mere://knowledge/api/jwt';
seen.before = (await text(note)).includes('Twice a year.');
if (seen.version === '2025-11-25') await client.subscribeResource({ uri: note });
else await client.listen({ resourceSubscriptions: [note] });
appendFileSync(edited, 'Twice a year.\n');
seen.updated = await updated;
seen.after = (await text(note)).includes('Twice a year.');

const { skills } = await client.request({ method: 'skills/list', params: {} }, z.looseObject({ skills: z.array(z.any()) }));
const { skill } = await client.request({ method: 'skills/get', params: { uri: skills[0].uri } }, z.looseObject({ skill: z.any() }));
seen.skill = skill.uri;
// The key is an OpenSSH line: a length and `ssh-ed25519`, a length and 32 bytes.
const raw = Buffer.from(publicKey.split(' ')[1], 'base64').subarray(-32);
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
const { payloadType, payload, signatures } = skill._meta['io.merestone/signed'].statement;
const body = Buffer.from(payload, 'base64');
const encoded = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `), body]);
seen.signature = verify(null, encoded, key, Buffer.from(signatures[0].sig, 'base64'));
const signed = JSON.parse(body.toString()).files;
const digests = await Promise.all(skill.resources.map(async ({ uri, digest }) => {
  const [content] = (await client.readResource({ uri })).contents;
  const bytes = Buffer.from(content.text ?? content.blob, content.text === undefined ? 'base64' : 'utf8');
  const path = decodeURIComponent(uri.slice(skill.uri.length - 'SKILL.md'.length));
  const hash = createHash('sha256').update(bytes).digest('hex');
  return digest === `sha256:${hash}` && signed.some((file) => file.path === path && file.sha256 === hash);
}));
seen.files = digests.length === signed.length && digests.every(Boolean) ? digests.length : 0;
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
