import Assay
import AssayCore
import AssayPrimitives
package import AssayTesting
package import FoundationEssentials

/// The test vectors of certificates that apps saw.
package enum CertificateVectors: VectorSet {
    package static let name = "mitm"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try CertificateVectorMint(seed: seed, time: time)
        return try [
            VectorDraft("policy.yaml", text: mint.policy()),
            VectorDraft("test-root.pem", text: mint.authority.rootPEM),
            VectorDraft("next-leaf.pem", text: mint.nextLeafPEM),
            VectorDraft("accept.json", mint.accepted), VectorDraft("decode.json", mint.undecodable),
            VectorDraft("binding.json", mint.unbound), VectorDraft("comparison.json", mint.different),
            VectorDraft("replay.json", mint.repeated),
        ] + mint.unreadable()
    }
}

extension CertificateVectorMint {
    var accepted: [VectorCase] {
        let (pinned, issuer) = (Self.pinnedHost, Self.issuerHost)
        return [
            record("mitm-leaf"), record("mitm-next-leaf", chain: [nextLeaf]),
            record("mitm-chain", chain: [leaf, rootCertificate]), record("mitm-pin", host: pinned),
            record("mitm-pin-renewed", host: pinned, chain: [renewedLeaf]),
            record("mitm-pin-issuer", host: issuer, chain: [namedLeaf, rootCertificate]),
            record("mitm-pin-issuer-wildcard", host: issuer, chain: [wildcardLeaf, rootCertificate]),
            record("mitm-skipped", host: Self.skippedHost, chain: [proxyLeaf]),
            record("mitm-presented", host: Self.fetchedHost, change: presented(leaf)),
            record("mitm-presented-differ", host: Self.fetchedHost, change: presented(nextLeaf, leaf)),
        ]
    }

    var undecodable: [VectorCase] {
        let failed = ["decode"]
        let hosts = [
            ("case", "API.example.com"), ("empty", ""), ("port", "api.example.com:443"), ("dot", "api.example.com."),
            ("line", "api.example.com\n"), ("label", "-api.example.com"),
            ("long", String(repeating: "a", count: 64) + ".example.com"),
        ]
        return hosts.map { record("mitm-host-\($0)", host: $1, failed: failed) } + [
            record("mitm-no-certificate", chain: [], failed: failed),
            record("mitm-no-der", chain: [[1, 2, 3]], failed: failed),
            record("mitm-trailing-byte", chain: [leaf + [0]], failed: failed),
            record("mitm-truncated", chain: [leaf.dropLast()], failed: failed),
            record("mitm-long-chain", chain: [[UInt8]](repeating: leaf, count: 17), failed: failed),
            record("mitm-challenge-short", failed: failed, change: replacing("challenge", by: "AAAA")),
            record(
                "mitm-challenge-padded", failed: failed,
                change: replacing("challenge", by: challenge("mitm-challenge-padded") + "=")),
        ]
    }

    var unbound: [VectorCase] {
        func derived(_ id: String, host: String = Self.host, leaf other: [UInt8]? = nil) -> [UInt8] {
            SeenCertificate.evidenceChallenge(challenge(id), host: host, leaf: other ?? leaf)
        }
        let digest = Base64.encode(Digest.sha256(leaf), .url)
        let joined = "assay-certificate\(challenge("mitm-bound-without-lines"))\(Self.host)\(digest)"
        let failed = ["binding"]
        return [
            record(
                "mitm-bound-other-certificate", covered: derived("mitm-bound-other-certificate", leaf: proxyLeaf),
                failed: failed),
            record(
                "mitm-bound-other-host", covered: derived("mitm-bound-other-host", host: Self.pinnedHost),
                failed: failed),
            record("mitm-bound-other-challenge", covered: derived("another"), failed: failed),
            record(
                "mitm-bound-challenge-alone",
                covered: (try? Base64.decode(challenge("mitm-bound-challenge-alone"), .url)) ?? [], failed: failed),
            record("mitm-bound-without-lines", covered: Digest.sha256(Array(joined.utf8)), failed: failed),
            record(
                "mitm-report-exchanged",
                covered: derived("mitm-report-exchanged", leaf: proxyLeaf), failed: failed,
                change: replacing("certificate", by: Base64.encode(leaf, .standard))),
        ]
    }

    var different: [VectorCase] {
        let (pinned, issuer) = (Self.pinnedHost, Self.issuerHost)
        return [
            record("mitm-leaf-proxy", chain: [proxyLeaf], failed: ["leaf"]),
            record("mitm-leaf-renewed", chain: [renewedLeaf], failed: ["leaf"]),
            record("mitm-leaf-second", chain: [proxyLeaf, leaf], failed: ["leaf"]),
            record("mitm-pin-proxy", host: pinned, chain: [proxyLeaf], failed: ["pin"]),
            record("mitm-pin-second", host: pinned, chain: [proxyLeaf, leaf], failed: ["pin"]),
            record("mitm-pin-appended-issuer", host: issuer, chain: [proxyLeaf, rootCertificate], failed: ["pin"]),
            record("mitm-pin-no-issuer", host: issuer, chain: [namedLeaf], failed: ["pin"]),
            record("mitm-pin-issuer-no-name", host: issuer, chain: [nextLeaf, rootCertificate], failed: ["pin"]),
            record("mitm-pin-issuer-other-name", host: issuer, chain: [otherLeaf, rootCertificate], failed: ["pin"]),
            record(
                "mitm-presented-proxy", host: Self.fetchedHost, chain: [proxyLeaf], failed: ["leaf"],
                change: presented(leaf)),
            record("mitm-unknown-host", host: "www.example.com", failed: ["host"]),
        ]
    }

    /// The same record twice.
    var repeated: [VectorCase] {
        [
            record("mitm-once"),
            {
                let first = try record("mitm-once")()
                return EvidenceRecord(
                    id: "mitm-twice", kind: first.kind, app: first.app, receivedAt: first.receivedAt,
                    evidence: first.evidence,
                    expect: VectorOutcome.reject("counter").expectation("app-attest.assertion"))
            },
        ]
    }

    /// Records without a verdict, each with a part of the text replaced.
    func unreadable() throws(MintingError) -> [VectorDraft] {
        let json: String
        do { json = try record("unreadable")().json } catch { throw MintingError("\(error)") }
        return try VectorDraft.unreadable([
            ("host-missing", json, #""host": "api.example.com","#, ""),
            ("host-number", json, #""host": "api.example.com""#, #""host": 1"#),
            ("challenge-missing", json, #""challenge": "\#(challenge("unreadable"))","#, ""),
            ("certificate-and-chain", json, #""host":"#, #""chain": [], "host":"#),
            ("field-unknown", json, #""host":"#, #""expected": [], "host":"#),
            ("binding-of-no-kind", json, #""kind": "app-attest.request""#, #""kind": "app-attest.unknown""#),
            ("binding-nested", json, #""kind": "app-attest.request""#, #""kind": "mitm.certificate""#),
            ("binding-without-evidence", json, #""kind": "app-attest.request""#, #""kind": "none""#),
            ("app-without-section", json, #""app": "\#(Self.app)""#, #""app": "other""#),
        ])
    }
}
