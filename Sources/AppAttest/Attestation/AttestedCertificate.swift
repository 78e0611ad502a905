package import AssayPrimitives

/// The facts that Apple certifies in the extensions 1.2.840.113635.100.8.5, .6 and .7 of the attested certificate. They are not
/// critical, and this reader is lenient: a missing value or one of another type is nil. ``nonce(of:)`` is strict.
package struct AttestedCertificate: Sendable {
    /// The operating system family; nil if the extensions name neither.
    let platform: ApplePlatform?
    /// Whether the extensions name any platform, including unsupported ones such as tvOS.
    let namesPlatform: Bool
    let osVersion: String?
    let osBuild: String?
    /// The key's access control list, extension 1.2.840.113635.100.8.6.
    let accessControlList: ArraySlice<UInt8>?
    /// The App ID, field 1204 of extension 1.2.840.113635.100.8.5. Only for messages: the RP ID hash decides.
    let appID: String?

    /// The access control list of keys on macOS, as Apple documents it in "Validating apps that connect to your
    /// server": MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB.
    package static let macOSAccessControlList: [UInt8] =
        [0x30, 0x40, 0x0C, 0x02, 0x31, 0x31, 0x30, 0x3A, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x6B, 0xA1, 0x03]
        + [0x01, 0x01, 0xFF, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x61, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x0B]
        + [0x0C, 0x04, 0x6F, 0x64, 0x65, 0x6C, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x15, 0x0C, 0x04, 0x6F]
        + [0x73, 0x67, 0x6E, 0xA0, 0x06, 0x0C, 0x04, 0x72, 0x73, 0x65, 0x63, 0x30, 0x05, 0xA6, 0x03, 0x02]
        + [0x01, 0x01]

    private static let nonceExtension = ObjectIdentifier(1, 2, 840, 113635, 100, 8, 2)
    private static let keyExtension = ObjectIdentifier(1, 2, 840, 113635, 100, 8, 5)
    private static let accessControlExtension = ObjectIdentifier(1, 2, 840, 113635, 100, 8, 6)
    private static let systemExtension = ObjectIdentifier(1, 2, 840, 113635, 100, 8, 7)

    /// Reads the extensions of a leaf.
    init(_ leaf: Certificate) {
        let key = TaggedFields(leaf, Self.keyExtension)
        let system = TaggedFields(leaf, Self.systemExtension)
        let claims = (code: key.integer(4), name: system.text(1026))
        platform =
            switch claims {
            // Either of the two claims suffices for the stricter rules of macOS.
            case (13, _), (_, "macosx"): .macOS
            case (10, _), (_, "iphoneos"): .iOS
            default: nil
            }
        namesPlatform = claims.code != nil || claims.name != nil
        osVersion = system.text(1400) ?? system.text(1405)
        osBuild = system.text(1403)
        appID = key.text(1204, atMost: 255)
        accessControlList = TaggedFields(leaf, Self.accessControlExtension).octets(3)
    }

    /// The nonce in the leaf: extension 1.2.840.113635.100.8.2 = SEQUENCE { [1] EXPLICIT OCTET STRING(32) }.
    package static func nonce(of leaf: Certificate) throws(DecodeError) -> ArraySlice<UInt8> {
        guard let value = leaf.extension(nonceExtension)?.value else {
            throw DecodeError(.missing, at: leaf.der.startIndex, "the attested certificate does not have it")
        }
        var sequence = try DERReader.single(.sequence, in: value).reader
        var tagged = try sequence.readConstructed(.context(1))
        try sequence.finish()
        let nonce = try tagged.read(.octetString).octetString()
        try tagged.finish()
        guard nonce.count == 32 else {
            throw DecodeError(.unexpectedLength, at: nonce.startIndex, "expected 32 bytes, found \(nonce.count)")
        }
        return nonce
    }
}

/// A SEQUENCE of explicitly tagged values, as Apple's extensions use it.
private struct TaggedFields {
    // Few: genuine certificates have a handful, and the size of certificates is limited.
    private var fields: [(tag: UInt32, contents: ArraySlice<UInt8>)] = []

    /// The contents of the last field with a tag.
    private subscript(tag: UInt32) -> ArraySlice<UInt8>? { fields.last { $0.tag == tag }?.contents }

    init(_ certificate: Certificate, _ oid: ObjectIdentifier) {
        guard let value = certificate.extension(oid)?.value,
            var reader = try? DERReader.single(.sequence, in: value).reader
        else { return }
        // Stop at the first unexpected field: Apple adds to these extensions without notice.
        while !reader.isAtEnd, let element = try? reader.read(), element.tag.tagClass == .contextSpecific {
            fields.append((element.tag.number, element.contents))
        }
    }

    func integer(_ tag: UInt32) -> Int64? {
        self[tag].flatMap { try? DERReader.single(.integer, in: $0).integer() }
    }

    func octets(_ tag: UInt32) -> ArraySlice<UInt8>? {
        self[tag].flatMap { try? DERReader.single(.octetString, in: $0).octetString() }
    }

    func text(_ tag: UInt32, atMost limit: Int = 64) -> String? {
        guard let octets = octets(tag), octets.count <= limit else { return nil }
        return String(validating: octets, as: UTF8.self)?.escapingControls
    }
}
