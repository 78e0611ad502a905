// Registers an App Attest key and judges requests through `assay serve`; see client.py.
//
//     node client.mjs challenge APP; node client.mjs verify RECORD.json
//
// ASSAY_URL is the service, ASSAY_TOKEN the token of `assay operators add`. Exit status: 0 accepted, 1 rejected, 2 error, 3 outage.
import { readFile } from "node:fs/promises";

class Outage extends Error {}

/** Posts a JSON body. Repeats in an outage, as the service says. */
async function call(path, body, attempts = 3) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    let wait = 1;
    try {
      const answer = await fetch(process.env.ASSAY_URL + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${process.env.ASSAY_TOKEN ?? ""}` },
        body,
        signal: AbortSignal.timeout(10_000),
      });
      const json = await answer.json();
      if (answer.ok) return json;
      console.error(`${json.code}: ${json.detail}`);
      if (answer.status !== 503) process.exit(2);
      wait = Number(answer.headers.get("retry-after") ?? 1);
    } catch {
      // The service cannot be reached.
    }
    if (attempt < attempts) await new Promise((done) => setTimeout(done, wait * 1000));
  }
  throw new Outage(`no answer from ${process.env.ASSAY_URL}${path}`);
}

const [command, argument] = process.argv.slice(2);
try {
  if (!process.env.ASSAY_URL) throw new Error("ASSAY_URL is not set");
  if (command === "challenge") {
    const body = JSON.stringify({ app: argument, kind: "app-attest.attestation" });
    console.log((await call("/v1/challenges", body)).challenge);
  } else if (command !== "verify") {
    throw new Error(`unknown command ${command}: expected challenge APP or verify FILE`);
  } else {
    const verdict = await call("/v1/verify", await readFile(argument, "utf8"));
    if (verdict.outcome !== "accept") {
      // Tell the app what it can do, and nothing about why.
      console.error("rejected:", verdict.failed.join(", "), "remedy:", verdict.remedy ?? "none");
      process.exitCode = 1;
    }
  }
} catch (error) {
  // In an outage there is no verdict: let no request in, and have the client try again later.
  console.error(error.message);
  process.exitCode = error instanceof Outage ? 3 : 2;
}
