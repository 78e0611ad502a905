import AssayCore
import AssayPrimitives
import Foundation
import Testing

@Suite struct CertificateTests {
    private typealias Change = @Sendable (inout CertificateTemplate) -> Void

    @Test("The parts of a certificate are slices of the input")
    func parts() throws {
        let root = try TestAuthority()
        let input = [0, 0, 0] + (try root.issue())
        let certificate = try Certificate(der: input[3...])
        #expect(certificate.der.startIndex == 3)
        #expect(certificate.version == 3)
        #expect(Array(certificate.serialNumber) == [0x2A])
        #expect(certificate.issuer == root.certificate.subject)
        #expect(certificate.issuer.startIndex > 3)
        #expect(certificate.subjectDescription == "CN=leaf")
        #expect(certificate.commonName == "leaf")
        #expect(certificate.notBefore == TestAuthority.notBefore)
        #expect(certificate.notAfter == TestAuthority.notAfter)
        #expect(certificate.signatureAlgorithm == .ecdsaSHA384)
        #expect(certificate.extensions.count == 1)
        #expect(certificate.basicConstraints?.isCA == false)
        #expect(try certificate.publicKey().curve == .p256)
        #expect(root.certificate.isSelfIssued)
        #expect(root.certificate.keyUsage == [.keyCertSign, .cRLSign])
        let key = try root.certificate.publicKey()
        #expect(key.isValidSignature(der: certificate.signature, for: certificate.tbsBytes, digest: .sha384))
    }

