import AssayCore
import AssayHTTPSignatures

/// The target of a proof, without query and fragment, after the normalisation of RFC 3986 sections 6.2.2 and 6.2.3 that cannot
/// change what a server answers: case of scheme and host, default port, empty path, and escapes of unreserved characters.
package struct ProofTarget: Equatable {
    private let scheme: [UInt8]
    private let authority: [UInt8]
    private let path: [UInt8]

    /// Nil unless the text is an absolute URI of http or https.
    package init?(_ text: String) {
        guard let uri = TargetURI(text), ["http", "https"].contains(String(decoding: uri.scheme, as: UTF8.self)),
            let path = Self.normalised(uri.path)
        else { return nil }
        scheme = uri.scheme
        authority = uri.authority
        self.path = path
    }

    /// Decodes escapes of unreserved characters, and writes the others in upper case; nil for a malformed escape.
    private static func normalised(_ path: [UInt8]) -> [UInt8]? {
        guard path.contains(UInt8(ascii: "%")) else { return path }
        var result: [UInt8] = []
        var index = 0
        while index < path.count {
            guard path[index] == UInt8(ascii: "%") else {
                result.append(path[index])
                index += 1
                continue
            }
            guard index + 2 < path.count, let high = path[index + 1].hexadecimalValue,
                let low = path[index + 2].hexadecimalValue
            else { return nil }
            let byte = high << 4 | low
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimal[Int(high)], hexadecimal[Int(low)]]
            }
            index += 3
        }
        return result
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
