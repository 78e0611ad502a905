import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Minted chains of Android")
struct AndroidChainTests {
    private func certificates(_ minted: MintedKeyAttestation) throws -> [Certificate] {
        try minted.certificates.map { try Certificate(der: $0[...]) }
    }

    @Test(
        "Each certificate names the next one and is signed by it",
        arguments: [
            (AndroidKeyDevice.factory, 4), (.factory2016, 4), (.remote, 5), (.remoteUnderRSA, 5), (.strongBox, 5),
            (.software, 3),
        ], [AndroidAttestedKey.Algorithm.p256, .rsa2048])
    func links(device: (AndroidKeyDevice, count: Int), algorithm: AndroidAttestedKey.Algorithm) throws {
        let minted = try AndroidFixtures.blueprint(device.0, algorithm).mint()
        let chain = try certificates(minted)
        #expect(chain.count == device.count)
        for (certificate, issuer) in zip(chain, chain.dropFirst() + chain.suffix(1)) {
            #expect(certificate.issuer == issuer.subject)
            #expect(try AndroidFixtures.isSigned(certificate, by: issuer))
        }
        #expect(Array(chain[0].subjectPublicKeyInfo) == minted.publicKey)
        let roots = try AndroidFixtures.authority.get().rootCertificates
        #expect(device.0.securityLevel == 0 || roots.contains(minted.certificates[device.count - 1]))
    }

    @Test("Remote certificates are valid at the time of issue, and live as long as genuine ones", arguments: 0..<40)
    func remoteDates(day: Int) throws {
        let time = Fixtures.time.addingTimeInterval(Double(day) * 86_400)
        let minted = try AndroidKeyAttestationBlueprint(
            authority: AndroidFixtures.authority.get(), key: AndroidAttestedKey(seed: "tests", label: "device"),
            packageName: "com.example.shop", certificateDigest: AndroidFixtures.digest, challenge: [1], issuedAt: time
        ).mint()
        for (certificate, days) in zip(try certificates(minted)[1...2], [30.0, 70.0]) {
            #expect(certificate.notBefore <= time && time <= certificate.notAfter)
            #expect(certificate.notAfter.timeIntervalSince(certificate.notBefore) == days * 86_400)
        }
    }

    @Test("The same seed gives the same chain, and another seed other keys")
    func seeds() throws {
        func roots(_ seed: String?) throws -> [[UInt8]] {
            try AndroidKeyTestAuthority(seed: seed, notBefore: Fixtures.time).rootCertificates
        }
        let (first, again) = (try AndroidFixtures.blueprint(.factory), try AndroidFixtures.blueprint(.factory))
        #expect(try first.mint().certificates == again.mint().certificates)
        #expect(try roots("a") == roots("a"))
        #expect(try roots("a") != roots("b"))
        #expect(try roots(nil) != roots(nil))
    }

    @Test("An attested key signs a certificate with a forged description")
    func extended() throws {
        var blueprint = try AndroidFixtures.blueprint(.factory)
        let key = try AndroidTestKey(.p256, seed: "tests", label: "forged")
        var forged = blueprint.description
        forged.attestationChallenge = [9]
        blueprint.extend(forging: key, description: forged)
        let minted = try blueprint.mint()
        let chain = try certificates(minted)
        #expect(chain.count == 5)
        #expect(Array(chain[0].subjectPublicKeyInfo) == key.subjectPublicKeyInfo)
        #expect(chain[0].issuer == chain[1].subject)
        #expect(try AndroidFixtures.isSigned(chain[0], by: chain[1]))
        let descriptions = try minted.certificates.map { try AndroidFixtures.description(in: $0) }
        #expect(try descriptions[0]?[4].octetString() == [9])
        #expect(try descriptions[1]?[4].octetString() == AndroidFixtures.challenge[...])
        #expect(descriptions[2...].allSatisfy { $0 == nil })
    }

    @Test("An attest key stands between leaf and attestation certificate, with a description of its own")
    func attestKey() throws {
        var blueprint = try AndroidFixtures.blueprint(.strongBox)
        try blueprint.insertAttestKey()
        let minted = try blueprint.mint()
        #expect(minted.certificates.count == 6)
        let key = blueprint.issuers[0].key.subjectPublicKeyInfo
        let leaf = try Certificate(der: minted.certificates[0][...])
        #expect(
            try ECDSAPublicKey(subjectPublicKeyInfo: key[...]).isValidSignature(
                der: leaf.signature, for: Array(leaf.tbsBytes), digest: .sha256))
        // AssayPrimitives reads no certificate with an empty key usage.
        let emptyKeyUsage: [UInt8] = [6, 3, 0x55, 0x1D, 15, 1, 1, 0xFF, 4, 3, 3, 1, 0]
        let purpose: [UInt8] = [0xA1, 5, 0x31, 3, 2, 1, 7]
        for part in [key, Array(leaf.issuer), emptyKeyUsage, purpose] {
            #expect(minted.certificates[1].firstRange(of: part) != nil)
        }
    }

    @Test("OpenSSL verifies what weak keys and digests sign")
    func weak() throws {
        let folder = try TestFolder()
        let algorithms: [(AndroidTestKey.Algorithm, CertificateBlueprint.SignatureAlgorithm?)] = [
            (.p224, nil), (.p256, .ecdsaWithSHA1), (.p256, .ecdsaWithSHA384), (.p384, .ecdsaWithSHA256), (.p521, nil),
            (.p521, .ecdsaWithSHA384), (.secp256k1, nil), (.rsa(1024), nil), (.rsa(1024), .sha1WithRSA),
            (.rsa(2048), .sha384WithRSA), (.rsa(3072), nil), (.ed25519, nil),
        ]
        for (index, (algorithm, signature)) in algorithms.enumerated() {
            var root = try AndroidFixtures.authority.get().ecRoot
            root.replaceKey(with: try AndroidTestKey(algorithm, seed: "tests", label: "weak"))
            root.sign(with: root.key)
            if let signature { root.fields.signatureAlgorithm = signature }
            try folder.write("\(index).pem", AndroidFixtures.pem(root))
            let command = "openssl verify -check_ss_sig -no_check_time -auth_level 0 -CAfile \(index).pem \(index).pem"
            #expect(try folder.shell("\(command) > out.txt 2>&1") == 0, "\(algorithm) \(String(describing: signature))")
            root.fields.changeSignature = { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
            try folder.write("\(index).pem", AndroidFixtures.pem(root))
            #expect(try folder.shell("\(command) > out.txt 2>&1") != 0, "\(algorithm) changed")
        }
    }

    @Test("RSA keys have the length that is asked for, and no other length is derived")
    func lengths() throws {
        for bits in [512, 1024, 2048] {
            #expect(DerivedRSAKey(bits: bits, seed: "tests", label: "").modulus.count == bits / 8)
            #expect(DerivedRSAKey(bits: bits, seed: "tests", label: "").modulus[0] >= 0x80)
        }
        for bits in [0, 384, 1000, 16_384] {
            #expect(throws: MintingError.self) { try AndroidTestKey(.rsa(bits), seed: "tests", label: "") }
        }
    }
}
