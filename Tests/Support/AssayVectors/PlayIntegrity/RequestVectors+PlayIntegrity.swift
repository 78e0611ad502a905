import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Requests whose signature is a standard token, with Google's answer in the record.
extension IntegrityVectorMint {
    /// A request that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - label: the name that derives the token if it differs from the record's.
    ///   - payload: changes Google's answer.
    private func request(
        _ id: String, _ outcome: VectorOutcome, token label: String? = nil, body: [UInt8] = [], nonce: String? = nil,
        change: @escaping (inout SignedRequestBlueprint) -> Void = { _ in },
        minted: @escaping (inout MintedRequest) -> Void = { _ in },
        payload: @escaping (inout StandardAnswerBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            let token = Base64.encode(bytes("request-token-\(label ?? id)", count: 48), .url)
            var blueprint = SignedRequestBlueprint(
                method: body.isEmpty ? "GET" : "POST", targetURI: "https://api.example.com/v1/orders?id=\(label ?? id)",
                evidence: .integrityToken(token), nonce: nonce, createdAt: time)
            blueprint.body = body
            change(&blueprint)
            var request = try blueprint.mint()
            var answer = StandardAnswerBlueprint(
                packageName: Self.packageName, requestHash: request.requestHash, certificateDigests: [digests[0]],
                issuedAt: issuedAt)
            payload(&answer)
            minted(&request)
            guard let decoded = answer.mint().answer.recordContent else { throw MintingError("the answer is no JSON") }
            return request.record(
                id: "request-\(id)", app: Self.app, receivedAt: time, with: [("decoded", decoded)],
                expect: outcome.expectation("play-integrity"))
        }
    }

    private var cases: RequestVectors {
        RequestVectors(time: time) { id, outcome, body, change, minted in
            request(id, outcome, body: body, change: change, minted: minted)
        }
    }

    var requestAccept: [VectorCase] { cases.accepted }
    var requestDecode: [VectorCase] {
        cases.decode + [
            request(
                "token-not-text", .reject("request.decode"), minted: { $0.changeFields({ $0 }) { _ in "assay=:/w==:" } }
            )
        ]
    }
    var requestComponents: [VectorCase] { cases.components }
    var requestFreshness: [VectorCase] { cases.freshness }
    var requestDigests: [VectorCase] {
        cases.digests + [
            {
                try request("digest-not-computed", .reject("request.content-digest"), body: RequestVectors.body) {
                    $0.digests = [.sha512]
                }().replacingBody(with: RequestVectors.body, .sha256)
            },
            {
                try request("with-body-digest", .accept, body: RequestVectors.body)()
                    .replacingBody(with: RequestVectors.body, .sha256)
            },
        ]
    }

    /// Requests that fail the checks of the token.
    var requestToken: [VectorCase] {
        func sent(
            _ id: String, hasBody: Bool = false, _ minted: @escaping (inout MintedRequest) -> Void
        ) -> VectorCase {
            request(id, .reject("request-hash"), body: hasBody ? RequestVectors.body : [], minted: minted)
        }
        return [
            sent("method-changed") { $0.method = "DELETE" },
            sent("path-changed") { $0.targetURI = "https://api.example.com/v1/orders?id=other" },
            sent("host-changed") { $0.targetURI = "https://api.example.org/v1/orders?id=host-changed" },
            sent("nonce-added") { $0.changeFields({ $0.replacing(";tag", with: ";nonce=\"x\";tag") }) { $0 } },
            sent("digest-and-body-changed", hasBody: true) { request in
                request.body = Array("{}".utf8)
                request[field: "Content-Digest"] =
                    "sha-256=:\(Base64.encode(Digest.sha256(Array("{}".utf8)), .standard)):"
            },
            request(
                "of-another-package", .reject("request-package", "app-package"),
                payload: { answer in
                    answer.payload[.requestPackageName] = .text(Self.otherPackageName)
                    answer.payload[.packageName] = .text(Self.otherPackageName)
                }),
            request(
                "testing-response", .reject("testing-response"), payload: { $0.payload[.isTestingResponse] = true }),
        ]
    }

    /// Each token is accepted once: neither the same request nor one with another body is accepted after it.
    var requestReplay: [VectorCase] {
        [
            request("replay-first", .accept, token: "replay"),
            request("replay-again", .reject("challenge"), token: "replay"),
            request(
                "replay-with-the-token-of-another-request", .reject("challenge"), token: "replay",
                body: RequestVectors.body),
        ]
    }

    /// For a policy with `requests.nonce: ledger`.
    var requestNonce: [VectorCase] {
        [
            request("without-nonce", .reject("challenge")), request("nonce-empty", .reject("challenge"), nonce: ""),
            request("nonce-never-issued", .reject("challenge"), nonce: Base64.encode([UInt8].zeros(32), .url)),
        ]
    }
}