    @Test("Violations of RFC 5280 section 4.1 or DER are refused with their own code")
    func refusals() throws {
        let ca = DER.extension(19, critical: DER.isTrue, DER.sequence(DER.isTrue))
        let cases: [(String, DecodeError.Code, Change)] = [
            ("version 1 is written", .notMinimal, { $0.version = [0xA0, 3, 2, 1, 0] }),
            ("version 4", .unexpectedValue, { $0.version = [0xA0, 3, 2, 1, 3] }),
            ("extensions in version 1", .unexpected, { $0.version = [] }),
            ("serial number 0", .unexpectedValue, { $0.serialNumber = [2, 1, 0] }),
            ("negative serial number", .unexpectedValue, { $0.serialNumber = [2, 1, 0x80] }),
            ("padded serial number", .notMinimal, { $0.serialNumber = [2, 2, 0, 1] }),
            (
                "serial number of 21 bytes", .unexpectedValue,
                { $0.serialNumber = [2, 21] + Array(repeating: 1, count: 21) }
            ),
            (
                "outer algorithm differs", .unexpectedValue,
                { $0.outerAlgorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2))) }
            ),
            (
                "ECDSA with parameters", .unexpectedValue,
                { $0.algorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)), [5, 0]) }
            ),
            (
                "RSA with a parameter that is not NULL", .unexpectedValue,
                { $0.algorithm = DER.sequence(DER.oid(Self.sha256WithRSA), [4, 0]) }
            ),
            (
                "RSA with a NULL of one byte", .malformed,
                { $0.algorithm = DER.sequence(DER.oid(Self.sha256WithRSA), [5, 1, 0]) }
            ),
            (
                "RSA with NULL outside and without it inside", .unexpectedValue,
                {
                    $0.algorithm = DER.sequence(DER.oid(Self.sha256WithRSA))
                    $0.outerAlgorithm = DER.sequence(DER.oid(Self.sha256WithRSA), [5, 0])
                }
            ),
            (
                "RSA with NULL inside and without it outside", .unexpectedValue,
                {
                    $0.algorithm = DER.sequence(DER.oid(Self.sha256WithRSA), [5, 0])
                    $0.outerAlgorithm = DER.sequence(DER.oid(Self.sha256WithRSA))
                }
            ),
            ("no issuer", .missing, { $0.issuer = DER.sequence() }),
            ("empty RDN", .malformed, { $0.subject = DER.sequence([0x31, 0]) }),
            ("an attribute of a context-specific type", .unexpectedType, { $0.subject = DER.name("a", tag: 0x82) }),
            ("an attribute that is an OCTET STRING", .unexpectedType, { $0.subject = DER.name("a", tag: 0x04) }),
            ("an attribute with unused bits", .malformed, { $0.subject = DER.name("\u{1}\u{1}", tag: 0x03) }),
            ("PrintableString with @", .invalidText, { $0.subject = DER.name("a@b", tag: 0x13) }),
            (
                "UTF8String that is none", .invalidText,
                { $0.subject = DER.name("\u{7F}").map { $0 == 0x7F ? 0xFF : $0 } }
            ),
            ("no extension in the list", .malformed, { $0.extensions = [[]] }),
            ("an extension twice", .duplicateKey, { $0.extensions += [ca] }),
            ("critical FALSE", .notMinimal, { $0.extensions = [DER.extension(99, critical: DER.isFalse, [])] }),
            ("critical 01", .notMinimal, { $0.extensions = [DER.extension(99, critical: [1, 1, 1], [])] }),
            ("cA FALSE", .notMinimal, { $0.extensions = [DER.extension(19, DER.sequence(DER.isFalse))] }),
            ("pathLen without cA", .unexpectedValue, { $0.extensions = [DER.extension(19, DER.sequence([2, 1, 0]))] }),
            (
                "negative pathLen", .unexpectedValue,
                { $0.extensions = [DER.extension(19, DER.sequence(DER.isTrue, [2, 1, 0xFF]))] }
            ),
            (
                "pathLen 256", .unexpectedValue,
                { $0.extensions = [DER.extension(19, DER.sequence(DER.isTrue, [2, 2, 1, 0]))] }
            ),
            ("bytes after basicConstraints", .trailingBytes, { $0.extensions = [DER.extension(19, [0x30, 0, 0])] }),
            ("keyUsage of nothing", .malformed, { $0.extensions = [DER.extension(15, [3, 1, 0])] }),
            ("keyUsage without usages", .malformed, { $0.extensions = [DER.extension(15, [3, 2, 0, 0])] }),
            ("keyUsage of 10 bits", .malformed, { $0.extensions = [DER.extension(15, [3, 3, 6, 0x80, 0x40])] }),
            ("keyUsage of 17 bits", .malformed, { $0.extensions = [DER.extension(15, [3, 4, 7, 0, 0, 0x80])] }),
            ("empty extKeyUsage", .malformed, { $0.extensions = [DER.extension(37, DER.sequence())] }),
            (
                "empty subject, names not critical", .unexpectedValue,
                {
                    $0.subject = DER.sequence()
                    $0.extensions = [DER.extension(17, DER.sequence(DER.tagged(0x82, [0x61])))]
                }
            ),
        ]
        let root = try TestAuthority()
        for (name, code, change) in cases {
            var template = CertificateTemplate()
            change(&template)
            let der = try root.issue(template)
            let error = #expect(throws: DecodeError.self, "\(name)") { try Certificate(der: der[...]) }
            #expect(error?.reason == code, "\(name): \(error?.detail ?? "")")
        }
    }

    private static let sha256WithRSA = ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11)

    @Test("Absent parameters of RSA algorithms count as NULL (RFC 4055 section 5)")
    func absentParameters() throws {
        let root = try TestAuthority()
        for (number, algorithm) in [
            (11, .rsaSHA256), (12, .rsaSHA384), (13, .rsaSHA512),
        ] as [(UInt64, Certificate.SignatureAlgorithm)] {
            for parameters in [[], [5, 0]] as [[UInt8]] {
                var template = CertificateTemplate()
                template.algorithm = DER.sequence(
                    DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 1, number)), parameters)
                let der = try root.issue(template)
                for profile in [Certificate.Profile.internet, .keystore] {
                    #expect(try Certificate(der: der[...], profile: profile).signatureAlgorithm == algorithm)
                }
            }
        }
    }

    @Test("Key usages are read with and without trailing zeros, as devices write them")
    func keyUsage() throws {
        let root = try TestAuthority()
        let cases: [([UInt8], Certificate.KeyUsage)] = [
            ([3, 2, 7, 0x80], .digitalSignature), ([3, 3, 7, 0x80, 0], .digitalSignature),
            ([3, 2, 1, 0x06], [.keyCertSign, .cRLSign]), ([3, 3, 7, 0, 0x80], Certificate.KeyUsage(rawValue: 1 << 8)),
        ]
        for (value, usage) in cases {
            var template = CertificateTemplate()
            template.extensions = [DER.extension(15, value)]
            #expect(try Certificate(der: root.issue(template)[...]).keyUsage == usage)
        }
    }

    @Test("A truncated certificate, one with trailing bytes, and one that is too large are refused")
    func bounds() throws {
        let der = try TestAuthority().issue()
        for length in der.indices {
            #expect(throws: DecodeError.self) { try Certificate(der: der[..<length]) }
        }
        #expect(throws: DecodeError.self) { try Certificate(der: (der + [0])[...]) }
        let large = [UInt8](repeating: 0x30, count: InputLimits.certificate + 1)
        let error = #expect(throws: DecodeError.self) { try Certificate(der: large[...]) }
        #expect(error?.reason == .tooLarge)
    }

    @Test(
        "A certificate is for the DNS names and addresses in its subjectAltName, and a wildcard stands for one label",
        arguments: [
            ("api.example.com", 0x82, "api.example.com", true), ("api.example.com", 0x82, "API.Example.com", true),
            ("api.example.com", 0x82, "*.example.com", true), ("a.api.example.com", 0x82, "*.example.com", false),
            ("example.com", 0x82, "*.example.com", false), ("api.example.com", 0x82, "example.com", false),
            ("api.example.com", 0x82, "a*.example.com", false), ("api.example.com", 0x82, "*", false),
            ("api.example.com", 0x82, "*.", false), ("api.example.com", 0x81, "api.example.com", false),
            ("192.0.2.1", 0x87, "\u{40}\u{0}\u{2}\u{1}", false), ("64.0.2.1", 0x87, "\u{40}\u{0}\u{2}\u{1}", true),
            ("64.0.2.1", 0x82, "64.0.2.1", false),
        ] as [(String, UInt8, String, Bool)])
    func hosts(host: String, tag: UInt8, name: String, expected: Bool) throws {
        let root = try TestAuthority()
        #expect(try !root.leaf().isFor(host: host))
        var template = CertificateTemplate()
        let other = DER.tagged(0x82, Array("other.example.org".utf8))
        template.extensions.append(DER.extension(17, DER.sequence(other, DER.tagged(tag, Array(name.utf8)))))
        #expect(try root.leaf(template).isFor(host: host) == expected)
    }

    @Test("Displayed names have a limited length, and characters that could forge a log line are escaped")
    func descriptions() throws {
        let root = try TestAuthority()
        var template = CertificateTemplate()
        template.subject = DER.name("a\n\u{1B}[2J\u{202E}" + String(repeating: "x", count: 200))
        let description = try root.leaf(template).subjectDescription
        #expect(description.hasPrefix("CN=a\\u{a}\\u{1b}[2J\\u{202e}xxx"))
        #expect(description.count < 120)
        template.subject = DER.sequence()
        #expect(try root.leaf(template).subjectDescription == "(no name)")
        #expect(try root.leaf(template).commonName == nil)
    }
}
