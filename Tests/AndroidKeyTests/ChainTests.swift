import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("Chains")
struct ChainTests {
    private typealias Blueprint = AndroidKeyAttestationBlueprint

    @Test(
        "genuine forms are accepted",
        arguments: [AndroidKeyDevice.factory, .factory2016, .remote, .remoteUnderRSA, .strongBox])
    func genuine(device: AndroidKeyDevice) async throws {
        let verdict = try await judge(device)
        #expect(outcome(verdict) == "accept")
        #expect(verdict.testAuthority?.contains("key SHA-256") == true)
        #expect(
            verdict.androidKey?.provisioning
                == (device.securityLevel == 2 || device.attestationVersion >= 300 ? .remote : .factory))
        #expect(verdict.androidKey?.serials.first == "1")
        #expect(verdict.androidKey?.rootIncluded == true)
    }

    @Test("a chain without the root's certificate is accepted, and says so")
    func rootAbsent() async throws {
        let verdict = try await judge(.remote) { $0.changeCertificates = { $0.dropLast() } }
        #expect(outcome(verdict) == "accept")
        #expect(verdict.androidKey?.rootIncluded == false)
        #expect(verdict.androidKey?.serials.count == 4)
    }

    @Test("certificates that are not a chain")
    func shapes() async throws {
        let other = try Fixtures.blueprint(.remote, label: "other").mint().certificates
        let cases: [(String, @Sendable ([[UInt8]]) -> [[UInt8]], String)] = [
            ("none", { _ in [] }, "decode missing"),
            ("the leaf alone", { Array($0.prefix(1)) }, "chain chain-too-short"),
            ("the root alone", { Array($0.suffix(1)) }, "chain chain-too-short"),
            ("leaf and root", { [$0[0], $0[$0.count - 1]] }, "chain chain-too-short"),
            ("eleven", { Array(repeating: $0[0], count: 11) }, "decode too-large"),
            ("reversed", { $0.reversed() }, "chain untrusted"),
            ("the root twice", { $0 + $0.suffix(1) }, "chain root-repeated"),
            ("the attestation certificate is missing", { [$0[0]] + $0.dropFirst(2) }, "chain name-differs"),
            ("the intermediate is missing", { Array($0.prefix(2)) + $0.suffix(1) }, "chain untrusted"),
            ("a genuine root on another chain", { Array($0.dropLast()) + other.suffix(1) }, "accept"),
            ("the issuers of another chain", { Array($0.prefix(1)) + other.dropFirst() }, "chain name-differs"),
            (
                "PEM", { $0.map { Array("-----BEGIN CERTIFICATE-----\n\(Data($0).base64EncodedString())\n".utf8) } },
                "decode unexpected-type"
            ),
            ("trailing bytes", { [$0[0] + [0]] + $0.dropFirst() }, "decode trailing-bytes"),
            ("cut", { [Array($0[0].dropLast())] + $0.dropFirst() }, "decode truncated"),
            ("one behind another", { [$0.flatMap { $0 }] }, "decode too-large"),
            ("two in one", { [$0[0], $0[1] + $0[2]] + $0.dropFirst(3) }, "decode trailing-bytes"),
            (
                "indefinite length", { [[0x30, 0x80] + $0[0].dropFirst(4) + [0, 0]] + $0.dropFirst() },
                "decode indefinite-length"
            ),
            ("empty", { [[]] + $0.dropFirst() }, "decode truncated"),
            ("17 KiB", { [Array(repeating: 0x30, count: 17 * 1024)] + $0.dropFirst() }, "decode too-large"),
        ]
        for (name, change, expected) in cases {
            // Twice: the second time, the issuers of the first are known.
            for _ in 0..<2 {
                let verdict = try await judge { $0.changeCertificates = change }
                let found = outcome(verdict)
                #expect(
                    name == "one behind another" ? found.hasPrefix("decode ") : found == expected, "\(name): \(found)")
            }
        }
    }

    @Test("two certificates in one element stay refused after the genuine chain was accepted")
    func knownIssuersAreDividedAsSent() async throws {
        let configuration = try Fixtures.configuration()
        let verifier = try Fixtures.verifier(configuration)
        let input = try Fixtures.blueprint().mint().input
        let accepted = try await verifier.verify(input, at: Fixtures.time)
        #expect(outcome(accepted) == "accept")
        let joined = KeyAttestationInput(
            certificates: [
                input.certificates[0], input.certificates[1] + input.certificates[2], input.certificates[3],
            ],
            challenge: input.challenge)
        let refused = try await verifier.verify(joined, at: Fixtures.time)
        #expect(outcome(refused) == "decode trailing-bytes")
    }

    @Test("roots that are not pinned")
    func anchors() async throws {
        let stranger = try AndroidKeyTestAuthority(
            seed: "stranger", notBefore: Fixtures.time.addingTimeInterval(-86_400))
        let foreign = try AndroidKeyAttestationBlueprint(
            authority: stranger, key: AndroidAttestedKey(seed: "stranger", label: "device"),
            packageName: Fixtures.package,
            certificateDigest: Fixtures.digest, versionCode: 42, device: .remote, challenge: Fixtures.challenge,
            issuedAt: Fixtures.time)
        // The elliptic roots of both authorities have one name: a lookalike.
        let lookalike = try await judge(foreign.mint().input)
        #expect(outcome(lookalike) == "chain bad-signature")
        let google = try await judge(.factory, under: Fixtures.configuration(testRoots: []))
        #expect(outcome(google) == "chain untrusted")
        #expect(google.testAuthority == nil)
        let software = try await judge(.software)
        #expect(outcome(software) == "chain untrusted")
        // A genuine root of the right name behind a false chain.
        let roots = try Fixtures.authority.get().rootCertificates
        let input = try foreign.mint().input
        let patched = try await judge(
            KeyAttestationInput(certificates: input.certificates.dropLast() + [roots[1]], challenge: input.challenge))
        #expect(outcome(patched) == "chain bad-signature")
    }

    @Test("signatures, names and algorithms of each certificate", arguments: 0..<4)
    func links(index: Int) async throws {
        let stranger = try AndroidTestKey(.p256, seed: "stranger", label: "\(index)")
        func change(_ body: (inout AndroidCertificateBlueprint) throws -> Void) async throws -> String {
            outcome(
                try await judge(.remote) { blueprint in
                    if index == 0 { try body(&blueprint.leaf) } else { try body(&blueprint.issuers[index - 1]) }
                })
        }
        let signed = try await change {
            $0.signer = stranger; $0.fields.signatureAlgorithm = .ecdsaWithSHA256
        }
        #expect(signed == "chain bad-signature")
        let named = try await change { $0.fields.issuer = DistinguishedName([.init(.commonName, "Another")]) }
        #expect(named == (index == 3 ? "chain untrusted" : "chain name-differs"))
    }

    @Test("issuers with keys and algorithms that no genuine one has")
    func algorithms() async throws {
        let short = try await judge { blueprint in
            blueprint.issuers[0].replaceKey(with: try AndroidTestKey(.rsa(1024), seed: "short", label: "issuer"))
            blueprint.leaf.sign(with: blueprint.issuers[0].key)
        }
        #expect(outcome(short) == "chain forbidden-algorithm")
        for algorithm in [AndroidTestKey.Algorithm.p521, .secp256k1, .p224] {
            let verdict = try await judge { blueprint in
                blueprint.issuers[0].replaceKey(with: try AndroidTestKey(algorithm, seed: "curve", label: "issuer"))
                blueprint.leaf.sign(with: blueprint.issuers[0].key)
            }
            #expect(outcome(verdict) == "chain forbidden-algorithm", "\(algorithm)")
        }
    }

    @Test("dates: factory certificates may have expired, remote ones not, and leaves have none that count")
    func dates() async throws {
        let day = 86_400.0
        let later = Fixtures.time.addingTimeInterval(15 * 365 * day)
        let expired = try await judge(.factory, at: later)
        #expect(outcome(expired) == "accept")
        let early = try await judge(.factory, at: Fixtures.time.addingTimeInterval(-500 * day))
        #expect(outcome(early) == "chain not-yet-valid")
        for (offset, expected) in [
            (-1 * day - 1, "chain not-yet-valid"), (-1 * day, "accept"), (29 * day, "accept"),
            (29 * day + 0.5, "accept"),
            (29 * day + 1, "chain expired"),
        ] {
            let verdict = try await judge(.remote, at: Fixtures.time.addingTimeInterval(offset))
            #expect(outcome(verdict) == expected, "\(offset) s")
        }
        let leaf = try await judge { blueprint in
            blueprint.leaf.fields.notBefore = Date(timeIntervalSince1970: -300_000_000)
            blueprint.leaf.fields.notAfter = Date(timeIntervalSince1970: -200_000_000)
        }
        #expect(outcome(leaf) == "accept")
    }

    @Test("authorities: certificate 1 of factory chains is excused, all others must be one")
    func authorities() async throws {
        func without(_ oid: [UInt64], at index: Int, _ device: AndroidKeyDevice, _ value: CertificateExtension?)
            async throws -> String
        {
            outcome(
                try await judge(device) { blueprint in
                    blueprint.issuers[index].fields.extensions.removeAll { $0.identifier == oid }
                    if let value { blueprint.issuers[index].fields.extensions.append(value) }
                })
        }
        let constraints: [UInt64] = [2, 5, 29, 19]
        let usage: [UInt64] = [2, 5, 29, 15]
        for index in [1, 2] {
            let absent = try await without(constraints, at: index, .remote, nil)
            #expect(absent == "chain not-a-ca")
            let signing = try await without(usage, at: index, .remote, .keyUsage(0x80))
            #expect(signing == "chain not-a-ca")
        }
        let limit = try await without(constraints, at: 2, .remote, .basicConstraints(isCA: true, pathLength: 1))
        #expect(limit == "chain path-length-exceeded")
        let remote = try await without(constraints, at: 0, .remote, .basicConstraints(isCA: false))
        #expect(remote == "target issuer-may-not-issue")
        let factory = try await without(constraints, at: 0, .factory, .basicConstraints(isCA: false))
        #expect(factory == "accept")
        // FALSE written out, as some factory certificates have it: DER forbids it.
        let written = CertificateExtension(constraints, isCritical: true, value: [0x30, 0x03, 0x01, 0x01, 0x00])
        let spelled = try await without(constraints, at: 0, .factory, written)
        #expect(spelled == "accept")
        let spelledRemote = try await without(constraints, at: 0, .remote, written)
        #expect(spelledRemote == "target issuer-may-not-issue")
        let nothing = try await without(constraints, at: 0, .factory, nil)
        #expect(nothing == "target issuer-may-not-issue")
        let unknown = try await judge { blueprint in
            blueprint.issuers[1].fields.extensions.append(
                CertificateExtension([1, 2, 3, 4], isCritical: true, value: [5, 0]))
        }
        #expect(outcome(unknown) == "chain unknown-critical-extension")
    }
}

