extension Certificate {
    /// Whether the subjectAltName has a host: as a DNS name, which may have a wildcard in place of its first label (RFC 9525 section
    /// 6.3), or as an IP address. The common name does not count.
    ///
    /// - Parameter host: the name in lower case without a final period, or an address.
    package func isFor(host: String) -> Bool {
        guard let value = self.extension(.subjectAltName)?.value,
            let list = try? DERReader.single(.sequence, in: value)
        else { return false }
        let (name, address) = (Array(host.utf8), IPAddress(host)?.bytes)
        var reader = list.reader
        while !reader.isAtEnd, let entry = try? reader.read() {
            if let address {
                // iPAddress.
                if entry.tag == .context(7, constructed: false), entry.contents.elementsEqual(address) { return true }
            } else if entry.tag == .context(2, constructed: false), Self.isHost(name, in: entry.contents) {
                return true
            }
        }
        return false
    }

    /// Whether a dNSName is a host, or a wildcard over its first label.
    private static func isHost(_ host: [UInt8], in dnsName: ArraySlice<UInt8>) -> Bool {
        let pattern = dnsName.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if pattern == host { return true }
        guard pattern.starts(with: [UInt8(ascii: "*"), UInt8(ascii: ".")]),
            let period = host.firstIndex(of: UInt8(ascii: ".")), period > 0
        else { return false }
        return pattern.dropFirst().elementsEqual(host[period...])
    }
}
