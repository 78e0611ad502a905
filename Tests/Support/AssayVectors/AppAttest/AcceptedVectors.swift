import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Genuine attestations of all ages and platforms, and oddities that do not make an attestation invalid.
extension AppAttestVectorMint {
    var attestationAccept: [VectorCase] {
        [
            attestation("ios-14", .accept, device: .iOS14),
            attestation("ios-17", .accept, device: .iOS17),
            attestation("ios-26", .accept, device: .iOS26),
            attestation("ios-27-flags-40", .accept, device: .iOS27),
            attestation("ios-27-flags-c0", .accept, device: .iOS27) { $0.authenticatorData.flags = 0xC0 },
            attestation("ios-27-code-directory-hash", .accept, device: .iOS27) {
                $0.authenticatorData.extensions =
                    AppAttestExtensions(
                        bundleVersion: "1.2", validationCategory: 2,
                        codeDirectoryHash: [UInt8](repeating: 0xCD, count: 32)
                    ).encoded
            },
            attestation("macos-27", .accept, device: .macOS27),
            attestation("unsigned-extra-key", .accept) { $0.changeObject = { $0["cdHash"] = .bytes([1, 2, 3]) } },
            attestation("client-data-hash", .accept) { $0 = $0.handing(.hash(Digest.sha256([1, 2, 3]))) },
            attestation("client-data-hash-of-24-bytes", .accept) {
                $0 = $0.handing(.hash(Array("example_server_challenge".utf8)))
            },
            attestation("category-as-integer", .accept, device: .iOS27) {
                $0.setExtensions { $0.validationCategory = .unsigned(4) }
            },
            attestation("unknown-extension-keys", .accept, device: .iOS27) {
                $0.setExtensions { $0["apple_future_01"] = .array([.unsigned(1), .text("x")]) }
            },
            attestation("code-directory-hash-of-20-bytes", .accept, device: .iOS27) {
                $0.setExtensions { $0["apple_cd_hash_hash_01"] = .bytes([UInt8](repeating: 1, count: 20)) }
            },
            attestation("extensions-empty-map", .accept) { $0.authenticatorData.extensions = [0xA0] },
            attestation("flags-c0-without-extensions", .accept) { $0.authenticatorData.flags = 0xC0 },
            attestation("flags-00", .accept) { $0.authenticatorData.flags = 0x00 },
            attestation("ios-with-access-control-list-of-macos", .accept, device: .iOS27) {
                $0.leaf.others = [.appAttestACL(AppAttestPlatform.macOS.acl)]
            },
            attestation("leaf-without-descriptions", .accept) {
                $0.leaf.descriptions = []
                $0.leaf.others = []
            },
            attestation("leaf-in-its-first-second", .accept, delay: -86_400),
            attestation("leaf-in-its-last-second", .accept, delay: 2 * 86_400),
            attestation("receipt-in-der", .accept) { $0.receipt = .minted { $0.encoding = .definite } },
        ]
    }

    var developmentAttestationAccept: [VectorCase] {
        [
            attestation("development", .accept) { $0 = $0.attesting(.development) },
            attestation("production", .accept),
            attestation("development-environment-garbage", .reject("environment")) {
                $0.authenticatorData.attestedCredential?.aaguid = Array("appattestXXXXXXX".utf8)
            },
        ]
    }
}

extension AttestationBlueprint {
    /// A genuine attestation of the same key with other client data.
    func handing(_ clientData: AppAttestClientData) -> AttestationBlueprint {
        AttestationBlueprint(
            authority: authority, key: key, appID: appID, environment: environment, clientData: clientData,
            issuedAt: issuedAt)
    }

    /// A genuine attestation of the same key for another environment.
    func attesting(_ environment: AttestEnvironment) -> AttestationBlueprint {
        AttestationBlueprint(
            authority: authority, key: key, appID: appID, environment: environment, clientData: clientData,
            issuedAt: issuedAt)
    }

    /// Changes the extensions of a genuine app.
    mutating func setExtensions(_ change: (inout AppAttestExtensions) -> Void) {
        var extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        change(&extensions)
        authenticatorData.extensions = extensions.encoded
    }
}
