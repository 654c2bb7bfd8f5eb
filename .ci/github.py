"""Compare recorded requests and answers with GitHub's OpenAPI description and its GraphQL schema.

Usage: github.py FOLDER FILE. FOLDER has api.github.com.json and schema.graphql, FILE a line of JSON for each request:
method, path, body, status, answer, test.

A request that was not refused has to be valid: its operation, parameters and body, none of them unknown. An answer is
part of a valid one: it may leave out fields, which the tests' server does, but has no field that GitHub's has not.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from graphql import GraphQLError, build_schema, execute, parse, validate
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 20  # findings
LONG = ("ref", "path", "basehead")  # parameters of a path that may hold a slash
# The type of an object whose type the query does not ask for.
CONCRETE = {"Node": "IssueComment", "Comment": "IssueComment", "GitObject": "Commit", "Actor": "User"}


class Rest:
    """GitHub's OpenAPI description."""

    def __init__(self, path: Path) -> None:
        self.root = json.loads(path.read_bytes())
        self.known: dict[tuple[str, bool], Any] = {}
        ways = sorted(self.root["paths"], key=lambda way: (way.count("{"), way))
        self.ways = [(self.pattern(way), way) for way in ways]

    @staticmethod
    def pattern(way: str) -> re.Pattern[str]:
        """The regular expression of a path such as /repos/{owner}/{repo}."""
        parts = re.split(r"\{([\w-]+)\}", way)
        return re.compile(
            "".join(
                f"(?P<{part.replace('-', '_')}>{'.+' if part in LONG else '[^/]+'})"
                if i % 2
                else re.escape(part)
                for i, part in enumerate(parts)
            )
        )

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any], dict[str, str]] | None:
        """The path, the operation and the parameters in the path."""
        path = re.sub(r"^/repositories/\d+(?=/|$)", "/repos/some/one", path)  # as pages and redirects name it
        for pattern, way in self.ways:
            if (found := pattern.fullmatch(path)) and method.lower() in self.root["paths"][way]:
                return way, self.root["paths"][way][method.lower()], found.groupdict()
        return None

    def at(self, reference: str) -> Any:
        """What a reference names."""
        return functools.reduce(
            lambda node, name: node[name], reference.removeprefix("#/").split("/"), self.root
        )

    def solved(self, node: Any) -> Any:
        """An object, which may be a reference."""
        return self.at(node["$ref"]) if "$ref" in node else node

    def schema(self, node: Any, *, part: bool) -> Any:
        """The JSON Schema of an OpenAPI schema, without references; of a `part` no field is required."""
        if "$ref" in node:
            key = (node["$ref"], part)
            if key not in self.known:
                self.known[key] = {}  # a schema that holds itself allows anything there
                self.known[key] = self.schema(self.at(node["$ref"]), part=part)
            return self.known[key]
        made = {k: v for k, v in node.items() if k in PLAIN}
        for name in ("allOf", "anyOf", "oneOf"):
            if name in node:
                made["anyOf" if part and name == "oneOf" else name] = [
                    self.schema(n, part=part) for n in node[name]
                ]
        if "properties" in node:
            made["properties"] = {k: self.schema(v, part=part) for k, v in node["properties"].items()}
            made["additionalProperties"] = False
        if isinstance(node.get("additionalProperties"), dict):
            made["additionalProperties"] = self.schema(node["additionalProperties"], part=part)
        elif node.get("additionalProperties") is True:
            made["additionalProperties"] = True
        if "items" in node:
            made["items"] = self.schema(node["items"], part=part)
        if part:
            made.pop("required", None)
            made = merged(made)
        return {"anyOf": [made, {"type": "null"}]} if node.get("nullable") else made

    def findings(self, talk: dict[str, Any]) -> Iterator[str]:
        """What is not as GitHub describes it, each with its place in the description."""
        url = urlsplit(talk["path"])
        known = self.operation(talk["method"], url.path)
        if known is None:
            if talk["status"] < 400:
                yield "GitHub has no such operation"
            return
        _, operation, inside = known
        if talk["status"] < 400:
            yield from self.of_parameters(
                operation, inside, dict(parse_qsl(url.query, keep_blank_values=True))
            )
            yield from self.of_body(operation, talk["body"])
        yield from self.of_answer(operation, talk["status"], talk["answer"])

    def of_parameters(self, operation: Any, inside: dict[str, str], query: dict[str, str]) -> Iterator[str]:
        """Findings in the parameters of the path and of the query."""
        known = {(p["in"], p["name"]): p for p in map(self.solved, operation.get("parameters", []))}
        for name in query.keys() - {name for where, name in known if where == "query"}:
            yield f"parameters: GitHub knows no `{name}`"
        for (where, name), parameter in known.items():
            value = query.get(name) if where == "query" else inside.get(name.replace("-", "_"))
            if value is None and parameter.get("required") and where == "query":
                yield f"parameters: `{name}` is missing"
            elif value is not None:
                schema = self.schema(parameter["schema"], part=False)
                yield from found(schema, read(unquote(value), schema), f"parameters/{name}")

    def of_body(self, operation: Any, body: Any) -> Iterator[str]:
        """Findings in what was sent."""
        if "requestBody" not in operation:
            if body:
                yield "requestBody: GitHub takes none"
            return
        wanted = self.solved(operation["requestBody"])
        if body is None and not wanted.get("required"):
            return
        schema = self.schema(wanted["content"]["application/json"]["schema"], part=False)
        yield from found(schema, {} if body is None else body, "requestBody")

    def of_answer(self, operation: Any, status: int, answer: Any) -> Iterator[str]:
        """Findings in what was answered; GitHub's description does not list every refusal."""
        if status >= 300:
            if status != 304 and answer is not None:
                error = {"properties": self.schema(ERROR, part=True)["properties"]}
                yield from found(error, answer, f"responses/{status}")
            return
        if str(status) not in operation["responses"]:
            yield f"responses: GitHub does not answer {status}"
            return
        content = self.solved(operation["responses"][str(status)]).get("content", {})
        if "application/json" in content:
            yield from found(
                self.schema(content["application/json"]["schema"], part=True), answer, f"responses/{status}"
            )
        elif answer is not None:
            yield f"responses/{status}: GitHub answers without content"


