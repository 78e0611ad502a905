/// The accepted RSA keys: large enough to be secure, small enough to verify cheaply.
enum RSAKeyRules {
    /// Whether this is the SubjectPublicKeyInfo of an RSA key (RFC 3279 section 2.3.1) with a modulus of 2048 to 8192
    /// bits in whole bytes and an odd exponent of 2 to 32 bits.
    static func isAllowed(_ subjectPublicKeyInfo: ArraySlice<UInt8>) -> Bool {
        (try? modulusLength(subjectPublicKeyInfo)).map { modulusLengths.contains($0) } ?? false
    }

    /// The allowed lengths of a modulus in bytes.
    static let modulusLengths = 256...1024

    private static let rsaEncryption = ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1)

    /// The SubjectPublicKeyInfo with NULL in the place of absent parameters, if it is that of an RSA key; otherwise the same
    /// bytes. Parameters are NULL by RFC 3279 section 2.3.1, and absent in what some signers write (RFC 4055 section 5).
    static func canonical(_ info: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard var reader = try? DERReader.single(.sequence, in: info).reader,
            var algorithm = try? reader.readConstructed(.sequence),
            let element = try? algorithm.read(.objectIdentifier), algorithm.isAtEnd,
            let oid = try? ObjectIdentifier(element), oid == rsaEncryption,
            let key = try? reader.read(.bitString), reader.isAtEnd
        else { return info }
        return DEREncoding.sequence(DEREncoding.rsaEncryption + key.bytes)[...]
    }

    /// The length of the modulus in bytes.
    /// - Throws: ``DecodeError`` for another key type, an even or too large exponent, or a modulus not in whole bytes.
    static func modulusLength(_ info: ArraySlice<UInt8>) throws(DecodeError) -> Int {
        var reader = try DERReader.single(.sequence, in: info).reader
        var algorithm = try reader.readConstructed(.sequence)
        let oid = try algorithm.readObjectIdentifier()
        guard oid == rsaEncryption else {
            throw DecodeError(.unexpectedValue, at: info.startIndex, "not an RSA key")
        }
        try algorithm.read(.null).null()
        try algorithm.finish()
        let bits = try reader.read(.bitString).bitStringBytes()
        try reader.finish()

        var key = try DERReader.single(.sequence, in: bits).reader
        let modulus = try key.read(.integer).integerBytes()
        let exponent = try key.read(.integer).integerBytes()
        try key.finish()
        // In whole bytes, the modulus has its highest bit set, so DER puts a zero byte before it.
        guard modulus.first == 0, modulus.dropFirst().first.map({ $0 & 0x80 != 0 }) == true,
            let last = exponent.last, last & 1 == 1, let first = exponent.first, first & 0x80 == 0,
            exponent.count <= 5, exponent.count > 1 || last > 1
        else { throw DecodeError(.unexpectedValue, at: bits.startIndex, "not an RSA key of an accepted form") }
        return modulus.count - 1
    }
}