@Suite("Known issuers and roots")
struct KnownIssuersTests {
    /// Expectations with trust, and so caches, of their own.
    private static func expectations() throws -> AndroidKeyExpectations {
        AndroidKeyExpectations(app: "shop", configuration: try Fixtures.configuration(), modes: [:])
    }

    /// Judges a changed attestation, and returns whether its issuers are known afterwards.
    private func isKnown(
        _ device: AndroidKeyDevice = .remote, _ expectations: AndroidKeyExpectations? = nil,
        _ change: (inout AndroidKeyAttestationBlueprint) throws -> Void
    ) throws -> Bool {
        let expectations = try expectations ?? Self.expectations()
        var blueprint = try Fixtures.blueprint(device)
        try change(&blueprint)
        let input = try blueprint.mint().input
        _ = KeyAttestationAssessor.assess(input, status: .none, expectations: expectations, now: Fixtures.time)
        return expectations.knowsIssuers(of: input)
    }

    @Test("issuers are kept of chains whose leaf they signed and whose target was judged, and of no others")
    func kept() throws {
        #expect(try isKnown { _ in })
        let stranger = try AndroidTestKey(.p256, seed: "stranger", label: "leaf")
        #expect(
            try !isKnown { blueprint in
                blueprint.leaf.signer = stranger
                blueprint.leaf.fields.signatureAlgorithm = .ecdsaWithSHA256
            })
        #expect(try !isKnown { $0.leafExtensions = { _ in [.keyUsage(0x80)] } })
        #expect(try !isKnown { $0.extend(forging: try AndroidAttestedKey(seed: "attacker", label: "key")) })
        #expect(try !isKnown { $0.issuers[1].fields.notAfter = Fixtures.time.addingTimeInterval(-1) })
    }

    @Test(
        "a root whose certificate no pinned key signed: its key counts, its serial number is no fact, and nothing is kept"
    )
    func foreignRoot() async throws {
        let change: @Sendable ([[UInt8]]) -> [[UInt8]] = { certificates in
            var root = certificates[certificates.count - 1]
            root[root.count - 1] ^= 1
            return certificates.dropLast() + [root]
        }
        #expect(try !isKnown { $0.changeCertificates = change })
        let genuine = try await judge(.remote)
        let verdict = try await judge(.remote) { $0.changeCertificates = change }
        #expect(outcome(verdict) == "accept")
        #expect(verdict.androidKey?.rootIncluded == true)
        #expect(verdict.androidKey?.serials == genuine.androidKey?.serials.dropLast())
        #expect(verdict.androidKey?.fields.first { $0.name == "certificates" }?.value == .integer(5))
    }
}

