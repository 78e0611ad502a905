import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Two validators judge each case: a new one, and one with cached issuers. The results must be equal.
@Suite struct CertificatePathTests {
    private let root: TestAuthority
    private let intermediate: TestAuthority

    init() throws {
        root = try TestAuthority()
        intermediate = try TestAuthority(.authority("intermediate", pathLength: 0), under: root)
    }

    private func codes(
        _ leaf: Certificate, _ intermediates: [Certificate]? = nil, at now: Date = TestAuthority.now
    ) throws -> Set<String> {
        let intermediates = intermediates ?? [intermediate.certificate]
        let cold = CertificatePathValidator(anchors: [root.certificate])
        let warm = CertificatePathValidator(anchors: [root.certificate])
        let other = try intermediate.leaf()
        _ = try warm.validate(other, intermediates: [intermediate.certificate], at: TestAuthority.now).get()
        #expect(warm.rememberedIssuers == 1)
        return Set(
            [cold, warm].map { validator in
                switch validator.validate(leaf, intermediates: intermediates, at: now) {
                case .success(let path):
                    path.chain == [leaf, intermediate.certificate, root.certificate] ? "valid" : "another path"
                case .failure(let failure): failure.detail.isEmpty ? "no detail" : failure.code
                }
            })
    }

    @Test("A leaf below an intermediate below the anchor is valid, with any further certificates in any order")
    func valid() throws {
        let leaf = try intermediate.leaf()
        let junk = try TestAuthority(.authority("junk"), under: TestAuthority()).certificate
        #expect(try codes(leaf) == ["valid"])
        #expect(try codes(leaf, [junk, root.certificate, leaf, intermediate.certificate, junk]) == ["valid"])
    }

    @Test("The validity includes notBefore, notAfter, and every fraction of the last second")
    func validity() throws {
        var template = CertificateTemplate()
        template.notBefore = TestAuthority.now
        template.notAfter = TestAuthority.now + 60
        let leaf = try intermediate.leaf(template)
        let cases: [(TimeInterval, String)] = [
            (-1, "not-yet-valid"), (-0.001, "not-yet-valid"), (0, "valid"), (0.5, "valid"), (60, "valid"),
            (60.999, "valid"), (61, "expired"), (.infinity, "expired"), (-.infinity, "not-yet-valid"),
            (.nan, "not-yet-valid"),
        ]
        for (offset, code) in cases {
            #expect(try codes(leaf, at: TestAuthority.now + offset) == [code], "\(offset)")
        }
    }

    @Test("The validity of issuers and anchors is checked every time too")
    func issuerValidity() throws {
        let late = TestAuthority.notAfter + 1
        var template = CertificateTemplate()
        template.notAfter = late + 3600
        let leaf = try intermediate.leaf(template)
        #expect(try codes(leaf, at: TestAuthority.notAfter) == ["valid"])
        #expect(try codes(leaf, at: late) == ["expired"])
    }

