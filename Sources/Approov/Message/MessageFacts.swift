import AssayCore

/// The facts of an authentic message's signature.
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
    /// What the signature covers, as its input names it.
    public let components: [String]
    /// When it was made, in seconds since 1970.
    public let created: Int64?
    /// When it expires, in seconds since 1970.
    public let expires: Int64?
    /// The digests of the body that it covers; one of an algorithm at most.
    package let contentDigests: [ContentDigest]

    /// The facts in the order in which a person would read them.
    var fields: [SubjectField] {
        var fields = [SubjectField("signatureLabel", .text(label)), SubjectField("components", .texts(components))]
        if let created { fields.append(SubjectField("signatureCreated", .integer(created))) }
        if let expires { fields.append(SubjectField("signatureExpires", .integer(expires))) }
        return fields
    }
}
