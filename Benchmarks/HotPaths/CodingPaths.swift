import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

/// What bytes go through before anything is judged, and what becomes of a verdict.
enum CodingPaths {
    static var all: [HotPath] {
        [
            HotPath("json-payload", count: 500, { PlayIntegrityPaths.mintAnswer(requestHash: "hash-of-a-request") }) {
                let object = try JSONReader.readObject($0, limit: InputLimits.record)
                try require(object.members.count == 1, "the JSON")
            },
            HotPath("cbor", count: 500, attestation) {
                var reader = CBORReader($0)
                try reader.skipItem()
                try reader.finish()
            },
            HotPath("certificate", count: 300, { try AppAttestPaths.authority().attestationAuthority.certificate }) {
                let certificate = try Certificate(der: $0[...])
                try require(certificate.der.count == $0.count, "the certificate")
            },
            HotPath("structured-field", count: 500, { Array(signatureInput.utf8) }) {
                let dictionary = try StructuredFieldReader.readDictionary($0[...])
                try require(dictionary.entries.count == 1, "the structured field")
            },
            HotPath("signature-base", count: 300, signedRequest) { subject in
                let base = try SignatureBase.build(for: subject.input, of: subject.parts)
                try require(base.count > 200, "the signature base")
            },
            HotPath("policy-app", count: 500, apps) { subject in
                let app = try subject.app(by: "package name") {
                    $0.configuration.values.packageName == "com.example.shop7"
                }
                try require(app.app == "shop-7", "the app")
            },
            policyFile(apps: 100),
            policyFile(apps: 400),
        ]
    }

    /// Reads a policy in which each app has a key of its own. Four times the apps must take four times the instructions.
    private static func policyFile(apps count: Int) -> HotPath {
        HotPath("policy-file-\(count)", count: 1, { policyText(apps: count) }) {
            let policy = try PolicyFile.parse(
                $0, files: ["secret": Base64.encode([UInt8](repeating: 7, count: 64), .standard)])
            try require(policy.apps.count == count, "the apps")
        }
    }

    private static func policyText(apps count: Int) -> String {
        let keys = (0..<count).map { "  - { name: key-\($0), use: approov, secret: \"file:secret\" }" }
        let apps = (0..<count).map { "  - { name: app-\($0), approov: { keys: [key-\($0)], failover: reject } }" }
        return (["version: 1", "keys:"] + keys + ["apps:"] + apps).joined(separator: "\n") + "\n"
    }

    private static let signatureInput =
        #"install=("@method" "@target-uri" "approov-token" "content-digest" "content-type");"#
        + #"alg="ecdsa-p256-sha256";created=1795132800;expires=1795132815"#

    private static func attestation() throws -> [UInt8] {
        try AppAttestPaths.mintAttestation(
            AppAttestPaths.authority(), device: 0, challenge: [UInt8](repeating: 0x43, count: 32)
        ).attestation
    }

    private struct SignedRequest {
        let input: SignatureInput
        let parts: HTTPMessageParts
    }

    private static func signedRequest() throws -> SignedRequest {
        let digest = try ContentDigest(of: Array("{}".utf8)[...], [.sha256]).write()
        let parts = HTTPMessageParts(
            method: "POST", targetURI: "https://api.example.com/v1/items?shop=12",
            fields: [
                HTTPMessageParts.Field("Host", "api.example.com"),
                HTTPMessageParts.Field("Approov-Token", String(repeating: "eyJhbGciOiJIUzI1NiJ9", count: 15)),
                HTTPMessageParts.Field("Content-Type", "application/json"),
                HTTPMessageParts.Field("Content-Digest", String(decoding: digest, as: UTF8.self)),
            ])
        guard let input = try SignatureInputField(Array(signatureInput.utf8)[...])["install"] else {
            throw Unexpected(description: "the signature input has no label install")
        }
        return SignedRequest(input: input, parts: parts)
    }

    /// A policy with as many apps as a studio has.
    private static func apps() throws -> EngineApps<PlayIntegrityExpectations> {
        let apps = try (0..<10).map { number in
            let configuration = try PlayIntegrityConfiguration(
                packageName: "com.example.shop\(number)",
                android: PlayIntegrityConfiguration.AndroidRules(
                    certificateDigests: [PlayIntegrityPaths.certificateDigest]))
            return PolicyApp(name: "shop-\(number)", configuration)
        }
        return EngineApps(try VerificationPolicy(apps: apps, catalogue: Verifier.catalogue))
    }
}
