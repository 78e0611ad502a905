import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Client attestations that the service issues, before an authorization server of another implementation.
@Suite("Client attestations", .timeLimit(.minutes(30)))
struct ClientAttestationTests {
    private static let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
    private static let server = TestVectors.folder.deletingLastPathComponent()
        .appendingPathComponent("Tests/Support/Peers/authorization_server.py").path
    private static let audience = "https://login.example.com"
    private static let client = TokenTests.client

    /// The body of a request for a token with a new attestation.
    private static func request(
        _ service: RunningService, _ label: String, key: TestKey = client, more: String = ""
    ) throws -> HTTPAnswer {
        let issued = try service.send(
            "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
        let challenge = try #require(issued.json["challenge"] as? String, "\(issued)")
        let thumbprint = JWKThumbprint.p256(client.publicPoint)
        let derived = Digest.sha256(
            Array("assay-token\n\(challenge)\n\(TokenTests.audience)\n\(thumbprint)\n".utf8))
        let record = try Evidence.attestation(
            label, app: "bank", challenge: derived, key: AttestedKey(seed: "assay service", label: label))
        let (x, y) = JWKThumbprint.coordinates(key.publicPoint)
        let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"\#(more)}"#
        return try service.send(
            "POST", "/v1/tokens",
            body:
                #"{"record":\#(record),"challenge":"\#(challenge)","audience":"\#(TokenTests.audience)","jwk":\#(jwk),"keyProof":"\#(try keyProof(challenge, key))"}"#
        )
    }

    /// The proof that the client has the key of its request.
    private static func keyProof(_ challenge: String, _ key: TestKey) throws -> String {
        let claims: JSONItem = [
            "jti": .text(challenge), "htm": "POST", "htu": .text("\(TokenTests.issuer)/v1/tokens"),
            "iat": .integer(Int64(Date().timeIntervalSince1970)), "nonce": .text(challenge),
        ]
        var proof = JWSBlueprint(payload: claims.encoded, signer: .es256(key))
        proof.header["typ"] = "dpop+jwt"
        proof.header["jwk"] = AssayTokenBlueprint.jwk(key)
        return try proof.mint()
    }

    /// - Parameter issuer: `iss`, which -07 demands and -08 has dropped; nil for none.
    private static func proof(
        _ challenge: String, id: String, audience: String = audience, key: TestKey = client,
        issuer: String? = "shop-app"
    ) throws -> String {
        var claims: JSONItem = [
            "aud": .text(audience), "jti": .text(id), "iat": .integer(Int64(Date().timeIntervalSince1970)),
            "challenge": .text(challenge),
        ]
        if let issuer { claims["iss"] = .text(issuer) }
        var proof = JWSBlueprint(payload: claims.encoded, signer: .es256(key))
        proof.header["typ"] = "oauth-client-attestation-pop+jwt"
        return try proof.mint()
    }

    @Test(
        "an authorization server that finds the keys by discovery takes the attestation with a proof of its key",
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs ASSAY_PEERS"),
        arguments: ["keycloak", "draft-11"])
    func authorizationServer(mode: String) throws {
        let service = try TokenTests.start(
            "testAuthorities: allow, format: oauth-client-attestation, clientID: shop-app")
        let answer = try Self.request(service, "phone")
        #expect(answer.status == 201 && answer.json["tokenType"] as? String == "OAuth-Client-Attestation", "\(answer)")
        let attestation = try #require(answer.json["token"] as? String)

        let peer = try LineProcess(
            URL(fileURLWithPath: Self.python),
            [Self.server, "http://127.0.0.1:\(service.port)", TokenTests.issuer, "shop-app", Self.audience, mode])
        func read(_ line: String) throws -> [String: String] {
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
        }
        let challenge = try #require(try read(peer.readLine())["attestation_challenge"])
        func present(_ attestation: String, _ proof: String) throws -> [String: String] {
            try read(peer.ask(#"{"attestation":"\#(attestation)","pop":"\#(proof)"}"#))
        }
        let proof = try Self.proof(challenge, id: "1")
        #expect(try present(attestation, proof) == ["client_id": "shop-app"])
        let invalid = ["error": "invalid_client_attestation"]
        let accepted = ["client_id": "shop-app"]
        let (isKeycloak, stale) = (mode == "keycloak", ["error": "use_attestation_challenge"])
        // Keycloak 26.8 remembers no proofs and has no challenges. The drafts after -07 have no iss in proofs.
        #expect(try present(attestation, proof) == (isKeycloak ? accepted : invalid), "the proof was used")
        #expect(try present(attestation, Self.proof("other", id: "2")) == (isKeycloak ? accepted : stale))
        #expect(
            try present(attestation, Self.proof(challenge, id: "6", issuer: nil)) == (isKeycloak ? invalid : accepted))
        #expect(try present(attestation, Self.proof(challenge, id: "3", audience: "https://other.example")) == invalid)
        let stranger = TestKey(.p256, seed: "assay service", label: "another client")
        #expect(try present(attestation, Self.proof(challenge, id: "4", key: stranger)) == invalid)
        #expect(try present(attestation.withOtherLetter, Self.proof(challenge, id: "5")) == invalid)
        #expect(try present(attestation, attestation) == invalid)

        // The service takes no other key than the one that the evidence covers, and no private one.
        let other = try Self.request(service, "other key", key: stranger)
        #expect(other.status == 422 && other.json["code"] as? String == "evidence-not-bound", "\(other)")
        for (more, word) in [(#","d":"AAAA""#, "private"), (#","kty":"oct""#, "kty")] {
            let refused = try Self.request(service, "private", more: more)
            #expect(refused.status == 400 && refused.body.contains(word), "\(refused)")
        }
        #expect(!service.logText.contains(attestation))
    }
}
