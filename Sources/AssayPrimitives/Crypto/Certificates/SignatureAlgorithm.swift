extension Certificate {
    package enum SignatureAlgorithm: Sendable, Hashable, CustomStringConvertible {
        /// ECDSA with SHA-256 (RFC 5758 section 3.2).
        case ecdsaSHA256
        /// ECDSA with SHA-384.
        case ecdsaSHA384
        /// ECDSA with SHA-512.
        case ecdsaSHA512
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 4055 section 5).
        case rsaSHA256
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        case rsaSHA384
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        case rsaSHA512
        /// Any other algorithm. Paths must not contain it.
        case other(ObjectIdentifier)

        /// Reads an AlgorithmIdentifier. Parameters must be absent for known ECDSA algorithms, and NULL or absent for RSA:
        /// signers write NULL, and verifiers MUST accept both (RFC 4055 section 5).
        ///
        /// - Parameter allowsNull: whether NULL parameters are also allowed for ECDSA algorithms, as some keystores
        ///   write them.
        package init(_ element: DERElement, allowsNull: Bool = false) throws(DecodeError) {
            var reader = DERScanner(element.bytes)
            try self.init(reader.read(in: element.bytes.span), of: element.bytes, allowsNull: allowsNull)
        }

        /// Reads an AlgorithmIdentifier that a scanner of `input` found, by the same rules.
        init(_ element: DERScanner.Element, of input: ArraySlice<UInt8>, allowsNull: Bool) throws(DecodeError) {
            let bytes = input.span
            var reader = element.contents
            let oid = try ObjectIdentifier(contents: input[reader.readContents(.objectIdentifier, in: bytes).indices])
            let parameters = reader.isAtEnd ? nil : try reader.read(in: bytes)
            try reader.finish()
            guard let known = SignatureAlgorithm.known.first(where: { $0.key == oid })?.value else {
                self = .other(oid)
                return
            }
            guard parameters == nil || parameters?.tag == .null && (allowsNull || !known.isECDSA) else {
                throw DecodeError(
                    .unexpectedValue, at: element.offset, field: "signatureAlgorithm",
                    "\(known) has \(known.isECDSA ? "no parameters" : "NULL as its parameters, or none")")
            }
            try parameters?.contents.null()
            self = known
        }

        private static let known: KeyValuePairs<ObjectIdentifier, SignatureAlgorithm> = [
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2): .ecdsaSHA256,
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3): .ecdsaSHA384,
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 4): .ecdsaSHA512,
            ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11): .rsaSHA256,
            ObjectIdentifier(1, 2, 840, 113549, 1, 1, 12): .rsaSHA384,
            ObjectIdentifier(1, 2, 840, 113549, 1, 1, 13): .rsaSHA512,
        ]

        private var isECDSA: Bool {
            switch self {
            case .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512: true
            case .rsaSHA256, .rsaSHA384, .rsaSHA512, .other: false
            }
        }

        /// The digest of an ECDSA signature that ``ECDSAPublicKey`` supports; otherwise nil.
        package var ecdsaDigest: ECDSAPublicKey.SignatureDigest? {
            switch self {
            case .ecdsaSHA256: .sha256
            case .ecdsaSHA384: .sha384
            case .ecdsaSHA512, .rsaSHA256, .rsaSHA384, .rsaSHA512, .other: nil
            }
        }

        /// The name in its standard, or the object identifier.
        package var description: String {
            switch self {
            case .ecdsaSHA256: "ecdsa-with-SHA256"
            case .ecdsaSHA384: "ecdsa-with-SHA384"
            case .ecdsaSHA512: "ecdsa-with-SHA512"
            case .rsaSHA256: "sha256WithRSAEncryption"
            case .rsaSHA384: "sha384WithRSAEncryption"
            case .rsaSHA512: "sha512WithRSAEncryption"
            case .other(let oid): oid.description
            }
        }
    }
}
