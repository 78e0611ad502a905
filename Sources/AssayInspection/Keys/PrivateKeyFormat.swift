import AssayCore
import AssayPrimitives

/// A private key in DER that was pasted by mistake: named, and never shown.
public enum PrivateKeyFormat: BlobFormat {
    /// PKCS #8 (RFC 5958), SEC 1 (RFC 5915) and PKCS #1 (RFC 8017).
    public static let name = "private key in DER"

    /// Looks at the first elements, so that a truncated key is one as well.
    public static func recognise(_ bytes: [UInt8]) -> Recognition? {
        form(of: bytes).map { Recognition(.certain, because: "it has the shape of \($0)") }
    }

    /// Names the key, and shows nothing of it.
    public static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [
                Annotation(
                    "private key", at: 0..<bytes.count, value: JSONAnnotator.secretValue,
                    meaning: "\(form(of: bytes) ?? "a private key"), \(Words.count(bytes.count, "byte"))",
                    isSecret: true)
            ],
            unknown: [
                "a private key is nobody's evidence: if it was pasted by mistake, hold it for disclosed and replace it"
            ])
    }

    private static let publicKeyAlgorithms: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01],  // RSA
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01],  // EC
        [0x2B, 0x65],  // Edwards and Montgomery curves
    ]
    /// 1.2.840.113549.1.5 and .12: password-based encryption of PKCS #5 and #12.
    private static let encryptions: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C],
    ]

    private static func form(of bytes: [UInt8]) -> String? {
        var outer = Header(bytes[...])
        guard let header = outer.next(), header.tag == 0x30 else { return nil }
        var inside = Header(header.rest)
        guard let first = inside.next() else { return nil }
        if first.tag == 0x30 {
            var algorithm = Header(first.rest)
            guard let identifier = algorithm.next(), identifier.tag == 0x06, starts(identifier.value, encryptions),
                let value = inside.next(), value.tag == 0x04
            else { return nil }
            return "an encrypted private key (PKCS #8)"
        }
        guard first.tag == 0x02, first.value.count == 1, let version = first.value.first, version <= 1,
            let second = inside.next()
        else { return nil }
        switch second.tag {
        case 0x30:
            var algorithm = Header(second.rest)
            guard let identifier = algorithm.next(), identifier.tag == 0x06,
                starts(identifier.value, publicKeyAlgorithms)
            else { return nil }
            return "a private key (PKCS #8)"
        case 0x04:
            guard version == 1, [28, 32, 48, 66].contains(second.length) else { return nil }
            return "a private key of an elliptic curve (SEC 1)"
        case 0x02:
            guard version == 0, second.length >= 64, let third = inside.next(), third.tag == 0x02 else { return nil }
            return "an RSA private key (PKCS #1)"
        default: return nil
        }
    }

    private static func starts(_ value: ArraySlice<UInt8>, _ prefixes: [[UInt8]]) -> Bool {
        prefixes.contains { value.starts(with: $0) }
    }

    /// Reads elements with definite lengths one after the other; the last one may be cut off.
    private struct Header {
        var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        mutating func next() -> (tag: UInt8, length: Int, value: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
            guard let tag = bytes.first, var length = bytes.dropFirst().first.map({ Int($0) }) else { return nil }
            var rest = bytes.dropFirst(2)
            if length > 0x80 {
                guard length <= 0x83, rest.count >= length - 0x80 else { return nil }
                let count = length - 0x80
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            } else if length == 0x80 {
                return nil
            }
            let value = rest.prefix(length)
            bytes = rest.dropFirst(length)
            return (tag, length, value, value)
        }
    }
}
