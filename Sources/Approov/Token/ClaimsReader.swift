public import AssayCore

extension CheckID {
    /// The claims are strict JSON, and each known claim has its type.
    public static let approovTokenClaims = CheckID("approov.token.claims")
}

extension ApproovCheck {
    static let claimsEntry = CheckDefinition(
        .approovTokenClaims, .gate,
        proves: "The claims are one strict JSON object, and every known claim has its type.",
        stops: "Claims that two readers understand differently, such as duplicates.",
        lookAt: "The claim and byte in the detail.",
        source: "RFC 7519 section 7.2; Approov, Token Claims",
        remedy: .nothing, codes: CheckCode.ofDecoding)
}

/// Reads a token's claims from strict JSON. Keeps undocumented claims.
package struct ClaimsReader {
    private(set) var expiry: Double?
    private(set) var notBefore: Double?
    private(set) var issuedAt: Double?
    private(set) var deviceID: String?
    private(set) var address: String?
    private(set) var issuer: String?
    private(set) var audiences: [String]?
    private(set) var subject: String?
    private(set) var annotations: [String]?
    private(set) var responseCode: String?
    private(set) var boundDigest: [UInt8]?
    private(set) var installationKey: [UInt8]?
    private(set) var messageKeyID: String?
    private(set) var proofKey: SecretBytes?
    private(set) var integrity: SecretBytes?
    private(set) var device: SecretBytes?
    private(set) var unknown: [ApproovClaims.Unknown] = []

    /// The length of a device ID in bytes.
    static let deviceIDLength = 16
    /// The length of a proof key in bytes.
    static let proofKeyLength = 16
    /// The length of measurements and digests in bytes: SHA-256.
    static let digestLength = 32
    /// The maximum length of an attestation response code in characters. Known codes have 6 to 12.
    static let responseCodeLength = 64

    /// Reads claims; throws ``DecodeError`` for a known claim of another type or form.
    package static func read(_ object: RecordObject) throws(DecodeError) -> ApproovClaims {
        var reader = ClaimsReader()
        for index in object.members.indices { try reader.take(Claim(member: object.members[index])) }
        return ApproovClaims(consume reader)
    }

    /// Reads the claims of an encrypted token. Throws as for any token.
    static func read(_ plaintext: DecryptedClaims) throws(DecodeError) -> ApproovClaims {
        let (object, withheld) = try plaintext.read()
        var reader = ClaimsReader()
        for member in object.members {
            let secret = withheld.first { $0.name.isByteEqual(to: member.name) }?.text
            try reader.take(Claim(member: member, withheld: secret))
        }
        return ApproovClaims(consume reader)
    }

    private mutating func take(_ claim: Claim) throws(DecodeError) {
        if claim.isNamed("exp") {
            expiry = try claim.number()
        } else if claim.isNamed("did") {
            deviceID = try claim.deviceID()
        } else if claim.isNamed("ip") {
            address = try claim.text()
        } else if claim.isNamed("arc") {
            responseCode = try claim.text(atMost: Self.responseCodeLength)
        } else if claim.isNamed("pay") {
            boundDigest = try claim.bytes(Self.digestLength)
        } else if claim.isNamed("anno") {
            annotations = try claim.texts()
        } else if claim.isNamed("ipk") {
            installationKey = try claim.bytes()
        } else if claim.isNamed("mskid") {
            messageKeyID = try claim.text()
        } else if claim.isNamed("iss") {
            issuer = try claim.text()
        } else if claim.isNamed("aud") {
            audiences = try claim.textOrTexts()
        } else if claim.isNamed("sub") {
            subject = try claim.text()
        } else if claim.isNamed("iat") {
            issuedAt = try claim.number()
        } else if claim.isNamed("nbf") {
            notBefore = try claim.number()
        } else if claim.isNamed("mpk") {
            proofKey = try claim.secret(Self.proofKeyLength)
        } else if claim.isNamed("imh") {
            integrity = try claim.secret(Self.digestLength)
        } else if claim.isNamed("dmh") {
            device = try claim.secret(Self.digestLength)
        } else {
            unknown.append(ApproovClaims.Unknown(name: claim.member.name, value: claim.member.value))
        }
    }
}

/// One claim, with readers for each type.
private struct Claim {
    let member: RecordObject.Member
    /// The text of a secret claim, in secret memory; the member is then empty.
    var withheld: SecretBytes?

    func isNamed(_ name: String) -> Bool { member.name.isByteEqual(to: name) }

