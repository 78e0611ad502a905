import AppAttest
import AssayCore

/// Annotates authenticator data in place: rpIdHash 32 | flags 1 | counter 4 | [attested credential data] | [extensions]
/// (Web Authentication Level 2 section 6.1).
enum AuthenticatorDataAnnotator {
    /// The evidence that contains the authenticator data, which decides the parts after its head.
    enum Source {
        /// An attestation: attested credential data follows.
        case attestation
        /// An assertion: only extensions may follow.
        case assertion
        /// Unknown: the next byte decides.
        case unknown
    }

    private static let headLength = 37

    /// Describes a byte string with authenticator data; leaves other items as they are.
    static func describe(_ annotation: inout Annotation, _ node: CBORNode, of source: Source, in bytes: [UInt8]) {
        guard let range = node.byteRange else { return }
        annotation.value = nil
        annotation.meaning = "authenticator data, \(Words.count(range.count, "byte"))"
        annotation.children = annotations(bytes, in: range, of: source)
    }

    static func annotations(_ bytes: [UInt8], in range: Range<Int>, of source: Source) -> [Annotation] {
        var parts = Parts(bytes: bytes, range: range)
        parts.take(32, "rpIdHash") { bytes, range in
            Annotation(
                "rpIdHash", at: range, value: Hexadecimal.text(bytes[range]),
                meaning: "SHA-256 of the App ID (team identifier, period, bundle identifier)")
        }
        parts.take(1, "flags") { bytes, range in flags(bytes[range.lowerBound], at: range) }
        parts.take(4, "counter") { bytes, range in
            let counter = bytes[range].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return Annotation(
                "counter", at: range, value: "\(counter)",
                meaning: counter == 0
                    ? "as in attestations; each assertion counts one up" : "how many assertions the key has signed")
        }
        guard !parts.isAtEnd else { return parts.annotations }
        if hasCredential(bytes, parts.rest, source) { credential(&parts) }
        extensions(&parts)
        return parts.annotations
    }

    private static func hasCredential(_ bytes: [UInt8], _ rest: Range<Int>, _ source: Source) -> Bool {
        switch source {
        case .attestation: true
        case .assertion: false
        // Extensions are a map, CBOR major type 5. An AAGUID begins with a letter, whose top bits are not 5.
        case .unknown: bytes[rest].first.map { $0 >> 5 != 5 } ?? false
        }
    }

    // MARK: Flags

    private static let bits: [(bit: UInt8, name: String, meaning: String)] = [
        (0x01, "UP", "user present"), (0x02, "RFU1", "reserved"), (0x04, "UV", "user verified"),
        (0x08, "BE", "backup eligible"), (0x10, "BS", "backed up"), (0x20, "RFU2", "reserved"),
        (0x40, "AT", "attested credential data"), (0x80, "ED", "extensions"),
    ]

    private static func flags(_ byte: UInt8, at range: Range<Int>) -> Annotation {
        Annotation(
            "flags", at: range, value: "0x\(Hexadecimal.text([byte]))",
            meaning: "Apple's devices set AT and ED without regard to what follows, so that they say nothing",
            children: bits.map { bit, name, meaning in
                Annotation(
                    "\(name), bit \(bit.trailingZeroBitCount)", at: range, value: byte & bit == 0 ? "0" : "1",
                    meaning: meaning)
            })
    }

    // MARK: Attested credential data

    private static func credential(_ parts: inout Parts) {
        parts.take(16, "aaguid") { bytes, range in aaguid(bytes[range], at: range) }
        var length = 0
        parts.take(2, "credentialIdLength") { bytes, range in
            length = Int(bytes[range.lowerBound]) << 8 | Int(bytes[range.lowerBound + 1])
            return Annotation(
                "credentialIdLength", at: range, value: "\(length)",
                meaning: length == 32 ? nil : "App Attest has 32, the length of SHA-256")
        }
        guard !parts.isAtEnd else { return }
        var identifier: ArraySlice<UInt8> = []
        parts.take(length, "credentialId") { bytes, range in
            identifier = bytes[range]
            return Annotation(
                "credentialId", at: range, value: Base64.encode(bytes[range], .standard),
                meaning: "the key identifier as apps send it; in hexadecimal \(Hexadecimal.text(bytes[range]))")
        }
        guard !parts.isAtEnd else { return }
        let (node, end) = LenientCBOR.read(parts.bytes[parts.rest])
        parts.add(COSEKeyAnnotator.annotation(node, in: parts.bytes, credentialID: identifier), upTo: end)
    }

    private static func aaguid(_ value: ArraySlice<UInt8>, at range: Range<Int>) -> Annotation {
        let environment = AttestEnvironment.allCases.first { $0.aaguid.elementsEqual(value) }
        let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
        let zeros = value.reversed().prefix { $0 == 0 }.count
        let isText = value.dropLast(zeros).allSatisfy { (0x20...0x7E).contains($0) } && zeros < 16
        let meaning: String
        switch environment {
        case .production: meaning = "the production environment: App Store, TestFlight, enterprise"
        case .development: meaning = "the development environment: builds from Xcode"
        case nil:
            meaning = "no environment of App Attest: all 16 bytes count"
        }
        return Annotation(
            "aaguid", at: range,
            value: isText ? "\"\(text)\"" + (zeros > 0 ? " and \(zeros) zero bytes" : "") : Hexadecimal.text(value),
            meaning: meaning)
    }

    // MARK: Extensions

