package import AssayCore

extension LedgerSubject {
    /// The beginning of the name of a client's key.
    private static let thumbprintPrefix = "jkt "

    /// The key of an installation whose evidence names neither a key nor a device, by its thumbprint (RFC 7638).
    package init(keyThumbprint: String) { self.init(.key, Self.thumbprintPrefix + keyThumbprint) }

    /// How the device itself is called: its key ID, its device ID, or the thumbprint of the client's key.
    package var deviceName: String {
        name.hasPrefix(Self.thumbprintPrefix) ? String(name.dropFirst(Self.thumbprintPrefix.count)) : name
    }
}
