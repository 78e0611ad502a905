import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Measurement proofs with measurement tokens that a backend sealed for offline hardware, and the policy for proofs.
extension ApproovVectorMint {
    private func sealed(
        _ id: String, _ outcome: VectorOutcome = .reject("proof.sealed"),
        proof changeProof: @escaping (inout ApproovProofBlueprint) -> Void = { _ in },
        change: @escaping (inout ApproovMeasurementTokenBlueprint) -> Void = { _ in },
        text changeText: @escaping (String) -> String = { $0 }
    ) -> VectorCase {
        {
            let id = "proof-sealed-\(id)"
            var token = ApproovMeasurementTokenBlueprint(
                measurements, for: hardware.publicPoint, issuedAt: time,
                ephemeralKey: TestKey(.p256, seed: seed, label: "approov/ephemeral/\(id)"))
            token.initializationVector = bytes("iv/\(id)", count: 12)
            change(&token)
            var proof = ApproovProofBlueprint(
                integrityOf: measurements, nonce: nonce(id), source: .sealed(changeText(try token.mint())))
            changeProof(&proof)
            return proof.record(id: id, app: "offline", receivedAt: time, expect: outcome.expectation("approov"))
        }
    }

    var sealedProofs: [VectorCase] { sealedAccept + sealedHeaders + sealedContents }

    private var sealedAccept: [VectorCase] {
        let measurements = measurements
        let other = TestKey(.p256, seed: seed, label: "approov/other-hardware")
        return [
            sealed("of-integrity", .accept),
            sealed(
                "of-the-device", .accept,
                proof: { $0.proof = measurements.proof(nonce: $0.nonce, of: measurements.device ?? []) }),
            sealed(
                "with-device-and-expiry", .accept,
                change: {
                    $0.content["did"] = "h4gubfCFzJu81j/U2BJsdg=="
                    $0.content["arc"] = "ABCDEF"
                    $0.content["exp"] = seconds(1)
                }),
            // A NumericDate may have a fraction (RFC 7519 section 2).
            sealed(
                "times-with-fractions", .accept,
                change: {
                    let second = Int(time.timeIntervalSince1970)
                    $0.content["iat"] = .number("\(second - 1).25")
                    $0.content["exp"] = .number("\(second).75")
                }),
            sealed("proof-changed", .reject("proof.measurement"), proof: { $0.proof = $0.proof.flippingLastBit() }),
            sealed("for-other-hardware", change: { $0.hardware = other.publicPoint }),
            sealed("changed", change: { $0.change = { $0.changeTag = { $0.flippingLastBit() } } }),
            sealed("cut", text: { String($0.dropLast(4)) }), sealed("empty", text: { _ in "" }),
            sealed("with-part-more", text: { "\($0).AA" }),
        ]
    }

    private var sealedHeaders: [VectorCase] {
        func header(_ id: String, _ name: String, _ value: JSONItem?) -> VectorCase {
            sealed("header-\(id)", change: { $0.header[name] = value })
        }
        let point = attacker.installationKey.publicPoint
        func epk(_ id: String, _ change: @escaping (inout JSONItem) -> Void) -> VectorCase {
            sealed(
                "epk-\(id)",
                change: {
                    var key = $0.header["epk"] ?? [:]
                    change(&key)
                    $0.header["epk"] = key
                })
        }
        return [
            header("without-type", "typ", nil), header("of-another-type", "typ", "JWT"),
            header("with-key-id", "kid", "a"),
            header("with-apu", "apu", "QWxpY2U"), header("of-direct-encryption", "alg", "dir"),
            header("of-key-wrap", "alg", "ECDH-ES+A256KW"), header("of-128-bits", "enc", "A128GCM"),
            header("without-epk", "epk", nil), header("epk-as-text", "epk", "x"), header("compressed", "zip", "DEF"),
            epk("of-another-curve") { $0["crv"] = "P-384" }, epk("of-another-type") { $0["kty"] = "OKP" },
            epk("not-on-the-curve") { $0["x"] = .text(Base64.encode(point[1..<33], .url)) },
            epk("with-private-key") { $0["d"] = "AA" },
            epk("of-another-token") {
                $0["x"] = .text(Base64.encode(point[1..<33], .url))
                $0["y"] = .text(Base64.encode(point[33...], .url))
            },
            sealed("with-encrypted-key", change: { $0.change = { $0.changeEncryptedKey = { _ in [1, 2] } } }),
        ]
    }

    private var sealedContents: [VectorCase] {
        func content(_ id: String, _ name: String, _ value: JSONItem?) -> VectorCase {
            sealed("content-\(id)", change: { $0.content[name] = value })
        }
        return [
            sealed(
                "content-expired",
                change: {
                    $0.content["iat"] = seconds(-60)
                    $0.content["exp"] = seconds(0)
                }),
            content("expired-when-issued", "exp", seconds(0)), content("without-time", "iat", nil),
            content("with-audience", "aud", "hardware"),
            content("with-unknown-member", "nonce", "AA=="), content("without-key", "mpk", nil),
            content("key-of-15", "mpk", ApproovClaimsBlueprint.base64(bytes("short", count: 15))),
            content("device-no-base64", "did", "device"),
        ]
    }

    /// Demands of a policy on proofs besides the measurement.
    var proofPolicy: [VectorCase] {
        [
            proof(
                "signed-where-encrypted-is-demanded", app: "offline-encrypted", .reject("proof.measurement"),
                hasToken: true),
            proof("vouched-where-encrypted-is-demanded", app: "offline-encrypted", .accept),
            proof(
                "encrypted-as-demanded", app: "offline-encrypted-jwe", .accept, hasToken: true,
                changeToken: { $0.form = .encrypted }),
            proof("nonce-not-issued", app: "offline-once", .reject("proof.challenge")),
            proof("nonce-not-issued-with-token", app: "offline-once", .reject("proof.challenge"), hasToken: true),
        ]
    }
}