    @Test("Forbidden properties of a leaf are refused", .producesOfFamily("leaf-is-anchor", "unsupported-version"))
    func leaves() throws {
        let cases: [(String, String, (inout CertificateTemplate) -> Void)] = [
            ("an authority", "leaf-is-ca", { $0 = .authority("leaf") }),
            (
                "keyCertSign without cA", "key-usage",
                { $0.extensions.append(DER.extension(15, critical: DER.isTrue, [3, 2, 2, 4])) }
            ),
            (
                "version 2", "unsupported-version",
                {
                    $0.version = [0xA0, 3, 2, 1, 1]; $0.extensions = []
                }
            ),
            (
                "an unknown critical extension", "unknown-critical-extension",
                { $0.extensions.append(DER.extension(99, critical: DER.isTrue, [5, 0])) }
            ),
            (
                "name constraints that are not critical", "unknown-critical-extension",
                {
                    let names = DER.sequence(DER.tagged(0xA0, DER.sequence(DER.tagged(0x82, [0x61]))))
                    $0.extensions.append(DER.extension(30, names))
                }
            ),
            (
                "SHA-1", "forbidden-algorithm",
                { $0.algorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 10045, 4, 1))) }
            ),
            (
                "RSA", "forbidden-algorithm",
                { $0.algorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)), [5, 0]) }
            ),
            (
                "a key on another curve", "forbidden-algorithm",
                {
                    let algorithm = DER.sequence(
                        DER.oid(ObjectIdentifier(1, 2, 840, 10045, 2, 1)), DER.oid(ObjectIdentifier(1, 3, 132, 0, 10)))
                    $0.publicKey = DER.sequence(algorithm, DER.tagged(0x03, [0, 4] + Array(repeating: 1, count: 64)))
                }
            ),
            ("another issuer's name", "untrusted", { $0.issuer = DER.name("someone") }),
            ("the root's name", "bad-signature", { $0.issuer = DER.name("root") }),
            (
                "a signature with another digest", "bad-signature",
                { $0.algorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2))) }
            ),
        ]
        for (name, code, change) in cases {
            var template = CertificateTemplate()
            change(&template)
            #expect(try codes(intermediate.leaf(template)) == [code], "\(name)")
        }
        let unrelated = try TestAuthority(.authority("intermediate", pathLength: 0), under: root)
        #expect(try codes(unrelated.leaf()) == ["bad-signature"], "signed by another key of that name")
        #expect(try codes(root.certificate) == ["leaf-is-anchor"])
    }

    @Test("A flip of any bit of a leaf is refused")
    func changedLeaves() throws {
        let der = try intermediate.issue()
        let validator = CertificatePathValidator(anchors: [root.certificate])
        _ = try validator.validate(
            intermediate.leaf(), intermediates: [intermediate.certificate], at: TestAuthority.now
        ).get()
        for index in der.indices {
            var changed = der
            changed[index] ^= 1
            guard let leaf = try? Certificate(der: changed[...]) else { continue }
            let result = validator.validate(
                leaf, intermediates: [intermediate.certificate], at: TestAuthority.now)
            #expect(throws: PathFailure.self, "byte \(index)") { try result.get() }
        }
    }

    @Test("Issuers without a required property are refused")
    func issuers() throws {
        var noCA = CertificateTemplate()
        noCA.subject = DER.name("no authority")
        var noBasicConstraints = noCA
        noBasicConstraints.extensions = []
        var noCertSign = CertificateTemplate.authority("no signer")
        noCertSign.extensions[1] = DER.extension(15, critical: DER.isTrue, [3, 2, 1, 2])
        var unknown = CertificateTemplate.authority("unknown")
        unknown.extensions.append(DER.extension(99, critical: DER.isTrue, [5, 0]))
        var expired = CertificateTemplate.authority("expired")
        expired.notAfter = TestAuthority.now - 1
        let cases: [(CertificateTemplate, String)] = [
            (noCA, "not-a-ca"), (noBasicConstraints, "not-a-ca"), (noCertSign, "key-usage"),
            (unknown, "unknown-critical-extension"), (expired, "expired"),
        ]
        for (template, code) in cases {
            let issuer = try TestAuthority(template, under: root)
            #expect(try codes(issuer.leaf(), [issuer.certificate]) == [code])
        }
        let below = try TestAuthority(.authority("below"), under: intermediate)
        let given = [below.certificate, intermediate.certificate]
        #expect(try codes(below.leaf(), given) == ["path-length-exceeded"])
        let stranger = try TestAuthority(.authority("intermediate"), under: TestAuthority())
        #expect(try codes(stranger.leaf(), [stranger.certificate]) == ["bad-signature"])
        #expect(try codes(intermediate.leaf(), []) == ["untrusted"])
    }

    @Test("Only the given anchors are trusted; without anchors, every path is refused")
    func anchors() throws {
        let leaf = try intermediate.leaf()
        for anchors in [[], [try TestAuthority(root: .authority("another")).certificate]] {
            let validator = CertificatePathValidator(anchors: anchors)
            let result = validator.validate(
                leaf, intermediates: [intermediate.certificate, root.certificate], at: TestAuthority.now)
            guard case .failure(.untrusted) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(validator.rememberedIssuers == 0)
        }
        let validator = CertificatePathValidator(anchors: [leaf])
        let result = validator.validate(leaf, intermediates: [], at: TestAuthority.now)
        #expect(throws: PathFailure.leafIsAnchor(subject: "CN=leaf")) { try result.get() }
    }

    @Test(
        "More certificates than the limit are refused before any other check",
        .producesOfFamily("too-many-certificates"))
    func limits() throws {
        let leaf = try intermediate.leaf()
        let many = Array(repeating: intermediate.certificate, count: InputLimits.certificates)
        #expect(try codes(leaf, many) == ["too-many-certificates"])
        #expect(try codes(leaf, Array(many.dropFirst())) == ["valid"])
    }
}
