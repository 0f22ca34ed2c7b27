"""The official Python client does an agent's first minutes: discover, search, load, get a directive
as a prompt with completion, read resources, see an edit, read a skill and verify it. Prints what it
saw as one JSON object.

    python story.py legacy|auto|2026-07-28 PUBLIC_KEY EDITED_FILE URL
    python story.py legacy|auto|2026-07-28 PUBLIC_KEY EDITED_FILE COMMAND ARGUMENTS...
"""

import base64
import hashlib
import json
import sys
import urllib.parse
from typing import Any

import anyio
import mcp_types as types
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from mcp import Client, StdioServerParameters
from pydantic import ConfigDict

MODE, PUBLIC_KEY, EDITED, *TARGET = sys.argv[1:]
NOTE = "mere://knowledge/api/jwt"


class AnyResult(types.Result):
    """A result of an extension's method, as it is."""

    model_config = ConfigDict(extra="allow")


async def extension(client, method, params):
    request = types.Request[dict[str, Any], str](method=method, params=params)
    result = await client.session.send_request(request, AnyResult)
    return result.model_dump(by_alias=True)


def is_signed(envelope, key):
    kind, body = envelope["payloadType"], base64.b64decode(envelope["payload"])
    encoded = f"DSSEv1 {len(kind)} {kind} {len(body)} ".encode() + body
    try:
        key.verify(base64.b64decode(envelope["signatures"][0]["sig"]), encoded)
    except InvalidSignature:
        return False
    return True


async def see_edit(client, updates):
    """Subscribes, edits the file, and returns the resource that was updated."""

    def edit():
        with open(EDITED, "a") as file:
            file.write("Twice a year.\n")

    if str(client.protocol_version) == "2025-11-25":
        await client.session.subscribe_resource(NOTE)
        edit()
        return await updates.receive()
    async with client.listen(resource_subscriptions=[NOTE]) as subscription:
        edit()
        async for event in subscription:
            return str(event.uri)


async def read_bytes(client, uri):
    content = (await client.read_resource(uri)).contents[0]
    text = getattr(content, "text", None)
    return base64.b64decode(content.blob) if text is None else text.encode()


async def verify_skill(client, seen):
    skills = (await extension(client, "skills/list", {}))["skills"]
    skill = (await extension(client, "skills/get", {"uri": skills[0]["uri"]}))["skill"]
    seen["skill"] = skill["uri"]
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(PUBLIC_KEY.split()[1])[-32:])
    envelope = skill["_meta"]["io.merestone/signed"]["statement"]
    seen["signature"] = is_signed(envelope, key)
    signed = {file["path"]: file["sha256"] for file in json.loads(base64.b64decode(envelope["payload"]))["files"]}
    good = 0
    for resource in skill["resources"]:
        digest = hashlib.sha256(await read_bytes(client, resource["uri"])).hexdigest()
        path = urllib.parse.unquote(resource["uri"][len(skill["uri"]) - len("SKILL.md") :])
        good += resource["digest"] == f"sha256:{digest}" and signed.get(path) == digest
    seen["files"] = good if good == len(signed) else 0


async def main() -> None:
    seen = {}
    sender, updates = anyio.create_memory_object_stream(16)

    async def handle(message):
        message = getattr(message, "root", message)
        if isinstance(message, types.ResourceUpdatedNotification):
            await sender.send(str(message.params.uri))

    server = TARGET[0]
    if not server.startswith("http"):
        server = StdioServerParameters(command=TARGET[0], args=TARGET[1:])
    async with Client(
        server, mode=MODE, cache=None, read_timeout_seconds=30, message_handler=handle
    ) as client:
        seen["version"] = str(client.protocol_version)
        seen["instructions"] = client.instructions.split(".")[0]
        capabilities = client.server_capabilities.model_dump(by_alias=True)
        seen["skills_extension"] = capabilities["extensions"]["io.modelcontextprotocol/skills"]

        async def tool(name, arguments):
            return (await client.call_tool(name, arguments)).structured_content["data"]

        found = (await tool("search", {"query": "signing keys"}))["knowledge"][0]
        seen["found"] = found["ref"]
        loaded = await tool("load", {"item_type": "knowledge", "item_id": found["ref"]})
        seen["title"] = loaded["metadata"]["title"]

        prompts = (await client.list_prompts()).prompts
        prompt = next(one for one in prompts if one.name == "ops/release")
        name = prompt.arguments[0].name
        reference = types.PromptReference(type="ref/prompt", name=prompt.name)
        completed = await client.complete(reference, {"name": name, "value": "st"})
        seen["values"] = completed.completion.values
        got = await client.get_prompt(prompt.name, {name: seen["values"][0]})
        seen["prompt"] = got.messages[0].content.text.split("\n")[0]

        seen["resources"] = [str(one.uri) for one in (await client.list_resources()).resources]
        templates = await client.list_resource_templates()
        seen["templates"] = len(templates.resource_templates)
        seen["before"] = b"Twice a year." in await read_bytes(client, NOTE)
        seen["updated"] = await see_edit(client, updates)
        seen["after"] = b"Twice a year." in await read_bytes(client, NOTE)
        await verify_skill(client, seen)
    print(json.dumps(seen))


async def main_within_a_minute() -> None:
    with anyio.fail_after(60):
        await main()


anyio.run(main_within_a_minute)
