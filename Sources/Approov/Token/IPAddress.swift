#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An address that is compared by its bytes: IPv6 has many texts for one.
struct IPAddress: Equatable {
    private let bytes: [UInt8]

    /// Reads IPv4 in dotted decimal or IPv6 (RFC 4291 section 2.2); nil for everything else. IPv4-mapped addresses are
    /// those of IPv4.
    init?(_ text: String) {
        guard !text.utf8.contains(0), text.utf8.count < Int(INET6_ADDRSTRLEN) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        } else {
            return nil
        }
    }
}
