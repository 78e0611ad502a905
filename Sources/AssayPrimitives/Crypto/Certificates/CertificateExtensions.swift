extension Certificate {
    /// An extension (RFC 5280 section 4.2).
    package struct Extension: Sendable {
        package let oid: ObjectIdentifier
        /// Whether a verifier that does not support it must reject the certificate.
        package let isCritical: Bool
        /// The contents of extnValue: the DER of the extension's own type.
        package let value: ArraySlice<UInt8>

        static func readAll(
            _ tbs: inout DERScanner, of der: ArraySlice<UInt8>, version: Int, _ profile: Profile
        ) throws(DecodeError) -> [Extension] {
            let bytes = der.span
            guard let wrapper = try tbs.readIfPresent(.context(3), in: bytes) else { return [] }
            let start = wrapper.offset
            guard version == 3 else { throw DecodeError(.unexpected, at: start, "only version 3 has extensions") }
            var reader = try wrapper.contents.only(.sequence, in: bytes)
            guard !reader.isAtEnd else {
                throw DecodeError(.malformed, at: start, field: "extensions", "extensions are absent or not empty")
            }
            var extensions: [Extension] = []
            extensions.reserveCapacity(4)
            while !reader.isAtEnd {
                let found = try Extension(reader.readContents(.sequence, in: bytes), of: der, profile)
                // By index: a closure would copy each extension.
                for index in extensions.indices where extensions[index].oid == found.oid {
                    throw DecodeError(
                        .duplicateKey, at: found.value.startIndex, field: "extensions", "\(found.oid) is there twice")
                }
                guard extensions.count < 64 else {
                    throw DecodeError(.tooLarge, at: found.value.startIndex, field: "extensions", "more than 64")
                }
                extensions.append(found)
            }
            return extensions
        }

        private init(
            _ contents: DERScanner, of der: ArraySlice<UInt8>, _ profile: Profile
        ) throws(DecodeError) {
            let bytes = der.span
            var reader = contents
            oid = try ObjectIdentifier(contents: der[reader.readContents(.objectIdentifier, in: bytes).indices])
            if let critical = try reader.readIfPresent(.boolean, in: bytes) {
                let contents = critical.contents
                let isTrue =
                    profile == .keystore && contents.onlyByte(in: bytes) == 0x01
                    ? true : try contents.boolean(in: bytes)
                guard isTrue else {
                    throw DecodeError(.notMinimal, at: critical.offset, "FALSE is the default and is absent")
                }
                isCritical = true
            } else {
                isCritical = false
            }
            value = der[try reader.readContents(.octetString, in: bytes).indices]
            try reader.finish()
        }
    }

    /// The basicConstraints extension (RFC 5280 section 4.2.1.9).
    package struct BasicConstraints: Sendable, Hashable {
        /// Whether the subject may issue certificates.
        package let isCA: Bool
        /// The maximum number of intermediates below it that are not self-issued.
        package let pathLength: Int?

        /// Reads the value of the extension.
        package init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
            var reader = try DERReader.single(.sequence, in: value).reader
            if let flag = try reader.readIfPresent(.boolean) {
                guard try flag.boolean() else {
                    throw DecodeError(.notMinimal, at: flag.bytes.startIndex, "FALSE is the default and is absent")
                }
                isCA = true
            } else {
                isCA = false
            }
            if let length = try reader.readIfPresent(.integer) {
                let number = try length.integer()
                guard isCA, (0...255).contains(number) else {
                    throw DecodeError(
                        .unexpectedValue, at: length.bytes.startIndex,
                        "pathLenConstraint is from 0 to 255 and needs cA, found \(number)")
                }
                pathLength = Int(number)
            } else {
                pathLength = nil
            }
            try reader.finish()
        }
    }

    /// The keyUsage extension (RFC 5280 section 4.2.1.3).
    package struct KeyUsage: OptionSet, Sendable, Hashable {
        /// Bit 0 of the BIT STRING is bit 0 here.
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Signatures other than those on certificates and revocation lists.
        package static let digitalSignature = KeyUsage(rawValue: 1 << 0)
        /// Signatures on certificates.
        package static let keyCertSign = KeyUsage(rawValue: 1 << 5)
        /// Signatures on revocation lists.
        package static let cRLSign = KeyUsage(rawValue: 1 << 6)

        /// Reads the value of the extension.
        package init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
            let (unused, bytes) = try DERReader.single(.bitString, in: value).bitString()
            let count = bytes.count * 8 - unused
            var bits: UInt16 = 0
            for index in 0..<min(count, 9)
            where bytes[bytes.startIndex + index / 8] & (0x80 >> UInt8(index % 8)) != 0 {
                bits |= 1 << UInt16(index)
            }
            // At least one bit (RFC 5280). Genuine Android keystores write all nine bits, against X.690 section 11.2.2;
            // the trailing zeros do not change the meaning.
            guard bits != 0, count <= 9 else {
                throw DecodeError(.malformed, at: value.startIndex, "not a KeyUsage: 1 to 9 bits, one of them set")
            }
            rawValue = bits
        }
    }

    /// The authorityKeyIdentifier extension (RFC 5280 section 4.2.1.1).
    struct AuthorityKeyIdentifier: Sendable {
        /// The subjectKeyIdentifier of the issuer.
        let keyIdentifier: ArraySlice<UInt8>?
        /// Whether it also identifies the issuer by the issuer's own issuer and serial number.
        let namesIssuer: Bool

        init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
            var reader = try DERReader.single(.sequence, in: value).reader
            keyIdentifier = try reader.readIfPresent(.context(0, constructed: false))?.contents
            let issuer = try reader.readIfPresent(.context(1))
            let serial = try reader.readIfPresent(.context(2, constructed: false))
            try reader.finish()
            if let issuer { try GeneralNames.check(issuer) }
            if let serial { try DERElement.requireMinimalInteger(serial.contents) }
            guard (issuer == nil) == (serial == nil) else {
                throw DecodeError(.missing, at: value.startIndex, "issuer and serial number are given together")
            }
            namesIssuer = issuer != nil
        }
    }
}

extension ObjectIdentifier {
    /// An identifier under id-ce (RFC 5280 appendix A.2).
    static func certificateExtension(_ number: UInt64) -> ObjectIdentifier { ObjectIdentifier(2, 5, 29, number) }

    static let subjectKeyIdentifier = certificateExtension(14)
    package static let keyUsage = certificateExtension(15)
    static let subjectAltName = certificateExtension(17)
    package static let basicConstraints = certificateExtension(19)
    static let nameConstraints = certificateExtension(30)
    static let certificatePolicies = certificateExtension(32)
    static let policyMappings = certificateExtension(33)
    static let authorityKeyIdentifier = certificateExtension(35)
    static let policyConstraints = certificateExtension(36)
    static let extendedKeyUsage = certificateExtension(37)
    static let inhibitAnyPolicy = certificateExtension(54)
}
