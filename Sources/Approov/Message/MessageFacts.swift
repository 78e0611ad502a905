import AssayCore

/// Facts about the signature of an authentic message.
public struct MessageFacts: Sendable, Equatable {
    /// A digest of the body that the signature covers.
    package struct ContentDigest: Sendable, Equatable {
        /// The algorithm, `sha-256` or `sha-512`.
        package let algorithm: String
        /// The digest.
        package let value: [UInt8]
    }

    /// The label, `install` or `account`.
    public let label: String
    /// The covered components, as in the signature input.
    public let components: [String]
    /// The time of signing, in seconds since 1970.
    public let created: Int64?
    /// The expiry, in seconds since 1970.
    public let expires: Int64?
    /// The covered digests of the body, at most one per algorithm.
    package let contentDigests: [ContentDigest]

    /// The facts in display order.
    var fields: [SubjectField] {
        var fields = [SubjectField("signatureLabel", .text(label)), SubjectField("components", .texts(components))]
        if let created { fields.append(SubjectField("signatureCreated", .integer(created))) }
        if let expires { fields.append(SubjectField("signatureExpires", .integer(expires))) }
        return fields
    }
}