@Suite("Extended chains")
struct ExtendedChainTests {
    @Test(
        "an app's own key cannot attest another one, whatever the chain",
        arguments: [AndroidKeyDevice.factory, .factory2016, .remote, .strongBox])
    func extended(device: AndroidKeyDevice) async throws {
        let key = try AndroidAttestedKey(seed: "attacker", label: "key")
        let forged = try await judge(device) { $0.extend(forging: key) }
        #expect(outcome(forged) == "target chain-extended")
        let twice = try await judge(device) { blueprint in
            blueprint.extend(forging: key)
            blueprint.extend(forging: key)
        }
        #expect(outcome(twice) == "target chain-extended")
        // Without an extension of its own, the forged certificate attests nothing.
        let bare = try await judge(device) { blueprint in
            blueprint.extend(forging: try AndroidTestKey(.p256, seed: "attacker", label: "bare"), description: nil)
        }
        #expect(outcome(bare) == "target chain-extended")
        let attestKey = try await judge(device) { try $0.insertAttestKey() }
        #expect(outcome(attestKey) == "target chain-extended")
    }

    @Test("the extension in an issuer, twice, and nowhere")
    func places() async throws {
        for index in 0..<3 {
            let verdict = try await judge(.remote) { blueprint in
                blueprint.issuers[index].fields.extensions.append(.keyDescription(blueprint.description.encoded))
            }
            #expect(outcome(verdict) == "target chain-extended", "certificate \(index + 1)")
        }
        let twice = try await judge { $0.leafExtensions = { [.keyDescription($0), .keyDescription($0)] } }
        #expect(outcome(twice) == "decode duplicate-key")
        let nowhere = try await judge { $0.leafExtensions = { _ in [.keyUsage(0x80)] } }
        #expect(outcome(nowhere) == "target extension-missing")
    }

    @Test("quirks of genuine leaves are tolerated")
    func quirks() async throws {
        let verdict = try await judge { blueprint in
            blueprint.leafExtensions = { description in
                [
                    CertificateExtension([2, 5, 29, 15], value: [3, 3, 7, 0x80, 0]), .emptyRevocationList,
                    CertificateExtension([1, 3, 6, 1, 4, 1, 236, 11, 3, 23, 7], value: [4, 1, 0]),
                    .keyDescription(description),
                ]
            }
        }
        #expect(outcome(verdict) == "accept")
    }
}