PLAIN = (
    "type",
    "enum",
    "required",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
)
ERROR = {"$ref": "#/components/schemas/basic-error"}


def merged(schema: Any) -> Any:
    """A schema whose `allOf` are objects as one object, which has the fields of all of them and no other."""
    parts = schema.get("allOf", [])
    if not parts or not all("properties" in one for one in parts):
        return schema
    rest = {k: v for k, v in schema.items() if k != "allOf"}
    properties = {k: v for one in (rest, *parts) for k, v in one.get("properties", {}).items()}
    return rest | {"properties": properties, "additionalProperties": False}


def read(text: str, schema: Any) -> Any:
    """A parameter's value."""
    if schema.get("type") in ("integer", "boolean"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def found(schema: Any, value: Any, where: str) -> Iterator[str]:
    """Findings in a value, each with the path of the value and of the schema."""
    for error in Draft202012Validator(schema).iter_errors(value):
        deep = error
        while deep.context:
            deep = max(deep.context, key=lambda one: len(one.absolute_path))
        way = "/".join(map(str, deep.absolute_schema_path))
        value_at = "/".join(map(str, deep.absolute_path))
        yield f"{where}: {value_at or 'all of it'}: {deep.message[:200]} (schema: {way})"


class Graph:
    """GitHub's GraphQL schema."""

    def __init__(self, path: Path) -> None:
        # GitHub defines a field twice.
        self.schema = build_schema(path.read_text(encoding="utf-8"), assume_valid=True, assume_valid_sdl=True)

    @functools.cache  # noqa: B019  one object, for the run
    def of_query(self, text: str) -> tuple[str, ...]:
        """Findings in a query."""
        try:
            return tuple(error.message for error in validate(self.schema, parse(text)))
        except GraphQLError as error:
            return (error.message,)

    def findings(self, talk: dict[str, Any]) -> Iterator[str]:
        """What is not of the schema, in the query and in its answer."""
        if talk["status"] != 200 or not isinstance(talk["body"], dict):
            return
        query, answer = talk["body"].get("query", ""), talk["answer"]
        data = answer.get("data")
        if data is None:
            return
        if messages := self.of_query(query):
            yield from (f"query: {message}" for message in messages)
            return
        done = execute(
            self.schema,
            parse(query),
            root_value=data,
            variable_values=talk["body"].get("variables"),
            field_resolver=lambda its, info, **_: its.get(info.path.key),
            type_resolver=lambda its, _, kind: (
                its.get("__typename") or CONCRETE.get(kind.name, "Organization")
            ),
        )
        yield from (f"answer: {error.message} at {error.path}" for error in done.errors or ())
        if not done.errors and done.data != data:
            yield "answer: it has fields that were not asked for, or values of another type"


def wrong(method: str, path: str, body: Any, status: int, answer: Any) -> dict[str, Any]:
    """A request or an answer in which something has to be found."""
    return {"method": method, "path": path, "body": body, "status": status, "answer": answer, "test": "-"}


_NODE = 'query { repository(owner: "a", name: "b") { databaseId } }'
# Were nothing found in one of these, the comparison would be worth nothing.
WRONG = (
    wrong("GET", "/repos/a/b/grades", None, 200, []),
    wrong("GET", "/repos/a/b/activity?colour=red", None, 200, []),
    wrong("GET", "/repos/a/b/activity?direction=down", None, 200, []),
    wrong("POST", "/repos/a/b/statuses/" + "0" * 40, {"state": "good"}, 201, {}),
    wrong("POST", "/repos/a/b/issues", {"body": "without a title"}, 201, {}),
    wrong("GET", "/repos/a/b/issues", None, 200, [{"user": {"login": 1}}]),
    wrong("GET", "/repos/a/b/commits", None, 200, [{"commit": {"sha": "0" * 40}}]),
    wrong("PATCH", "/repos/a/b/issues/1", {"body": "x"}, 200, {"grade": 1}),
    wrong("DELETE", "/repos/a/b/invitations/1", None, 201, None),
    wrong("POST", "/graphql", {"query": "query { grades }"}, 200, {"data": {}}),
    wrong("POST", "/graphql", {"query": _NODE}, 200, {"data": {"repository": {"databaseId": "one"}}}),
)


def main(folder: Path, file: Path) -> int:
    """Print what is not as GitHub describes it, and return the exit code."""
    rest, graph = Rest(folder / "api.github.com.json"), Graph(folder / "schema.graphql")
    for talk in WRONG:
        if not list((graph if talk["path"] == "/graphql" else rest).findings(talk)):
            print(f".ci/github: it finds nothing in {talk}; mend .ci/github.py", file=sys.stderr)
            return 1
    seen, told, ways = set[str](), list[str](), Counter[str]()
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        talk = json.loads(line)
        is_query = urlsplit(talk["path"]).path == "/graphql"
        known = None if is_query else rest.operation(talk["method"], urlsplit(talk["path"]).path)
        name = "graphql" if is_query else known[1]["operationId"] if known else "no operation"
        ways[name] += 1
        for finding in (graph if is_query else rest).findings(talk):
            if (key := f"{name} {re.sub('[0-9a-f]{7,}|[0-9]+', '', finding)}") not in seen:
                seen.add(key)
                told.append(f"{talk['method']} {talk['path']} ({name}), in {talk['test']}\n    {finding}")
    for finding in told[:SHOWN]:
        print(finding, file=sys.stderr)
    if told:
        print(
            f".ci/github: {len(told)} findings; the request, or tests/support/github_server, is wrong",
            file=sys.stderr,
        )
        return 1
    if not ways:
        print(f".ci/github: {file} holds no request; did the tests run?", file=sys.stderr)
        return 1
    print(f".ci/github: {ways.total():,} requests of {len(ways)} operations are as GitHub describes them")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
