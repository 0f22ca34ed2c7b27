"""The official Python client against the fixture server: discover or initialize, list, call,
progress, cancel, elicitation, and one more call. Prints what it saw as one JSON object.

    python client.py legacy|auto|2026-07-28 URL
    python client.py legacy|auto|2026-07-28 COMMAND ARGUMENTS...
"""

import json
import sys

import anyio
import mcp_types
from mcp import Client, StdioServerParameters

MODE, *TARGET = sys.argv[1:]


async def main() -> None:
    seen = {"questions": [], "progress": []}

    async def answer(_context, params):
        seen["questions"].append(params.message)
        return mcp_types.ElicitResult(action="accept", content={"confirm": True})

    async def note(progress, total, message):
        seen["progress"].append([progress, total, message])

    if TARGET[0].startswith("http"):
        server = TARGET[0]
    else:
        server = StdioServerParameters(command=TARGET[0], args=TARGET[1:])
    async with Client(
        server, mode=MODE, elicitation_callback=answer, cache=None, read_timeout_seconds=30
    ) as client:
        seen["version"] = str(client.protocol_version)
        seen["tools"] = len((await client.list_tools()).tools)
        seen["text"] = (await client.call_tool("test_simple_text", {})).content[0].text
        slow = await client.call_tool("door_slow", {"seconds": 0.2}, progress_callback=note)
        seen["slow"] = slow.structured_content["data"]["said"]
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("door_slow", {"seconds": 30})
        seen["cancelled"] = scope.cancelled_caught
        asked = await client.call_tool("door_question", {})
        seen["answer"] = asked.structured_content["data"]["said"]
        try:
            await client.call_tool("door_panic", {})
            seen["panicked"] = False
        except Exception:
            seen["panicked"] = True
        again = (await client.call_tool("test_simple_text", {})).content[0].text
        seen["alive"] = again == seen["text"]
    print(json.dumps(seen))


anyio.run(main)
