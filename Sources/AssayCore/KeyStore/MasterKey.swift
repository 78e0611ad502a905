public import AssayPrimitives

/// The key that encrypts a key store: 32 random bytes, kept outside the store. Others may follow it, which only open what they have
/// sealed: see ``SealedKeyStore/reseal(by:at:)``.
public struct MasterKey: Sendable {
    /// A shell command that writes a new key to a file that only its user can read.
    package static let recipe = "(umask 077; openssl rand -base64 32 >master.key)"
    /// The length in bytes.
    package static let length = 32

    /// The key, for AES-256-GCM.
    let secret: SecretBytes
    /// Identifies the master key: the first bytes of a keyed digest. The key cannot be derived from it.
    let identifier: [UInt8]
    /// Others that open what they have sealed. They seal nothing.
    private var others: [MasterKey] = []

    private static let identifierLabel = Array("assay key store: master key identifier".utf8)
    /// Long enough that two keys do not share an identifier by accident.
    static let identifierLength = 8

    /// Reads a master key, and others that only open, from the contents of a file or a variable.
    ///
    /// - Parameter text: base64 of 32 bytes, in either alphabet, with or without padding, or 64 hexadecimal digits.
    ///   Surrounding white space and one pair of quotes are ignored. On each further line another key.
    /// - Throws: ``KeyError`` with the kind and length of the text, and a command that makes a key.
    public init(text: SecretBytes) throws(KeyError) {
        if let secret = try? SecretKeyText.decode(text, byteCount: Self.length) {
            self.init(secret: secret)
            return
        }
        let lines = Self.lines(of: text)
        guard lines.count > 1, let first = lines.first else {
            self = try Self.reading(text)
            return
        }
        self = try Self.reading(first.text, line: first.number)
        for line in lines.dropFirst() {
            let other = try Self.reading(line.text, line: line.number)
            guard with(identifier: other.identifier) == nil else {
                throw KeyError("repeated-master-key", part: "", "the master key on line \(line.number) is there twice")
            }
            others.append(other)
        }
    }

    private init(secret: SecretBytes) {
        self.secret = secret
        identifier = Array(HMAC.sha256(key: secret, Self.identifierLabel[...]).prefix(Self.identifierLength))
    }

    private static func reading(_ text: SecretBytes, line: Int? = nil) throws(KeyError) -> MasterKey {
        do {
            return MasterKey(secret: try SecretKeyText.decode(text, byteCount: length))
        } catch {
            throw KeyError(
                "wrong-master-key-form", part: "",
                "\(line.map { "line \($0): " } ?? "")expected a master key: base64 of 32 bytes, or 64 hexadecimal digits; found "
                    + "\(error.found). This makes one: \(recipe)")
        }
    }

    /// The lines with more than white space, with their numbers from 1.
    private static func lines(of text: SecretBytes) -> [(number: Int, text: SecretBytes)] {
        text.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
                .filter { $0.element.contains { $0 != 0x20 && !(0x09...0x0D).contains($0) } }
                .map { ($0.offset + 1, SecretBytes($0.element)) }
        }
    }

    /// This key, and those that only open.
    private var all: [MasterKey] { [self] + others }

    /// The one of these keys that has an identifier; nil if none has.
    func with(identifier: [UInt8]) -> MasterKey? { all.first { $0.identifier == identifier } }

    /// The first value that one of these keys gives.
    func first<Value>(_ value: (MasterKey) -> Value?) -> Value? { all.lazy.compactMap(value).first }
}
