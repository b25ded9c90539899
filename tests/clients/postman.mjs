// The collection that Postman makes of the description, with its parameters from the examples: each request is sent as it is.
// Arguments: the address of the service, the description.
import { equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import converter from "openapi-to-postmanv2";

const [, , origin, path] = process.argv;
const options = { requestParametersResolution: "Example", parametersResolution: "Example" };

const collection = await new Promise((resolve, reject) => {
  converter.convertV2({ type: "string", data: readFileSync(path, "utf8") }, options, (error, made) =>
    made?.result ? resolve(made.output[0].data) : reject(error ?? new Error(made?.reason)),
  );
});

const on = (parts) => (parts ?? []).filter((part) => !part.disabled);
const encoded = (parts) => new URLSearchParams(on(parts).map(({ key, value }) => [key, value ?? ""])).toString();

function* requests(items) {
  for (const { item, request } of items) yield* item ? requests(item) : [request];
}

let sent = 0;
for (const { method, url, header, body } of requests(collection.item)) {
  const variables = Object.fromEntries((url.variable ?? []).map(({ key, value }) => [key, value]));
  const way = url.path.map((part) => (part.startsWith(":") ? variables[part.slice(1)] : part)).join("/");
  const query = encoded(url.query);
  const answer = await fetch(`${origin}/${way}${query && `?${query}`}`, {
    method,
    headers: on(header).map(({ key, value }) => [key, value]),
    body: body?.mode === "urlencoded" ? encoded(body.urlencoded) : body?.raw,
  });
  ok(answer.ok, `${answer.status} ${method} ${way}?${query}: ${await answer.text()}`);
  sent += 1;
}
equal(collection.variable.find(({ key }) => key === "baseUrl").value, JSON.parse(readFileSync(path, "utf8")).servers[0].url);
console.log(`${sent} requests`);
process.exit(0);
