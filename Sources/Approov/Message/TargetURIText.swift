import AssayCore

/// The parts of a target URI, unchanged. Clients write these parts in several ways.
struct TargetURIText {
    /// The scheme with `://`.
    let scheme: Substring
    let authority: Substring
    /// Path, query and fragment.
    let rest: Substring

    init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        scheme = text[..<start]
        authority = text[start..<end]
        rest = text[end...]
    }

    /// Whether the path is `/`.
    var hasRootPath: Bool {
        rest.utf8.first == UInt8(ascii: "/") && rest.utf8.dropFirst().first.map { "?#".utf8.contains($0) } ?? true
    }

    /// Whether the authority has a port. The colons of an IPv6 address are inside brackets.
    var hasPort: Bool {
        let bytes = authority.utf8
        return bytes[(bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex)...].contains(UInt8(ascii: ":"))
    }

    var defaultPort: String? {
        if Self.isEqual(scheme.utf8, "https://".utf8) { return "443" }
        return Self.isEqual(scheme.utf8, "http://".utf8) ? "80" : nil
    }

    /// The authority as in `Host`; nil unless the two differ only in case and in a default port.
    func authority(inCaseOf fields: [HTTPMessageParts.Field]) -> String? {
        let hosts = fields.filter { HTTPFieldText.isName($0.name, equalTo: "Host") }
        guard hosts.count == 1 else { return nil }
        let host = hosts[0].value.utf8
        let (beginning, end) = (host.prefix(authority.utf8.count), host.dropFirst(authority.utf8.count))
        guard Self.isEqual(beginning, authority.utf8), !beginning.elementsEqual(authority.utf8),
            end.isEmpty || !hasPort && end.elementsEqual(":\(defaultPort ?? "")".utf8)
        else { return nil }
        return String(Substring(beginning))
    }

    private static func isEqual(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
        one.lazy.map(HTTPFieldText.lowercase).elementsEqual(other.lazy.map(HTTPFieldText.lowercase))
    }
}
