import AppAttest
import AssayCore

/// What apps and servers do to a challenge or to client data, other than what the other side does: a finite list, tried one after
/// another against what the evidence certifies.
struct UsualMistakes {
    /// One mistake: the bytes that it makes of those that are given, and the sentence without a full stop.
    struct Mistake {
        let bytes: [UInt8]
        let sentence: String
    }

    /// The most bytes of which mistakes are tried: each is hashed some hundred times.
    private static let maximum = 64 * 1024

    /// How the app makes what it passes from bytes.
    private enum Form: CaseIterable {
        case itself, hashed, hashedTwice, hexadecimal, hexadecimalHashed, base64, base64Hashed

        func bytes(_ bytes: [UInt8]) -> [UInt8] {
            lazy var digest = Digest.sha256(bytes)
            return switch self {
            case .itself: bytes
            case .hashed: digest
            case .hashedTwice: Digest.sha256(digest)
            case .hexadecimal: Array(digest.hexadecimal.utf8)
            case .hexadecimalHashed: Digest.sha256(Array(digest.hexadecimal.utf8))
            case .base64: Array(Base64.encode(digest, .standard).utf8)
            case .base64Hashed: Digest.sha256(Array(Base64.encode(digest, .standard).utf8))
            }
        }

        func sentence(_ what: String, isHashExpected: Bool) -> String {
            switch self {
            case .itself: isHashExpected ? "passed \(what) itself, not its SHA-256" : "passed \(what)"
            case .hashed: "hashed \(what)"
            case .hashedTwice: "hashed \(what) twice"
            case .hexadecimal: "passed the hexadecimal text of the SHA-256 of \(what)"
            case .hexadecimalHashed: "hashed the hexadecimal text of the SHA-256 of \(what)"
            case .base64: "passed the base64 text of the SHA-256 of \(what)"
            case .base64Hashed: "hashed the base64 text of the SHA-256 of \(what)"
            }
        }
    }

    /// The mistakes, the likeliest first. None for bytes that are too many.
    let all: [Mistake]

    /// The mistakes with what should be passed as it is, such as a challenge of Android or a client data hash.
    init(passing bytes: [UInt8], named name: String) {
        self.init(bytes, named: name, expected: .itself)
    }

    /// The mistakes with the data of which SHA-256 should be passed.
    init(hashing bytes: [UInt8], named name: String) {
        self.init(bytes, named: name, expected: .hashed)
    }

    /// The mistakes with what App Attest takes as clientDataHash.
    init(_ input: ClientDataInput, named name: String) {
        if let data = input.data {
            self.init(hashing: data, named: name)
        } else {
            self.init(passing: input.hash, named: "this client data hash")
        }
    }

    private init(_ bytes: [UInt8], named name: String, expected: Form) {
        guard bytes.count <= Self.maximum else {
            all = []
            return
        }
        let forms = [expected] + Form.allCases.filter { $0 != expected }
        var all: [Mistake] = []
        for form in forms {
            for (bytes, what) in [(bytes, name)] + Self.variants(of: bytes, named: name) {
                all.append(
                    Mistake(
                        bytes: form.bytes(bytes),
                        sentence: "the app " + form.sentence(what, isHashExpected: expected == .hashed)))
            }
        }
        // The first one is no mistake.
        self.all = Array(all.dropFirst()) + [Mistake(bytes: [], sentence: "the app passed nothing")]
    }

    /// Other bytes for the same value, with their description.
    private static func variants(of bytes: [UInt8], named name: String) -> [([UInt8], String)] {
        var variants: [([UInt8], String)] = []
        func add(_ other: [UInt8]?, _ what: String) {
            if let other, other != bytes { variants.append((other, what)) }
        }
        add(try? Base64.decode(bytes[...], .standard), "the decoded bytes of \(name) (base64)")
        add(try? Base64.decode(bytes[...], .url), "the decoded bytes of \(name) (base64url)")
        add([UInt8](hexadecimal: bytes), "the decoded bytes of \(name) (hexadecimal)")
        add(Array(Base64.encode(bytes, .standard).utf8), "the base64 text of \(name)")
        add(Array(Base64.encode(bytes, .url).utf8), "the base64url text of \(name)")
        add(Array(bytes.hexadecimal.utf8), "the hexadecimal text of \(name)")
        add(Array(bytes.hexadecimal.uppercased().utf8), "the hexadecimal text of \(name) in capitals")
        add(bytes + [0x0A], "\(name) with a line end behind it")
        add(bytes + [0x0D, 0x0A], "\(name) with a line end (CR LF) behind it")
        add(Array(LenientText.trimmed(bytes[...])), "\(name) without the white space around it")
        guard let text = String(validating: bytes, as: UTF8.self) else { return variants }
        add([0x22] + bytes + [0x22], "\(name) in quotes (a JSON string)")
        add(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "\(name) in UTF-16")
        add(Array(text.uppercased().utf8), "\(name) in capitals")
        add(Array(text.lowercased().utf8), "\(name) in lower case")
        add(
            text.utf8.flatMap { $0 == 0x2F ? [0x5C, 0x2F] : [$0] },
            "\(name) with / written as \\/ (Foundation's JSON)")
        add(withoutEscapedSlashes(bytes), "\(name) with \\/ written as /")
        add(withoutSpaces(bytes), "\(name) without white space between its parts of JSON")
        return variants
    }

    private static func withoutEscapedSlashes(_ bytes: [UInt8]) -> [UInt8] {
        bytes.indices.filter { !(bytes[$0] == 0x5C && $0 + 1 < bytes.count && bytes[$0 + 1] == 0x2F) }.map { bytes[$0] }
    }

    /// JSON without white space outside of its strings; nil for other bytes.
    private static func withoutSpaces(_ bytes: [UInt8]) -> [UInt8]? {
        guard (try? JSONReader.read(bytes, limit: maximum)) != nil else { return nil }
        var isInString = false
        var isEscaped = false
        return bytes.filter { byte in
            if isInString {
                if byte == 0x22, !isEscaped { isInString = false }
                isEscaped = byte == 0x5C && !isEscaped
                return true
            }
            if byte == 0x22 { isInString = true }
            return !LenientText.isSpace(byte)
        }
    }
}
