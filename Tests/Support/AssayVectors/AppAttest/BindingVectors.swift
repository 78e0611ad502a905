import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Attestations of which each part is genuine, but not of this key, app, environment or request.
struct BindingVectors: VectorGroup {
    let mint: AppAttestVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [
            mint.file("attestation-public-key.json", publicKey),
            mint.file("attestation-nonce.json", nonce),
            mint.file("attestation-key-id.json", keyID),
            mint.file("attestation-app.json", app + environment),
        ]
    }

    private var publicKey: [AttestationCase] {
        let mint = mint
        return [
            AttestationCase("leaf-key-p384", .reject("public-key")) {
                $0.leaf.subjectPublicKeyInfo =
                    TestKey(.p384, seed: mint.seed, label: "p384-leaf").subjectPublicKeyInfo()
            },
            AttestationCase("leaf-key-compressed", .reject("chain")) {
                $0.leaf.subjectPublicKeyInfo =
                    $0.key.key.subjectPublicKeyInfo(point: $0.key.key.compressedPublicPoint)
            },
            AttestationCase("leaf-key-of-another", .reject("public-key")) {
                $0.leaf.subjectPublicKeyInfo = mint.key("other").key.subjectPublicKeyInfo()
            },
            AttestationCase("cose-key-of-another", .reject("public-key")) {
                $0.authenticatorData.attestedCredential?.publicKey = mint.key("other").coseKey.encoded
            },
        ]
    }

    private var nonce: [AttestationCase] {
        func nonces(
            _ id: String, _ check: String = "nonce",
            _ extensions: @escaping @Sendable ([UInt8]) -> [CertificateExtension]
        ) -> AttestationCase {
            AttestationCase(id, .reject(check)) { $0.leaf.nonceExtensions = extensions }
        }
        return [
            nonces("nonce-missing") { _ in [] },
            nonces("nonce-tag-0") { [.appAttestNonce($0, tag: 0)] },
            nonces("nonce-tag-2") { [.appAttestNonce($0, tag: 2)] },
            nonces("nonce-of-0") { _ in [.appAttestNonce([])] },
            nonces("nonce-of-31") { [.appAttestNonce(Array($0.dropLast()))] },
            nonces("nonce-of-33") { [.appAttestNonce($0 + [0x00])] },
            nonces("nonce-of-zeros") { _ in [.appAttestNonce([UInt8](repeating: 0, count: 32))] },
            nonces("nonce-twice", "decode") { [.appAttestNonce($0), .appAttestNonce($0)] },
            nonces("nonce-true-and-false", "decode") { [.appAttestNonce($0), .appAttestNonce($0.reversed())] },
            AttestationCase("nonce-of-another-challenge", .reject("nonce"), clientData: .bytes(Array("another".utf8))),
            AttestationCase("nonce-of-hash-taken-as-it-is", .reject("nonce"), clientData: .hash(mint.challenge("x"))),
            AttestationCase(
                "nonce-of-challenge-not-hashed", .reject("nonce"),
                clientData: .hash(mint.challenge("nonce-of-challenge-not-hashed"))),
            AttestationCase("authenticator-data-changed-after-issue", .reject("nonce")) {
                $0.changeObject = {
                    guard case .bytes(var bytes)? = $0["authData"], bytes.count > 32 else { return }
                    bytes[32] = 0xC0
                    $0["authData"] = .bytes(bytes)
                }
            },
        ]
    }

    private var keyID: [AttestationCase] {
        func sent(_ id: String, _ bytes: ([UInt8]) -> [UInt8]) -> AttestationCase {
            AttestationCase(
                id, .reject("key-id"), keyID: Data(bytes(mint.key(id).keyID)).base64EncodedString())
        }
        let other = mint.key("other").keyID
        return [
            sent("key-id-of-another") { _ in other },
            sent("key-id-of-31") { Array($0.dropLast()) },
            sent("key-id-of-33") { $0 + [0x00] },
            AttestationCase("credential-id-of-another", .reject("credential-id")) {
                $0.authenticatorData.attestedCredential?.credentialID = other
            },
            AttestationCase("credential-id-of-zeros", .reject("credential-id")) {
                $0.authenticatorData.attestedCredential?.credentialID = [UInt8](repeating: 0, count: 32)
            },
        ]
    }

    private var app: [AttestationCase] {
        func app(_ id: String, _ appID: String) -> AttestationCase {
            AttestationCase(id, .reject("app-id")) {
                $0.authenticatorData.rpIDHash = Digest.sha256(Array(appID.utf8))
            }
        }
        return [
            app("app-another", AppAttestVectorMint.otherAppID),
            app("app-without-team", "com.example.vectors"),
            app("app-of-another-team", "0987654321.com.example.vectors"),
            app("app-in-upper-case", "1234567890.COM.EXAMPLE.VECTORS"),
            AttestationCase("counter-1", .reject("counter")) { $0.authenticatorData.counter = 1 },
            AttestationCase("counter-of-all-ones", .reject("counter")) { $0.authenticatorData.counter = .max },
        ]
    }

    private var environment: [AttestationCase] {
        func environment(_ id: String, _ aaguid: [UInt8]) -> AttestationCase {
            AttestationCase(id, .reject("environment")) {
                $0.authenticatorData.attestedCredential?.aaguid = aaguid
            }
        }
        return [
            environment("environment-development", AppAttestEnvironment.development.aaguid),
            environment("environment-garbage", Array("appattest".utf8) + [0, 0, 0, 0, 0, 0, 1]),
            environment("environment-prefix-of-development", Array("appattestdevelo".utf8) + [0]),
            environment("environment-of-zeros", [UInt8](repeating: 0, count: 16)),
            environment("environment-in-upper-case", Array("APPATTEST".utf8) + [UInt8](repeating: 0, count: 7)),
        ]
    }
}
