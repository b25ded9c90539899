"""Asks the questions of `tests/assistant/questions.csv` with the client of the protocol's own authors.

    client.py <address of /mcp>
    client.py <program> <argument>…    a server over its standard input and output

Ends with 1, and says which, if an answer is not the expected one.
"""

import asyncio
import csv
import json
import re
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

QUESTIONS = Path(__file__).parent.with_name("assistant") / "questions.csv"
LONGEST = 2048


def plain(value):
    """A figure as its digits and its sign: `3 925 €` is `3925`."""
    return re.sub(r"[^0-9,.%-]", "", value).replace(",", ".") if isinstance(value, str) else value


def member(answer, path):
    """A member by its path; the fields of an answer are in `reponse`."""
    found = answer
    for name in path.split("."):
        if isinstance(found, list):
            found = found[int(name)] if int(name) < len(found) else None
        else:
            found = (found or {}).get(name)
    return found if found is not None else answer.get("reponse", {}).get(path)


def mistake(result, expected):
    """What is wrong with a result, if anything is; whether more detail may put it right."""
    answer = result.structured_content or {}
    if not result.content or not result.content[0].text:
        return "no text", False
    if "refus" in expected:
        told = {bad["nom"]: bad["code"] for bad in answer.get("parametres", [])}
        return (None if result.is_error and told == expected["refus"] else str(told)), False
    if result.is_error:
        return result.content[0].text, False
    if not answer.get("lien") and "premier" not in answer:
        return "no link", False
    wrong = [path for path, value in expected.items() if plain(member(answer, path)) != plain(value)]
    return (f"{wrong[0]} is {member(answer, wrong[0])}" if wrong else None), True


async def ask(client, row):
    tool, arguments, expected = row["outil"], json.loads(row["arguments"]), json.loads(row["attendu"])
    result = await client.call_tool(tool, arguments)
    length = len(json.dumps(result.structured_content, ensure_ascii=False).encode()) + len(result.content[0].text.encode())
    if length > LONGEST:
        return f"{length} bytes"
    wrong, may_be_shortened = mistake(result, expected)
    if wrong and may_be_shortened:
        wrong, _ = mistake(await client.call_tool(tool, arguments | {"detail": True}), expected)
    return wrong


async def main(server):
    async with Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        pages = (await client.list_resources()).resources
        page = await client.read_resource(str(pages[-1].uri))
        assert page.contents[0].text.startswith("# "), page
        with QUESTIONS.open(newline="", encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
        wrong = []
        for row in rows:
            assert row["outil"] in tools, row["outil"]
            if found := await ask(client, row):
                wrong.append(f"{row['question']}\n  {row['outil']} {row['arguments']}\n  {row['attendu']}: {found}")
    print(f"{len(rows) - len(wrong)} of {len(rows)} right, {len(tools)} tools, {len(pages)} pages")
    print("\n".join(wrong))
    return 1 if wrong or len(rows) != 300 else 0


if __name__ == "__main__":
    first, *rest = sys.argv[1:]
    server = first if first.startswith("http") else StdioServerParameters(command=first, args=rest)
    sys.exit(asyncio.run(main(server)))
