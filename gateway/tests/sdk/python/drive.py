"""Asks a gateway by the official library, and prints what came of each case.

In: the gateway's address and token as arguments, cases as JSON lines on standard input. Out: a JSON line for each case.
"""

import json
import sys

import anthropic

client = anthropic.Anthropic(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0, timeout=20)


def block(found):
    kept = {"type": found.type}
    for key in ("text", "thinking", "name", "input"):
        if getattr(found, key, None) is not None:
            kept[key] = getattr(found, key)
    return kept


def message(found):
    return {
        "model": found.model,
        "content": [block(one) for one in found.content],
        "stop_reason": found.stop_reason,
        "input_tokens": found.usage.input_tokens,
        "output_tokens": found.usage.output_tokens,
    }


def asked(case):
    return {key: case[key] for key in ("model", "messages", "max_tokens", "tools", "thinking") if key in case}


def run(case):
    if case["how"] == "message":
        return message(client.messages.create(**asked(case)))
    if case["how"] == "count":
        request = asked(case)
        del request["max_tokens"]
        return {"input_tokens": client.messages.count_tokens(**request).input_tokens}
    if case["how"] == "models":
        return {"models": [model.id for model in client.models.list()]}
    with client.messages.stream(**asked(case)) as stream:
        kinds = [event.type for event in stream if event.type == "content_block_start"]
        return {**message(stream.get_final_message()), "blocks": len(kinds)}


for line in sys.stdin:
    try:
        said = run(json.loads(line))
    except anthropic.APIStatusError as error:
        body = error.body if isinstance(error.body, dict) else {}
        said = {"status": error.status_code, "error": body.get("error", {}).get("type")}
        said["request_id"] = str(body.get("request_id", "")).startswith("req_")
    print(json.dumps(said, sort_keys=True), flush=True)
