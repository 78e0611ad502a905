import AssayCore
import AssayTesting
import FoundationEssentials

/// Chains that an attacker could assemble, or that no genuine authority issues.
extension AndroidKeyVectorMint {
    private func reject(
        _ id: String, _ check: String, _ device: AndroidKeyDevice = .factory, delay: TimeInterval = 0,
        change: @escaping (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
    ) -> VectorCase {
        attestation(
            id, VectorOutcome(failed: [check]), device, delay: delay, change: change)
    }

    /// Changes the list of certificates.
    private func certificates(
        _ id: String, _ check: String, _ device: AndroidKeyDevice = .factory,
        _ change: @escaping @Sendable ([[UInt8]]) -> [[UInt8]]
    ) -> VectorCase { reject(id, check, device) { $0.changeCertificates = change } }

    var decode: [VectorCase] {
        func leaf(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
            certificates(id, "decode") { [change($0[0])] + $0.dropFirst() }
        }
        return [
            certificates("no-certificates", "decode") { _ in [] },
            certificates("eleven-certificates", "decode") { $0 + Array(repeating: $0[3], count: 7) },
            certificates("certificates-concatenated", "decode") { [$0.flatMap { $0 }] },
            certificates("certificate-too-large", "decode") { $0 + [.zeros(16_385)] },
            certificates("certificate-empty", "decode") { [$0[0], []] + $0.dropFirst(2) },
            certificates("root-with-trailing-byte", "decode") { $0.dropLast() + [$0[3] + [0]] },
            leaf("leaf-as-pem") { Array("-----BEGIN CERTIFICATE-----\n".utf8) + $0 },
            leaf("leaf-cut") { $0.dropLast() },
            leaf("leaf-with-trailing-byte") { $0 + [0] },
            leaf("leaf-indefinite") { DERBuilder.indefinite(0x30, Array($0.dropFirst(4))) },
            leaf("leaf-is-null") { _ in DERBuilder.null },
            reject("extension-twice", "decode") {
                $0.leafExtensions = { [.keyDescription($0), .keyDescription($0)] }
            },
            reject("serial-number-empty", "decode") { $0.leaf.fields.encodedSerialNumber = [2, 0] },
            reject("algorithms-differ", "decode") {
                $0.leaf.fields.signedAlgorithmIdentifier =
                    CertificateBlueprint.SignatureAlgorithm.ecdsaWithSHA384.identifier
            },
            reject("algorithms-differ-in-null", "decode") {
                // The outer one has NULL, and no signature covers it.
                $0.leaf.fields.algorithmIdentifier = DERBuilder.sequence(Self.sha256WithRSA, DERBuilder.null)
                $0.leaf.fields.signedAlgorithmIdentifier = DERBuilder.sequence(Self.sha256WithRSA)
            },
            reject("rsa-algorithm-with-other-parameters", "decode") {
                $0.leaf.fields.algorithmIdentifier = DERBuilder.sequence(
                    Self.sha256WithRSA, DERBuilder.octetString([]))
            },
            reject("time-without-z", "decode") {
                $0.leaf.fields.validity = DERBuilder.sequence(
                    DERBuilder.element(0x17, Array("7001010000000".utf8)),
                    DERBuilder.element(0x17, Array("480101000000Z".utf8)))
            },
        ]
    }

    func chain() throws(MintingError) -> [VectorCase] {
        let lookalike = try lookalike()
        return chainOrder + chainIssuers + chainRules + [
            reject("lookalike", "chain") { blueprint in
                blueprint = try self.attestation("lookalike", of: lookalike, .factory)
            },
            reject("lookalike-remote", "chain", .remote) { blueprint in
                blueprint = try self.attestation("lookalike-remote", of: lookalike, .remote)
            },
            reject("lookalike-with-our-root", "chain") { blueprint in
                let root = blueprint.issuers[2]
                blueprint = try self.attestation("lookalike-with-our-root", of: lookalike, .factory)
                blueprint.issuers[2] = root
            },
            reject("software", "chain", .software),
        ]
    }

    private func attestation(
        _ id: String, of authority: AndroidKeyTestAuthority, _ device: AndroidKeyDevice
    ) throws(MintingError) -> AndroidKeyAttestationBlueprint {
        try AndroidKeyAttestationBlueprint(
            authority: authority, key: key(id), packageName: Self.packageName, certificateDigest: Self.digest,
            versionCode: Self.versionCode, device: device, challenge: challenge(id), issuedAt: time)
    }

    private var chainOrder: [VectorCase] {
        [
            certificates("leaf-alone", "chain") { [$0[0]] },
            certificates("leaf-and-root", "chain") { [$0[0], $0[3]] },
            certificates("attestation-certificate-missing", "chain") { [$0[0], $0[2], $0[3]] },
            certificates("intermediate-missing", "chain") { [$0[0], $0[1], $0[3]] },
            certificates("reversed", "chain") { $0.reversed() },
            certificates("issuers-exchanged", "chain") { [$0[0], $0[2], $0[1], $0[3]] },
            certificates("root-twice", "chain") { $0 + [$0[3]] },
            certificates("root-first", "chain") { [$0[3]] + $0 },
            certificates("intermediate-twice", "chain") { [$0[0], $0[1], $0[2], $0[2], $0[3]] },
        ]
    }

    private var chainIssuers: [VectorCase] {
        func weak(
            _ id: String, _ algorithm: AndroidTestKey.Algorithm,
            _ signature: CertificateBlueprint.SignatureAlgorithm? = nil
        ) -> VectorCase {
            reject(id, "chain") { blueprint in
                let key = try otherKey(id, algorithm)
                blueprint.issuers[0].replaceKey(with: key)
                blueprint.leaf.sign(with: key)
                if let signature { blueprint.leaf.fields.signatureAlgorithm = signature }
            }
        }
        return [
            weak("issuer-rsa-1024", .rsa(1024)), weak("issuer-p224", .p224), weak("issuer-secp256k1", .secp256k1),
            weak("issuer-ed25519", .ed25519), weak("leaf-signed-with-sha-1", .p256, .ecdsaWithSHA1),
            weak("leaf-signed-with-rsa-and-sha-1", .rsa(2048), .sha1WithRSA),
            reject("leaf-signed-by-another-key", "chain") { $0.leaf.sign(with: try otherKey("stranger")) },
            reject("leaf-signature-changed", "chain") { $0.leaf.fields.changeSignature = { $0.flippingLastBit() } },
            reject("leaf-signature-empty", "chain") { $0.leaf.fields.changeSignature = { _ in [] } },
            reject("intermediate-signature-changed", "chain") {
                $0.issuers[1].fields.changeSignature = { $0.flippingLastBit() }
            },
            reject("attestation-signature-changed", "chain", .remote) {
                $0.issuers[0].fields.changeSignature = { $0.flippingLastBit() }
            },
            reject("leaf-names-another-issuer", "chain") {
                $0.leaf.fields.issuer = DistinguishedName([.init(.serialNumber, "0000000000000000")])
            },
            reject("issuer-name-in-another-string-type", "chain") {
                $0.leaf.fields.issuer.attributes[0].textTag = 0x0C
            },
            reject("intermediate-names-another-root", "chain") {
                $0.issuers[1].fields.issuer = $0.issuers[0].name
            },
        ]
    }

    private var chainRules: [VectorCase] {
        func extensions(
            _ id: String, _ check: String, _ device: AndroidKeyDevice, issuer: Int,
            _ change: @escaping (inout [CertificateExtension]) -> Void
        ) -> VectorCase {
            reject(id, check, device) { change(&$0.issuers[issuer].fields.extensions) }
        }
        func replace(_ found: inout [CertificateExtension], _ replacement: CertificateExtension) {
            for index in found.indices where found[index].identifier == replacement.identifier {
                found[index] = replacement
            }
        }
        return [
            reject("remote-expired", "chain", .remote, delay: 29 * 86_400 + 1),
            reject("remote-not-yet-valid", "chain", .remote, delay: -86_401),
            reject("factory-not-yet-valid", "chain", .factory, delay: -401 * 86_400),
            extensions("intermediate-is-no-ca", "chain", .factory, issuer: 1) {
                replace(&$0, .basicConstraints(isCA: false))
            },
            extensions("intermediate-without-constraints", "chain", .factory, issuer: 1) {
                $0.removeAll { $0.identifier == [2, 5, 29, 19] }
            },
            extensions("intermediate-may-not-sign-certificates", "chain", .factory, issuer: 1) {
                replace(&$0, .keyUsage(0x80))
            },
            extensions("path-length-0", "chain", .remote, issuer: 2) {
                replace(&$0, .basicConstraints(isCA: true, pathLength: 0))
            },
            extensions("unknown-critical-extension", "chain", .remote, issuer: 1) {
                $0.append(CertificateExtension([1, 2, 3, 4], isCritical: true, value: DERBuilder.null))
            },
        ]
    }

    var target: [VectorCase] {
        func extended(
            _ id: String, _ device: AndroidKeyDevice, hasDescription: Bool = true
        ) -> VectorCase {
            reject(id, "target", device) { blueprint in
                var forged = blueprint.description
                forged.attestationChallenge = challenge(id)
                blueprint.extend(forging: try otherKey("forged"), description: hasDescription ? forged : nil)
            }
        }
        return [
            extended("extended-factory", .factory), extended("extended-remote", .remote),
            extended("extended-strongbox", .strongBox),
            extended("extended-without-description", .factory, hasDescription: false),
            reject("extended-from-software", "target") { blueprint in
                // The app's genuine key was made for another challenge, and its leaf lacks the description.
                let description = blueprint.description
                blueprint.leafExtensions = { _ in [.keyUsage(0x80)] }
                blueprint.extend(forging: try otherKey("forged"), description: description)
            },
            attestation("attest-key", VectorOutcome(failed: ["target"]), .strongBox) { try $0.insertAttestKey() },
            reject("description-missing", "target") { $0.leafExtensions = { _ in [.keyUsage(0x80)] } },
            reject("description-in-certificate-1", "target") { blueprint in
                blueprint.issuers[0].fields.extensions.append(.keyDescription(blueprint.description.encoded))
            },
            reject("description-in-certificate-2-alone", "target") { blueprint in
                blueprint.issuers[1].fields.extensions.append(.keyDescription(blueprint.description.encoded))
                blueprint.leafExtensions = { _ in [.keyUsage(0x80)] }
            },
            reject("remote-issuer-is-no-ca", "target", .remote) { blueprint in
                blueprint.issuers[0].fields.extensions.removeAll { $0.identifier == [2, 5, 29, 19] }
            },
        ]
    }

    func unreadable() throws(MintingError) -> [VectorDraft] {
        let record = try attestation("unreadable").mint().record(id: "unreadable", app: Self.app)
        let text = record.json
        return try VectorDraft.unreadable([
            ("certificates-missing", text, "\"certificates\"", "\"certificate\""),
            ("challenge-missing", text, "\"challenge\"", "\"nonce\""),
            ("unknown-field", text, "\"challenge\"", "\"x\": \"\", \"challenge\""),
            (
                "challenge-empty", text,
                "\"challenge\": \"\(Data(challenge("unreadable")).base64EncodedString())\"", "\"challenge\": \"\""
            ),
            ("certificate-base64url", text, "\"MII", "\"_MII"),
        ])
    }
}
