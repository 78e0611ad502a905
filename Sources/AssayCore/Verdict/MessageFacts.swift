public import FoundationEssentials

/// Facts about the signature of an authentic message.
public struct MessageFacts: Sendable, Equatable {
    /// A digest of the body that the signature covers.
    package struct ContentDigest: Sendable, Equatable {
        /// The algorithm, `sha-256` or `sha-512`.
        package let algorithm: String
        package let value: [UInt8]

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
    package let createdSeconds: Int64?
    /// The expiry, in seconds since 1970.
    private let expiresSeconds: Int64?
    /// The covered digests of the body, at most one per algorithm.
    package let contentDigests: [ContentDigest]

    /// The time of signing.
    public var created: Date? { createdSeconds.map { Date(timeIntervalSince1970: Double($0)) } }
    /// The expiry.
    public var expires: Date? { expiresSeconds.map { Date(timeIntervalSince1970: Double($0)) } }

    /// States the facts.
    ///
    /// - Parameters:
    ///   - created: seconds since 1970.
    ///   - expires: seconds since 1970.
    package init(
        label: String, components: [String], created: Int64?, expires: Int64?, contentDigests: [ContentDigest]
    ) {
        self.label = label
        self.components = components
        createdSeconds = created
        expiresSeconds = expires
        self.contentDigests = contentDigests
    }

    /// The facts in display order.
    package var fields: [SubjectField] {
        var fields = [SubjectField("signatureLabel", .text(label)), SubjectField("components", .texts(components))]
        if let createdSeconds { fields.append(SubjectField("signatureCreated", .integer(createdSeconds))) }
        if let expiresSeconds { fields.append(SubjectField("signatureExpires", .integer(expiresSeconds))) }
        return fields
    }
}
