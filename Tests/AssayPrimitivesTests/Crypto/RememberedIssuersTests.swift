import AssayPrimitives
import Foundation
import Testing

@Suite struct RememberedIssuersTests {
    private let root: TestAuthority
    private let intermediate: TestAuthority
    private let validator: CertificatePathValidator

    init() throws {
        root = try TestAuthority()
        intermediate = try TestAuthority(.authority("intermediate"), under: root)
        validator = CertificatePathValidator(anchors: [root.certificate], cacheCapacity: 4)
    }

    private func isValid(_ leaf: Certificate, _ intermediates: [Certificate], rememberLeaf: Bool = false) -> Bool {
        let result = validator.validate(
            leaf, intermediates: intermediates, at: TestAuthority.now, rememberLeaf: rememberLeaf)
        if case .success = result { return true } else { return false }
    }

    @Test("An invalid path is not cached, even with genuine issuers")
    func unverified() throws {
        var template = CertificateTemplate()
        template.subject = DER.name("intermediate")
        let stranger = try TestAuthority(.authority("intermediate"), under: TestAuthority())
        #expect(!isValid(try stranger.leaf(), [intermediate.certificate], rememberLeaf: true))
        #expect(!isValid(try stranger.leaf(), [stranger.certificate], rememberLeaf: true))
        template.notAfter = TestAuthority.now - 1
        #expect(!isValid(try intermediate.leaf(template), [intermediate.certificate], rememberLeaf: true))
        #expect(validator.rememberedIssuers == 0)
        #expect(validator.rememberedLeaves == 0)
    }

    @Test("Certificates that the path does not need are not cached: one genuine leaf cannot fill the cache")
    func junk() throws {
        let leaf = try intermediate.leaf()
        for _ in 0..<8 {
            let junk = try TestAuthority(.authority("junk"), under: TestAuthority()).certificate
            #expect(isValid(leaf, [junk, intermediate.certificate], rememberLeaf: true))
        }
        #expect(validator.rememberedIssuers == 0)
        #expect(validator.rememberedLeaves == 0)
        #expect(isValid(leaf, [intermediate.certificate, root.certificate, leaf, intermediate.certificate]))
        #expect(isValid(leaf, [intermediate.certificate]))
        #expect(validator.rememberedIssuers == 1, "the same certificates, however often they are given")
    }

    @Test("The cache size is limited, and evictions change no result")
    func bounded() throws {
        let issuers = try (0..<10).map { try TestAuthority(.authority("intermediate \($0)"), under: root) }
        for _ in 0..<2 {
            for issuer in issuers {
                let leaf = try issuer.leaf()
                #expect(isValid(leaf, [issuer.certificate], rememberLeaf: true))
                #expect(!isValid(leaf, [intermediate.certificate]))
                #expect(validator.rememberedIssuers <= 4)
                #expect(validator.rememberedLeaves <= 4)
            }
        }
        #expect(validator.rememberedIssuers == 4)
        #expect(validator.rememberedLeaves == 4)
    }

    @Test("Device leaves are not cached; shared leaves are, until they expire")
    func leaves() throws {
        var template = CertificateTemplate()
        template.notAfter = TestAuthority.now + 60
        let leaf = try intermediate.leaf(template)
        #expect(isValid(leaf, [intermediate.certificate]))
        #expect(validator.rememberedLeaves == 0)
        #expect(isValid(leaf, [intermediate.certificate], rememberLeaf: true))
        #expect(isValid(leaf, [intermediate.certificate], rememberLeaf: true))
        #expect(validator.rememberedLeaves == 1)
        let later = validator.validate(
            leaf, intermediates: [intermediate.certificate], at: TestAuthority.now + 61, rememberLeaf: true)
        guard case .failure(.expired) = later else {
            Issue.record("\(later)")
            return
        }
    }

    @Test("Two issuers with the same name are never confused")
    func sameName() throws {
        let other = try TestAuthority(.authority("intermediate"), under: root)
        let both = [intermediate.certificate, other.certificate]
        for _ in 0..<2 {
            #expect(isValid(try intermediate.leaf(), [intermediate.certificate]))
            #expect(isValid(try other.leaf(), [other.certificate]))
            #expect(!isValid(try other.leaf(), [intermediate.certificate]))
            #expect(!isValid(try intermediate.leaf(), [other.certificate]))
        }
        // OpenSSL tries one issuer with a name unless a key identifier selects one; either result is safe here.
        _ = isValid(try other.leaf(), both)
        #expect(validator.rememberedIssuers == 2)
    }

    @Test(
        "An extension that OpenSSL cannot read has the same result with and without cached issuers",
        arguments: [
            (ObjectIdentifier(2, 5, 29, 31), [0x0C, 0x01, 0x78]),
            (ObjectIdentifier(2, 16, 840, 1, 113730, 1, 1), [0x0C, 0x01, 0x78]),
            (ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 14), [0x0C, 0x01, 0x78]),
            (ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 7), [0x0C, 0x01, 0x78]),
            (ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 8), [0x0C, 0x01, 0x78]),
            // An alternative name that is an EDIPartyName without valid content.
            (ObjectIdentifier(2, 5, 29, 17), [0x30, 0x03, 0xA5, 0x01, 0x61] as [UInt8]),
        ])
    func unreadableExtension(_ identifier: ObjectIdentifier, value: [UInt8]) throws {
        var template = CertificateTemplate()
        template.extensions.append(DER.sequence(DER.oid(identifier), DER.tagged(0x04, value)))
        let leaf = try intermediate.leaf(template)
        #expect(!isValid(leaf, [intermediate.certificate]))
        #expect(isValid(try intermediate.leaf(), [intermediate.certificate]))
        #expect(validator.rememberedIssuers == 1)
        #expect(!isValid(leaf, [intermediate.certificate]))
    }

    @Test("A leaf directly below the anchor needs no intermediate")
    func directlyBelowTheAnchor() throws {
        for _ in 0..<2 { #expect(isValid(try root.leaf(), [])) }
        #expect(validator.rememberedIssuers == 1)
    }

    @Test("Concurrent tasks get the right results")
    func parallel() async throws {
        let issuers = try (0..<6).map { try TestAuthority(.authority("intermediate \($0)"), under: root) }
        let leaves = try issuers.map { try $0.leaf() }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<12 {
                        let index = (task + round) % 6
                        let issuer = issuers[(index + round % 2) % 6].certificate
                        let isRight = isValid(leaves[index], [issuer], rememberLeaf: task % 3 == 0)
                        wrong += isRight == (round % 2 == 0) ? 0 : 1
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(validator.rememberedIssuers == 4)
    }
}
