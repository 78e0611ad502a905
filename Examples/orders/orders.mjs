// The backend of a shop: POST /orders takes an order only from a genuine app on a genuine device. See orders.py; this is the same
// without a framework.
//
//     node orders.mjs
//
// PORT is where it listens on 127.0.0.1 (3000 without it).
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const { ASSAY_URL, ASSAY_TOKEN, SHOP_APPS, SHOP_ORIGIN, SHOP_SESSIONS, PORT = "3000" } = process.env;
const apps = JSON.parse(SHOP_APPS);
const sessions = new Map(Object.entries(JSON.parse(SHOP_SESSIONS)));
// What an app may put into a record: other members are for this server to state.
const request = ["method", "targetURI", "headers", "body"];
const kinds = new Map([
  ["app-attest.attestation", ["keyId", "attestation", "challenge"]], ["app-attest.request", request],
  ["android-key.attestation", ["certificates", "challenge"]], ["android-key.request", request],
  ["play-integrity.request", request],
].filter(([kind]) => Object.hasOwn(apps, kind.split(".")[0])));
// What an app may know of Assay's answer.
const passed = ["outcome", "remedy", "id", "code", "challenge", "expiresAt", "token", "tokenType", "expiresIn"];
// The outcomes by the statuses of Assay's answers. 401, and 403 without a verdict, are about this server's own token: an outage for apps.
const answers = new Map([[200, ["accept", "reject"]], [403, ["reject"]]]);
for (const status of [201, 400, 413, 422, 429, 503]) answers.set(status, [undefined]);
const orders = new Map(); // By account and the app's ID of the order. In a database, a unique index over both.

class Refusal extends Error {
  constructor(status, code, fields = {}) {
    super(code);
    Object.assign(this, { answer: [status, { code }, fields] });
  }
}

const pick = (object, names) => Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));

function demand(holds, status, code, fields) {
  if (!holds) throw new Refusal(status, code, fields);
}

const app = (kind) => apps[kind.split(".")[0]];

/** The app's record, with what this server states. */
function record(sent, account) {
  demand(kinds.has(sent?.kind) && sent.evidence instanceof Object, 400, "unreadable-record");
  const { kind, evidence, deviceToken } = sent;
  return { id: randomUUID(), kind, app: app(kind), account, deviceToken, evidence: pick(evidence, kinds.get(kind)) };
}

/** The status for the app, what it may know of Assay's answer, and fields. Without an answer of Assay, 503. */
async function ask(path, message) {
  let reply, content;
  try {
    reply = await fetch(ASSAY_URL + path, {
      method: "POST", redirect: "manual", signal: AbortSignal.timeout(10_000), body: JSON.stringify(message),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${ASSAY_TOKEN ?? ""}` },
    });
    content = await reply.json();
    if (!answers.get(reply.status)?.includes(content.outcome)) throw new Error(`${reply.status} ${content.code} ${content.detail}`);
  } catch (error) {
    console.error(`${path}: no answer of Assay: ${error.message}`);
    return [503, { code: "outage" }, { "Retry-After": "5" }];
  }
  const found = pick(content, ["id", "failed", "code", "detail"]);
  if (content.outcome === "reject" || reply.status >= 400) console.error(`${path}: ${JSON.stringify(found)}`);
  const fields = ["Date", "Retry-After"].filter((name) => reply.headers.has(name)).map((name) => [name, reply.headers.get(name)]);
  return [reply.status, pick(content, passed), Object.fromEntries(fields)];
}

async function order(incoming, account, body) {
  // What the app addressed is stated by this server, not by the client's Host. The session's secret stays here.
  const { method, url, rawHeaders, headers: named } = incoming;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [[name, rawHeaders[at + 1]]]))
    .filter(([name]) => !["authorization", "cookie"].includes(name.toLowerCase()));
  const engines = Object.keys(apps);
  const engine = engines.find((name) => named["signature-input"]?.includes(`;tag="${name}"`)) ?? engines[0];
  const evidence = { method, targetURI: SHOP_ORIGIN + url, headers, body: body.toString("base64") };
  const [status, verdict, fields] = await ask("/v1/verify", record({ kind: `${engine}.request`, evidence }, account));
  if (verdict.outcome === "reject") {
    return [["retry", "new-challenge", "new-attestation"].includes(verdict.remedy) ? 401 : 403, verdict, fields];
  }
  if (verdict.outcome !== "accept") return [status, verdict, fields];
  const { id, item, count } = JSON.parse(body) ?? {}; // The bytes that were verified.
  demand(typeof id === "string" && typeof item === "string" && Number.isInteger(count) && count > 0, 422, "no-order");
  // After a lost answer the app signs the order again, and the ID in it makes it the same order, not a second one.
  const key = JSON.stringify([account, id]);
  if (!orders.has(key)) orders.set(key, { id, item, count });
  const kept = orders.get(key);
  return [kept.item === item && kept.count === count ? 201 : 409, { order: kept }, fields];
}

async function route(incoming) {
  const path = incoming.url.split("?")[0];
  demand(incoming.method === "POST" && ["/challenges", "/enrolments", "/tokens", "/orders"].includes(path), 404, "not-found");
  const account = sessions.get(incoming.headers.authorization?.replace(/^Bearer /, ""));
  demand(account, 401, "sign-in", { "WWW-Authenticate": "Bearer" });
  const parts = [];
  for await (const part of incoming) parts.push(part);
  const body = Buffer.concat(parts);
  if (path === "/orders") return order(incoming, account, body);
  const sent = JSON.parse(body);
  demand(sent instanceof Object, 400, "no-object");
  if (path === "/enrolments") return ask("/v1/verify", record(sent, account));
  const rest = pick(sent, ["challenge", "audience", "jkt"]);
  if (path === "/tokens") return ask("/v1/tokens", { ...rest, record: record(sent.record, account) });
  demand(kinds.has(sent.kind), 400, "unknown-kind");
  return ask("/v1/challenges", { app: app(sent.kind), kind: sent.kind });
}

const server = createServer(async (incoming, outgoing) => {
  const [status, content, fields] = await route(incoming).catch((error) => {
    if (error instanceof Refusal) return error.answer;
    if (error instanceof SyntaxError) return [400, { code: "no-json" }, {}];
    console.error(error);
    return [500, {}, {}];
  });
  outgoing.writeHead(status, { "Content-Type": "application/json", ...fields }).end(JSON.stringify(content));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
