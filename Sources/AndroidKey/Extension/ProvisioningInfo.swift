import AssayCore
package import AssayPrimitives

/// What Google's provisioning server says about the device that got an attestation certificate: extension
/// 1.3.6.1.4.1.11129.2.1.30 of certificates of remote key provisioning, a CBOR map.
package struct ProvisioningInfo: Sendable {
    /// The identifier of the extension.
    package static let oid = ObjectIdentifier(1, 3, 6, 1, 4, 1, 11129, 2, 1, 30)

    /// How many certificates the device was given in the last 30 days; nil if the server does not say.
    package let certificatesIssued: UInt64?
    /// Key 2, which is not documented.
    package let flag: Bool?
    /// The maker of the device, as the server knows it.
    package let manufacturer: String?

    package init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var issued: UInt64?
        var flag: Bool?
        var manufacturer: String?
        var reader = CBORReader(value)
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case 1: issued = try reader.readUnsigned()
            case 2:
                // CBORReader reads no simple values: true and false are single bytes (RFC 8949 section 3.3).
                let start = reader.offset
                try reader.skipItem()
                guard reader.offset == start + 1, [0xF4, 0xF5].contains(value[start]) else {
                    throw DecodeError(.unexpectedType, at: start, "expected true or false under key 2")
                }
                flag = value[start] == 0xF5
            case 3: manufacturer = try reader.readText()
            default: try reader.skipItem()
            }
        }
        try reader.finish()
        certificatesIssued = issued
        self.flag = flag
        self.manufacturer = manufacturer
    }
}
