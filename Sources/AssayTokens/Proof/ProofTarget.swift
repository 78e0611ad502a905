import AssayCore

/// The target of a proof, without query and fragment, after the normalisation of RFC 3986 sections 6.2.2 and 6.2.3 (RFC 9449 section
/// 4.3): case of scheme and host, default port, empty path, escapes of unreserved characters, and dot segments.
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
        self.path = Self.withoutDotSegments(path)
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
            if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimal[Int(high)], hexadecimal[Int(low)]]
            }
            index += 3
        }
        return result
    }

    /// Removes the segments `.` and `..` of a path that begins with a slash (RFC 3986 section 5.2.4). Escaped dots are decoded by then;
    /// an escaped slash is part of its segment.
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
        guard path.contains(dot) else { return path }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isParent = segment.elementsEqual([dot, dot])
            guard isParent || segment.elementsEqual([dot]) else {
                kept.append(segment)
                continue
            }
            if isParent { _ = kept.popLast() }
            // A dot segment at the end leaves the slash before it.
            if index == segments.count - 1 { kept.append([]) }
        }
        return kept.reduce(into: [UInt8]()) { result, segment in
            result.append(slash)
            result += segment
        }
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)
}