    private func error(_ code: DecodeError.Code, _ message: String) -> DecodeError {
        DecodeError(code, at: member.value.offset, field: member.name, message)
    }

    private func mismatch(_ expected: String) -> DecodeError {
        error(.unexpectedType, "expected \(expected), found \(member.value.kindName)")
    }

    func text(atMost limit: Int = .max) throws(DecodeError) -> String {
        guard case .text(let text) = member.value.content else { throw mismatch("a string") }
        guard text.utf8.count <= limit else {
            throw error(.tooLarge, "expected at most \(limit) bytes, found \(text.utf8.count)")
        }
        return text
    }

    /// A JSON number; infinite beyond the range of doubles.
    func number() throws(DecodeError) -> Double {
        guard case .number(let text) = member.value.content else { throw mismatch("a number") }
        // Fast path for short whole numbers, which a double holds exactly.
        if text.utf8.count <= 15, text.utf8.first != 0x2D, let whole = Int(text) { return Double(whole) }
        guard let number = Double(text) else { throw mismatch("a number") }
        return number
    }

    func texts() throws(DecodeError) -> [String] {
        guard case .array(let elements) = member.value.content else { throw mismatch("an array of strings") }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element.content else {
                throw DecodeError(
                    .unexpectedType, at: element.offset, field: member.name,
                    "expected a string in the array, found \(element.kindName)")
            }
            texts.append(text)
        }
        return texts
    }

    func textOrTexts() throws(DecodeError) -> [String] {
        if case .text(let text) = member.value.content { return [text] }
        return try texts()
    }

    /// Base64 of 128 bits. Only the form is checked: in the vendor's examples (`ExampleApproovTokenDID==`), the last
    /// character has unused bits set.
    func deviceID() throws(DecodeError) -> String {
        let text = try text()
        guard DeviceIDText.isValid(text) else {
            throw error(
                .unexpectedValue,
                "expected base64 of \(ClaimsReader.deviceIDLength) bytes (24 characters), found "
                    + "\(text.utf8.count) characters")
        }
        return text
    }

    /// Standard base64 with padding.
    func bytes(_ count: Int? = nil) throws(DecodeError) -> [UInt8] {
        let text = try text()
        let bytes = try decoding { () throws(DecodeError) in try Base64.decode(text, .standard) }
        try require(count, bytes.count)
        return bytes
    }

    func secret(_ count: Int) throws(DecodeError) -> SecretBytes {
        var characters = withheld?.withUnsafeBytes { Array($0) } ?? []
        defer { SecretBytes.wipe(&characters) }
        var bytes =
            withheld == nil
            ? try bytes() : try decoding { () throws(DecodeError) in try Base64.decode(characters[...], .standard) }
        defer { SecretBytes.wipe(&bytes) }
        try require(count, bytes.count)
        return SecretBytes(bytes)
    }

    private func decoding(_ body: () throws(DecodeError) -> [UInt8]) throws(DecodeError) -> [UInt8] {
        do {
            return try body()
        } catch let problem {
            // Omit the decoder's message: it shows a character, possibly of a secret.
            throw error(problem.reason, "expected standard base64 with padding")
        }
    }

    private func require(_ expected: Int?, _ found: Int) throws(DecodeError) {
        if let expected, found != expected {
            throw error(.unexpectedLength, "expected base64 of \(expected) bytes, found \(found)")
        }
    }
}

/// The form of device IDs.
package enum DeviceIDText {
    /// True for 22 base64 characters and two padding characters.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count == 24 else { return false }
        return text.utf8.withContiguousStorageIfAvailable(isValid) ?? Array(text.utf8).withUnsafeBufferPointer(isValid)
    }

    /// The base64 characters as bits: the first number is for bytes up to 63, the second for bytes from 64 to 127.
    private static let digits: (UInt64, UInt64) = {
        let bits = "+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8.map {
            ($0 < 64, UInt64(1) << ($0 & 63))
        }
        return bits.reduce(into: (0, 0)) { all, bit in if bit.0 { all.0 |= bit.1 } else { all.1 |= bit.1 } }
    }()

    /// True for 24 valid bytes. Branchless for speed: every token has a device ID.
    private static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (low, high) = digits
        var isFitting: UInt64 = 1
        for byte in bytes[..<22] { isFitting &= byte < 128 ? (byte < 64 ? low : high) >> UInt64(byte & 63) : 0 }
        return isFitting == 1 && bytes[22] == 0x3D && bytes[23] == 0x3D
    }
}
