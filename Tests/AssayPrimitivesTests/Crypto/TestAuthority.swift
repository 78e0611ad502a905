import AssayPrimitives
import Crypto
import Foundation

/// Builds valid and invalid DER.
enum DER {
    static func tagged(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        let body = contents.flatMap { $0 }
        var length: [UInt8] = []
        var rest = body.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        if body.count < 0x80 { return [tag, UInt8(body.count)] + body }
        return [tag, 0x80 | UInt8(length.count)] + length + body
    }

    static func sequence(_ contents: [UInt8]...) -> [UInt8] { tagged(0x30, contents.flatMap { $0 }) }

    static func oid(_ oid: ObjectIdentifier) -> [UInt8] { tagged(0x06, Array(oid.contents)) }

    static func name(_ commonName: String, tag: UInt8 = 0x0C) -> [UInt8] {
        let attribute = sequence(oid(ObjectIdentifier(2, 5, 4, 3)), tagged(tag, Array(commonName.utf8)))
        return sequence(tagged(0x31, attribute))
    }

    static func time(_ date: Date) -> [UInt8] {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return tagged(0x18, Array(formatter.string(from: date).utf8))
    }

    /// An extension; `critical` is the encoding of the flag, which may be invalid.
    static func `extension`(_ number: UInt64, critical: [UInt8] = [], _ value: [UInt8]) -> [UInt8] {
        sequence(oid(ObjectIdentifier(2, 5, 29, number)), critical, tagged(0x04, value))
    }

    static let isTrue: [UInt8] = [0x01, 0x01, 0xFF]
    static let isFalse: [UInt8] = [0x01, 0x01, 0x00]
}

/// A certificate to be minted. The defaults are those of a leaf.
struct CertificateTemplate {
    var version: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
    var serialNumber: [UInt8] = [0x02, 0x01, 0x2A]
    var algorithm = DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3)))
    var outerAlgorithm: [UInt8]?
    var issuer: [UInt8]?
    var subject = DER.name("leaf")
    var notBefore = TestAuthority.notBefore
    var notAfter = TestAuthority.notAfter
    var publicKey: [UInt8]?
    var afterPublicKey: [UInt8] = []
    var extensions: [[UInt8]] = [DER.extension(19, critical: DER.isTrue, DER.sequence())]

    /// A certificate template for a certification authority.
    static func authority(_ name: String, pathLength: UInt8? = nil) -> CertificateTemplate {
        var template = CertificateTemplate()
        template.subject = DER.name(name)
        let length = pathLength.map { DER.tagged(0x02, [$0]) } ?? []
        template.extensions = [
            DER.extension(19, critical: DER.isTrue, DER.sequence(DER.isTrue, length)),
            // keyCertSign and cRLSign.
            DER.extension(15, critical: DER.isTrue, [0x03, 0x02, 0x01, 0x06]),
        ]
        return template
    }
}

/// A certification authority for tests, with a key on P-384.
struct TestAuthority {
    static let notBefore = Date(timeIntervalSince1970: 1_700_000_000)
    static let notAfter = Date(timeIntervalSince1970: 1_800_000_000)
    static let now = Date(timeIntervalSince1970: 1_750_000_000)

    let certificate: Certificate
    let name: [UInt8]
    private let key: P384.Signing.PrivateKey

    /// A self-signed authority.
    init(root template: CertificateTemplate = .authority("root")) throws {
        let key = P384.Signing.PrivateKey()
        self.key = key
        name = template.subject
        let der = try TestAuthority.mint(template, issuer: name, issuerKey: key, key: Self.info(key))
        certificate = try Certificate(der: der[...])
    }

    /// An authority below another one.
    init(_ template: CertificateTemplate, under issuer: TestAuthority) throws {
        let key = P384.Signing.PrivateKey()
        self.key = key
        name = template.subject
        certificate = try Certificate(der: issuer.issue(template, for: Self.info(key))[...])
    }

    /// The encoding of a certificate with a new P-256 key.
    func issue(_ template: CertificateTemplate = CertificateTemplate()) throws -> [UInt8] {
        let point = [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)
        return try issue(template, for: ECDSAPublicKey(x963: point, curve: .p256).subjectPublicKeyInfo)
    }

    /// A leaf with a new P-256 key.
    func leaf(_ template: CertificateTemplate = CertificateTemplate()) throws -> Certificate {
        try Certificate(der: issue(template)[...])
    }

    private func issue(_ template: CertificateTemplate, for info: [UInt8]) throws -> [UInt8] {
        try TestAuthority.mint(template, issuer: name, issuerKey: key, key: info)
    }

    private static func info(_ key: P384.Signing.PrivateKey) throws -> [UInt8] {
        try ECDSAPublicKey(x963: [UInt8](key.publicKey.x963Representation), curve: .p384).subjectPublicKeyInfo
    }

    private static func mint(
        _ template: CertificateTemplate, issuer: [UInt8], issuerKey: P384.Signing.PrivateKey, key: [UInt8]
    ) throws -> [UInt8] {
        let extensions =
            template.extensions.isEmpty
            ? [] : DER.tagged(0xA3, DER.sequence(template.extensions.flatMap { $0 }))
        let tbs = DER.sequence(
            template.version, template.serialNumber, template.algorithm, template.issuer ?? issuer,
            DER.sequence(DER.time(template.notBefore), DER.time(template.notAfter)), template.subject,
            template.publicKey ?? key, template.afterPublicKey, extensions)
        let signature = try issuerKey.signature(for: SHA384.hash(data: tbs)).derRepresentation
        return DER.sequence(
            tbs, template.outerAlgorithm ?? template.algorithm, DER.tagged(0x03, [0], [UInt8](signature)))
    }
}
