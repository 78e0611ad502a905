// Checks tokens of Assay in a backend, with jose (npm install jose) and nothing of Assay; see check_token.py.
//
//     node check_token.mjs ISSUER AUDIENCE APP [SERVICE] <requests
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, jwtVerify } from "jose";

const [issuer, audience, app, service = issuer] = process.argv.slice(2);
const proofs = new Map();

function demand(holds, reason) {
  if (!holds) throw new Error(reason);
}

async function discover() {
  const answer = await fetch(`${service}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) });
  const metadata = await answer.json();
  demand(metadata.issuer === issuer, `the metadata is of ${metadata.issuer}`);
  return createRemoteJWKSet(new URL(metadata.jwks_uri.replace(issuer, service)), {
    cacheMaxAge: 600_000,
    cooldownDuration: 1000 * Number(process.env.ASSAY_COOLDOWN ?? 30),
  });
}

async function checkProof(thumbprint, method, url, token, proof) {
  demand(proof, "no proof");
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: ["ES256"], typ: "dpop+jwt", clockTolerance: 30, maxTokenAge: 30,
  });
  demand((await calculateJwkThumbprint(protectedHeader.jwk)) === thumbprint, "the proof is of another key");
  const ath = createHash("sha256").update(token).digest("base64url");
  demand(payload.htm === method && payload.htu === url && payload.ath === ath, "the proof is for another request");
  demand(typeof payload.jti === "string", "the proof has no jti");
  // Several processes must share this memory.
  for (const [used, end] of proofs) if (end <= Date.now()) proofs.delete(used);
  const id = `${thumbprint} ${payload.jti}`;
  demand(!proofs.has(id), "the proof was used before");
  proofs.set(id, Date.now() + 121_000);
}

async function check(keys, method, url, token, proof) {
  const { payload } = await jwtVerify(token, keys, { algorithms: ["ES256"], typ: "assay+jwt", issuer, audience });
  demand(typeof payload.aud === "string" && payload.exp && payload.iat && payload.jti, "aud is a list, or a claim is missing");
  demand(payload.app === app, "another app");
  demand(payload.use === undefined, "the token is for one use, which needs a memory that all processes share");
  const isTest = process.env.ASSAY_TEST_TOKENS && ["test", "development"].includes(payload.env);
  demand(payload.env === undefined || isTest, "the token rests on no genuine device");
  if (payload.cnf) await checkProof(payload.cnf.jkt, method, url.split("?")[0], token, proof);
  return payload;
}

const keys = await discover();
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log("accepted", JSON.stringify(await check(keys, ...line.split(" "))));
  } catch (error) {
    console.log("refused", error.message);
  }
}