    private static func extensions(_ parts: inout Parts) {
        guard !parts.isAtEnd else { return }
        let (node, end) = LenientCBOR.read(parts.bytes[parts.rest])
        parts.add(ExtensionsAnnotator.annotation(node, in: parts.bytes), upTo: end)
        guard !parts.isAtEnd else { return }
        parts.take(parts.rest.count, "rest") { bytes, range in
            Annotation(
                "rest", at: range, value: Hexadecimal.text(bytes[range].prefix(64)), violation: "nothing may follow")
        }
    }
}

/// Takes parts from the front of authenticator data.
private struct Parts {
    let bytes: [UInt8]
    private(set) var rest: Range<Int>
    private(set) var annotations: [Annotation] = []

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        rest = range
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes a part of `count` bytes; if fewer are left, takes those as a broken part.
    mutating func take(_ count: Int, _ name: String, _ annotate: ([UInt8], Range<Int>) -> Annotation) {
        guard !isAtEnd else { return }
        guard rest.count >= count else {
            annotations.append(
                Annotation(
                    name, at: rest, value: Hexadecimal.text(bytes[rest]),
                    violation: "cut off: \(rest.count) of \(count) bytes are there"))
            rest = rest.upperBound..<rest.upperBound
            return
        }
        let range = rest.lowerBound..<rest.lowerBound + count
        annotations.append(annotate(bytes, range))
        rest = range.upperBound..<rest.upperBound
    }

    mutating func add(_ annotation: Annotation, upTo end: Int) {
        annotations.append(annotation)
        rest = min(max(end, rest.lowerBound), rest.upperBound)..<rest.upperBound
    }
}

/// Annotates the key in attested credential data: {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1).
enum COSEKeyAnnotator {
    private static let parameters: [(label: String, name: String, meanings: [String: String])] = [
        ("1", "kty", ["1": "OKP", "2": "EC2: an elliptic curve key with two coordinates", "3": "RSA"]),
        ("3", "alg", ["-7": "ES256: ECDSA with SHA-256", "-35": "ES384", "-8": "EdDSA", "-257": "RS256"]),
        ("-1", "crv", ["1": "P-256", "2": "P-384", "3": "P-521"]),
        ("-2", "x", [:]), ("-3", "y", [:]),
    ]

    /// The annotation of a key, with the digest of its point, which should equal the credential identifier.
    static func annotation(
        _ node: CBORNode, in bytes: [UInt8], credentialID: ArraySlice<UInt8>
    ) -> Annotation {
        var key = CBORAnnotator.annotate(node, named: "credentialPublicKey", in: bytes)
        key.meaning = "a COSE key"
        for index in key.children.indices {
            guard let parameter = parameters.first(where: { $0.label == key.children[index].name }) else { continue }
            key.children[index].name = "\(parameter.name) (\(parameter.label))"
            key.children[index].meaning =
                key.children[index].value.flatMap { parameter.meanings[$0] } ?? key.children[index].meaning
        }
        guard let x = node[-2]?.byteRange, let y = node[-3]?.byteRange, x.count == 32, y.count == 32 else { return key }
        let digest = Digest.sha256([0x04] + bytes[x] + bytes[y])
        key.children.append(
            Annotation(
                "SHA-256 of the point", value: Base64.encode(digest, .standard),
                meaning: digest.elementsEqual(credentialID)
                    ? "equals credentialId, as it must" : "differs from credentialId, which it must equal"))
        return key
    }
}

/// Annotates the extensions of authenticator data, a CBOR map since iOS 27 and macOS 27.
enum ExtensionsAnnotator {
    static func annotation(_ node: CBORNode, in bytes: [UInt8]) -> Annotation {
        var map = CBORAnnotator.annotate(node, named: "extensions", in: bytes)
        guard case .map = node.content else {
            map.violation = map.violation ?? "extensions are a map"
            return map
        }
        map.meaning = "what the system says of the app, since iOS 27 and macOS 27"
        map.eachMember(of: node) { describe(&$0, $1, in: bytes) }
        return map
    }

    private static func describe(_ annotation: inout Annotation, _ node: CBORNode, in bytes: [UInt8]) {
        switch annotation.name {
        case "apple_bundle_version_01": annotation.meaning = "the app's bundle version"
        case "apple_validation_category_01":
            let number = number(node, in: bytes)
            annotation.meaning =
                number.map { "\($0): \(category($0))" }
                ?? "a validation category is an unsigned integer or 4 bytes, little-endian"
        case "apple_cd_hash_hash_01": annotation.meaning = "digest of the app's code directory (undocumented)"
        case "apple_cd_hash_type_01":
            annotation.meaning =
                "which digest that is (undocumented)" + (number(node, in: bytes) == 2 ? "; 2 is SHA-256" : "")
        default:
            annotation.meaning = ["unknown extension", annotation.meaning].compactMap { $0 }.joined(separator: ", ")
        }
    }

    private static func number(_ node: CBORNode, in bytes: [UInt8]) -> UInt64? {
        switch node.content {
        case .unsigned(let number): number
        case .bytes(let range) where range.count == 4 || range.count == 1:
            bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        default: nil
        }
    }

    private static func category(_ number: UInt64) -> String {
        switch ValidationCategory(value: number) {
        case .operatingSystem: "part of the operating system"
        case .testFlight: "installed by TestFlight"
        case .development: "installed by Xcode"
        case .appStore: "installed by the App Store"
        case .enterprise: "enterprise or ad hoc distribution"
        case .developerID: "signed with a Developer ID"
        case .other: "installed in another way"
        case nil: number <= 9 ? "never appropriate" : "not documented"
        }
    }
}
