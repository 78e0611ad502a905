import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation

/// What stands around evidence that costs little, an answer of Google in a record: the certificate that the app saw, and the exchange for
/// tokens. Each is to be compared with `answer-record`.
enum AnswerPaths {
    private static let now = AppAttestPaths.now
    private static let package = PlayIntegrityPaths.packageName
    private static let host = "api.example.com"

    static var all: [HotPath] {
        [
            HotPath("answer-record", count: 100) { try verified($0) },
            HotPath("answer-certificate", count: 100) { try verified($0, leaf: leaf()) },
            HotPath("exchange-answer", count: 100) { try exchanged($0, [TokenPaths.audience]) },
            HotPath("exchange-answer-two", count: 100) { try exchanged($0, [TokenPaths.audience, "orders"]) },
        ]
    }

    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("there are no files") }
    }

    private static func policy(_ sections: String) throws -> VerificationPolicy {
        try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop
                playIntegrity:
                  packageName: \(package)
                  certificateDigests: [\(Base64.encode(PlayIntegrityPaths.certificateDigest, .url))]
                  answers: caller
            \(sections)
            """, file: nil, files: NoFiles())
    }

    private static func record(over hash: [UInt8]) throws -> EvidenceRecord {
        try StandardAnswerBlueprint(
            packageName: package, requestHash: Base64.encode(hash, .url),
            certificateDigests: [PlayIntegrityPaths.certificateDigest], issuedAt: now
        ).mint().record(id: "answer", app: "shop")
    }

    private static func challenge(_ number: Int) -> String {
        Base64.encode(Digest.sha256(Array("answer \(number)".utf8)), .url)
    }

    /// The leaf of a host, self-signed.
    private static func leaf() throws -> [UInt8] {
        try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, host)]), key: TokenPaths.key,
            notBefore: now.addingTimeInterval(-86_400), notAfter: now.addingTimeInterval(86_400)
        ).certificate
    }

    private static func verified(_ total: Int, leaf: [UInt8]? = nil) throws -> HotPath.Work {
        let certificates = leaf.map {
            "    certificates: { hosts: { \(host): { leaves: [\(Digest.sha256($0).hexadecimal)] } } }"
        }
        let verifier = Verifier(policy: try policy(certificates ?? ""), ledger: MemoryLedger())
        let records = try (0..<total).map { number in
            guard let leaf else { return try record(over: Digest.sha256(Array(challenge(number).utf8))) }
            let seen = SeenCertificate(host: host, chain: [leaf], challenge: challenge(number))
            let derived = SeenCertificate.evidenceChallenge(seen.challenge, host: host, leaf: leaf)
            return EvidenceRecord(seen, carriedBy: try record(over: derived))
        }
        var next = 0
        return { count in
            for _ in 0..<count {
                let verdict = try await verifier.verify(records[next], at: now)
                try require(verdict.outcome == .accept, "\(verdict)")
                next += 1
            }
        }
    }

    private static func exchanged(_ total: Int, _ audiences: [String]) throws -> HotPath.Work {
        let tokens = """
                tokens:
                  issuer: \(TokenPaths.issuer)
                  audiences: [\(audiences.joined(separator: ", "))]
                  callerEvidence: allow
            """
        // A scalar of P-256, and a secret.
        let base64 = Base64.encode([UInt8](repeating: 7, count: 32), .standard)
        let window = KeyWindow(notBefore: now.addingTimeInterval(-86_400), notAfter: nil)
        let keys = [
            NamedKey(
                name: "signer", window: window,
                material: try TokenKey(parts: [
                    TokenKey.privateKeyPart: SecretBytes(Array(base64.utf8))
                ])),
            NamedKey(
                name: "subjects", window: window,
                material: try TokenSecret(parts: [
                    TokenSecret.secretPart: SecretBytes(Array(base64.utf8))
                ])),
        ]
        let verifier = Verifier(
            policy: try policy(tokens), ledger: MemoryLedger(), keyStores: [StaticKeyStore(keys)])
        let thumbprint = JWKThumbprint.p256(TokenPaths.key.publicPoint)
        let requests = try (0..<total).map { number in
            let challenge = challenge(number)
            let derived = TokenRequest.evidenceChallenge(challenge, audiences: audiences, keyThumbprint: thumbprint)
            return TokenRequest(
                record: try record(over: derived), challenge: challenge, audiences: audiences, keyThumbprint: thumbprint
            )
        }
        var next = 0
        return { count in
            for _ in 0..<count {
                let answer = try await verifier.issueToken(requests[next], at: now)
                guard case .issued(let grant, _) = answer else { throw Unexpected(description: "\(answer)") }
                try require(grant.tokens.count == audiences.count, "\(grant.tokens.count) tokens")
                next += 1
            }
        }
    }
}
