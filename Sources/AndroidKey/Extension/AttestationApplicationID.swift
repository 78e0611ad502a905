import AssayCore

/// The app that made a key, as the system says: AttestationApplicationId, DER inside of tag 709.
struct AttestationApplicationID: Sendable {
    /// An app. Apps that share a user ID are all listed.
    struct Package: Sendable {
        /// The package name, UTF-8 by convention.
        let name: ArraySlice<UInt8>
        /// The version code.
        let version: UInt64
    }

    /// The apps.
    let packages: [Package]
    /// The SHA-256 digests of their signing certificates.
    let certificateDigests: [ArraySlice<UInt8>]

    init(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = try DERReader.single(.sequence, in: bytes).reader
        var set = try reader.readConstructed(.set)
        var packages: [Package] = []
        while !set.isAtEnd {
            var package = try set.readConstructed(.sequence)
            let name = try package.read(.octetString).octetString()
            packages.append(Package(name: name, version: try package.readUnsignedInteger()))
            try package.finish()
        }
        set = try reader.readConstructed(.set)
        var digests: [ArraySlice<UInt8>] = []
        while !set.isAtEnd { digests.append(try set.read(.octetString).octetString()) }
        try reader.finish()
        self.packages = packages
        certificateDigests = digests
    }
}
