/// Choices that the standard leaves open, and deviations for some clients.
package struct SignatureBaseRules: Sendable {
    /// The treatment of folded field values (RFC 9112 section 5.2).
    package enum LineFolding: Sendable {
        /// Throws an error.
        case refuse
        /// Each fold becomes one space (RFC 9421 section 2.1, step 3).
        case unfold
    }

    /// The top-level type of a structured field (RFC 9651 section 3).
    package enum FieldType: Sendable {
        case dictionary
        case list
        case item
    }

    /// The treatment of folded field values.
    package var lineFolding: LineFolding
    /// Whether `@authority` omits every port, as some clients sign it. The standard omits only the default port.
    package var authorityWithoutPort: Bool
    /// Field types by lower-case name. `sf` applies only to these fields (RFC 9421 section 2.1.1).
    package var fieldTypes: [String: FieldType]

    /// The types of fields that RFCs define.
    package static let knownFieldTypes: [String: FieldType] = [
        "accept-signature": .dictionary, "cache-status": .list, "cdn-cache-control": .dictionary,
        "client-cert": .item, "client-cert-chain": .list, "content-digest": .dictionary, "priority": .dictionary,
        "proxy-status": .list, "repr-digest": .dictionary, "signature": .dictionary, "signature-input": .dictionary,
        "want-content-digest": .dictionary, "want-repr-digest": .dictionary,
    ]

    /// Creates rules; the defaults follow the standard.
    package init(
        lineFolding: LineFolding = .refuse, authorityWithoutPort: Bool = false,
        fieldTypes: [String: FieldType] = knownFieldTypes
    ) {
        (self.lineFolding, self.authorityWithoutPort) = (lineFolding, authorityWithoutPort)
        self.fieldTypes = fieldTypes
    }
}
