/// Facts about the signature of an authentic message.
public struct MessageFacts: Sendable, Equatable {
    /// A digest of the body that the signature covers.
    package struct ContentDigest: Sendable, Equatable {
        /// The algorithm, `sha-256` or `sha-512`.
        package let algorithm: String
        /// The digest.
        package let value: [UInt8]

        /// States a digest.
        package init(algorithm: String, value: [UInt8]) {
            self.algorithm = algorithm
            self.value = value
        }
    }

    /// The label: `assay` unless the policy names another; for Approov `install` or `account`.
    public let label: String
    /// The covered components, as in the signature input.
    public let components: [String]
    /// The time of signing, in seconds since 1970.
    public let created: Int64?
    /// The expiry, in seconds since 1970.
    public let expires: Int64?
    /// The covered digests of the body, at most one per algorithm.
    package let contentDigests: [ContentDigest]

    /// States the facts.
    package init(
        label: String, components: [String], created: Int64?, expires: Int64?, contentDigests: [ContentDigest]
    ) {
        self.label = label
        self.components = components
        self.created = created
        self.expires = expires
        self.contentDigests = contentDigests
    }

    /// The facts in display order.
    package var fields: [SubjectField] {
        var fields = [SubjectField("signatureLabel", .text(label)), SubjectField("components", .texts(components))]
        if let created { fields.append(SubjectField("signatureCreated", .integer(created))) }
        if let expires { fields.append(SubjectField("signatureExpires", .integer(expires))) }
        return fields
    }
}
