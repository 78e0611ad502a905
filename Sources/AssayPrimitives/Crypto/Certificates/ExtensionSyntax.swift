/// Checks the syntax of extensions whose values are not used.
enum ExtensionSyntax {
    /// SEQUENCE SIZE (1..MAX) OF OBJECT IDENTIFIER (RFC 5280 section 4.2.1.12).
    static func checkExtendedKeyUsage(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = try nonEmpty(DERReader.single(.sequence, in: value))
        while !reader.isAtEnd { _ = try reader.readObjectIdentifier() }
    }

    /// Certificate policies with their qualifiers (RFC 5280 section 4.2.1.4).
    static func checkCertificatePolicies(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var policies = try nonEmpty(DERReader.single(.sequence, in: value))
        while !policies.isAtEnd {
            var policy = try policies.readConstructed(.sequence)
            _ = try policy.readObjectIdentifier()
            if !policy.isAtEnd {
                var qualifiers = try nonEmpty(policy.read(.sequence))
                while !qualifiers.isAtEnd {
                    var qualifier = try qualifiers.readConstructed(.sequence)
                    _ = try qualifier.readObjectIdentifier()
                    _ = try qualifier.read()
                    try qualifier.finish()
                }
            }
            try policy.finish()
        }
    }

    /// Policy constraints: at least one of two counts (RFC 5280 section 4.2.1.11).
    static func checkPolicyConstraints(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = try nonEmpty(DERReader.single(.sequence, in: value))
        for number: UInt32 in [0, 1] {
            guard let count = try reader.readIfPresent(.context(number, constructed: false)) else { continue }
            let bytes = count.contents
            try DERElement.requireMinimalInteger(bytes)
            guard let first = bytes.first, first & 0x80 == 0 else {
                throw DecodeError(.unexpectedValue, at: bytes.startIndex, "a count is not negative")
            }
        }
        try reader.finish()
    }

    /// Name constraints: permitted and excluded subtrees (RFC 5280 section 4.2.1.10).
    static func checkNameConstraints(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = try nonEmpty(DERReader.single(.sequence, in: value))
        for number: UInt32 in [0, 1] {
            guard let list = try reader.readIfPresent(.context(number)) else { continue }
            var subtrees = try nonEmpty(list)
            while !subtrees.isAtEnd {
                var subtree = try subtrees.readConstructed(.sequence)
                try GeneralNames.check(name: subtree.read(), addressLengths: [8, 32])
                // RFC 5280: minimum is the default, 0, and so absent in DER; maximum is absent.
                try subtree.finish()
            }
        }
        try reader.finish()
    }

    /// A reader for the contents of an element. Throws if it is empty.
    static func nonEmpty(_ element: DERElement) throws(DecodeError) -> DERReader {
        guard !element.contents.isEmpty else {
            throw DecodeError(.malformed, at: element.bytes.startIndex, "\(element.tag) must not be empty")
        }
        return element.reader
    }
}

/// GeneralNames, RFC 5280 section 4.2.1.6.
enum GeneralNames {
    /// Checks a list of names, which must not be empty.
    static func check(_ list: DERElement) throws(DecodeError) {
        var reader = try ExtensionSyntax.nonEmpty(list)
        while !reader.isAtEnd { try check(name: reader.read(), addressLengths: [4, 16]) }
    }

    /// Checks one name. `addressLengths` are the allowed lengths of an IP address in bytes.
    static func check(name: DERElement, addressLengths: [Int]) throws(DecodeError) {
        let start = name.bytes.startIndex
        guard name.tag.tagClass == .contextSpecific else {
            throw DecodeError(.unexpectedType, at: start, "expected a GeneralName, found \(name.tag)")
        }
        switch (name.tag.number, name.tag.isConstructed) {
        case (0, true):
            var reader = name.reader
            _ = try reader.readObjectIdentifier()
            _ = try reader.read(.context(0))
            try reader.finish()
        case (1, false), (2, false), (6, false):
            guard name.contents.allSatisfy({ $0 < 0x80 }) else {
                throw DecodeError(.invalidText, at: start, "not an IA5String")
            }
        case (3, true), (5, true): break
        case (4, true):
            let contents = name.contents
            var reader = DERScanner(contents)
            _ = try DistinguishedName(reader.read(.sequence, in: contents.span), of: contents)
            try reader.finish()
        case (7, false):
            guard addressLengths.contains(name.contents.count) else {
                throw DecodeError(
                    .unexpectedLength, at: start,
                    "an IP address has \(addressLengths.map(String.init).joined(separator: " or ")) bytes here")
            }
        case (8, false):
            guard let last = name.contents.last, last & 0x80 == 0 else {
                throw DecodeError(.truncated, at: start, "the OBJECT IDENTIFIER does not end")
            }
        default: throw DecodeError(.unexpectedType, at: start, "expected a GeneralName, found \(name.tag)")
        }
    }
}
