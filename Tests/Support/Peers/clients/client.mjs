// Posts three requests, pauses, and posts two more, with Node's client as it is: client.mjs URL SECONDS
const [url, pause] = process.argv.slice(2);
for (let index = 0; index < 5; index++) {
  if (index === 3) await new Promise((done) => setTimeout(done, 1000 * pause));
  const body = JSON.stringify({ app: "bank", kind: "app-attest.attestation" });
  const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  await answer.text();
  console.log(answer.status);
}
