// What a browser keeps of the answers of the API: nothing that another caller gets, no quota of an earlier call.

import assert from "node:assert/strict";
import { base, browser } from "./driver.mjs";

const page = await browser.newPage();
await page.goto(base);

// A call as a script of the page makes it, with the cache of the browser.
const call = (key) =>
  page.evaluate(async (key) => {
    const answer = await fetch("/api/v1/ir?revenu=31000", { headers: key ? { "X-API-Key": key } : {} });
    return { status: answer.status, quota: answer.headers.get("ratelimit"), tax: (await answer.json()).impot_net };
  }, key);

const first = await call();
assert.equal(first.status, 200);
const again = await call();
assert.deepEqual([again.status, again.tax], [200, first.tax]);
assert.notEqual(again.quota, first.quota, "the quota is that of the call");
assert.equal((await call("bma_000000000000000000000000000000000000")).status, 401, "a wrong key is refused");
assert.equal((await call()).status, 200);
await browser.close();
