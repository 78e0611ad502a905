import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Attestations with genuine parts of another key, app, environment or request.
extension AppAttestVectorMint {
    var attestationPublicKey: [VectorCase] {
        return [
            attestation("leaf-key-p384", .reject("public-key")) {
                $0.leaf.subjectPublicKeyInfo =
                    TestKey(.p384, seed: seed, label: "p384-leaf").subjectPublicKeyInfo()
            },
            attestation("leaf-key-compressed", .reject("chain")) {
                $0.leaf.subjectPublicKeyInfo =
                    $0.key.key.subjectPublicKeyInfo(point: $0.key.key.compressedPublicPoint)
            },
            attestation("leaf-key-of-another", .reject("public-key")) {
                $0.leaf.subjectPublicKeyInfo = key("other").key.subjectPublicKeyInfo()
            },
            attestation("cose-key-of-another", .reject("public-key")) {
                $0.authenticatorData.attestedCredential?.publicKey = key("other").coseKey.encoded
            },
        ]
    }

    var attestationNonce: [VectorCase] {
        func nonces(
            _ id: String, _ check: String = "nonce",
            _ extensions: @escaping @Sendable ([UInt8]) -> [CertificateExtension]
        ) -> VectorCase {
            attestation(id, .reject(check)) { $0.leaf.nonceExtensions = extensions }
        }
        return [
            nonces("nonce-missing") { _ in [] },
            nonces("nonce-tag-0") { [.appAttestNonce($0, tag: 0)] },
            nonces("nonce-tag-2") { [.appAttestNonce($0, tag: 2)] },
            nonces("nonce-of-0") { _ in [.appAttestNonce([])] },
            nonces("nonce-of-31") { [.appAttestNonce(Array($0.dropLast()))] },
            nonces("nonce-of-33") { [.appAttestNonce($0 + [0x00])] },
            nonces("nonce-of-zeros") { _ in [.appAttestNonce(.zeros(32))] },
            nonces("nonce-twice", "decode") { [.appAttestNonce($0), .appAttestNonce($0)] },
            nonces("nonce-true-and-false", "decode") { [.appAttestNonce($0), .appAttestNonce($0.reversed())] },
            attestation("nonce-of-another-challenge", .reject("nonce"), clientData: .bytes(Array("another".utf8))),
            attestation("nonce-of-hash-taken-as-it-is", .reject("nonce"), clientData: .hash(challenge("x"))),
            attestation(
                "nonce-of-challenge-not-hashed", .reject("nonce"),
                clientData: .hash(challenge("nonce-of-challenge-not-hashed"))),
            attestation("authenticator-data-changed-after-issue", .reject("nonce")) {
                $0.changeObject = {
                    guard case .bytes(var bytes)? = $0["authData"], bytes.count > 32 else { return }
                    bytes[32] = 0xC0
                    $0["authData"] = .bytes(bytes)
                }
            },
        ]
    }

    var attestationKeyId: [VectorCase] {
        func sent(_ id: String, _ bytes: ([UInt8]) -> [UInt8]) -> VectorCase {
            attestation(id, .reject("key-id"), keyID: Data(bytes(key(id).keyID)).base64EncodedString())
        }
        let other = key("other").keyID
        return [
            sent("key-id-of-another") { _ in other },
            sent("key-id-of-31") { Array($0.dropLast()) },
            sent("key-id-of-33") { $0 + [0x00] },
            attestation("credential-id-of-another", .reject("credential-id")) {
                $0.authenticatorData.attestedCredential?.credentialID = other
            },
            attestation("credential-id-of-zeros", .reject("credential-id")) {
                $0.authenticatorData.attestedCredential?.credentialID = [UInt8].zeros(32)
            },
        ]
    }

    var attestationApp: [VectorCase] {
        func app(_ id: String, _ appID: String) -> VectorCase {
            attestation(id, .reject("app-id")) { $0.authenticatorData.rpIDHash = Digest.sha256(Array(appID.utf8)) }
        }
        func environment(_ id: String, _ aaguid: [UInt8]) -> VectorCase {
            attestation(id, .reject("environment")) { $0.authenticatorData.attestedCredential?.aaguid = aaguid }
        }
        return [
            app("app-another", Self.otherAppID),
            app("app-without-team", "com.example.vectors"),
            app("app-of-another-team", "0987654321.com.example.vectors"),
            app("app-in-upper-case", "1234567890.COM.EXAMPLE.VECTORS"),
            attestation("counter-1", .reject("counter")) { $0.authenticatorData.counter = 1 },
            attestation("counter-of-all-ones", .reject("counter")) { $0.authenticatorData.counter = .max },
            environment("environment-development", AttestEnvironment.development.mintedAAGUID),
            environment("environment-garbage", Array("appattest".utf8) + [0, 0, 0, 0, 0, 0, 1]),
            environment("environment-prefix-of-development", Array("appattestdevelo".utf8) + [0]),
            environment("environment-of-zeros", .zeros(16)),
            environment("environment-in-upper-case", Array("APPATTEST".utf8) + .zeros(7)),
        ]
    }
}
