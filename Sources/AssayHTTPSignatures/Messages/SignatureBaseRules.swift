/// What the standard leaves to whoever builds a signature base, and what it does not allow but clients do.
package struct SignatureBaseRules: Sendable {
    /// What becomes of a field value that is folded over several lines (RFC 9112 section 5.2).
    package enum LineFolding: Sendable {
        /// An error.
        case refuse
        /// Each fold becomes one space (RFC 9421 section 2.1, step 3).
        case unfold
    }

    /// What a structured field is at its top (RFC 9651 section 3).
    package enum FieldType: Sendable {
        /// A dictionary.
        case dictionary
        /// A list.
        case list
        /// An item.
        case item
    }

    /// What becomes of a folded field.
    package var lineFolding: LineFolding
    /// Whether `@authority` has no port at all, as some clients sign it. By the standard only the default port of the
    /// scheme is left out.
    package var authorityWithoutPort: Bool
    /// What fields are, by name in lower case: `sf` can be applied to these only (RFC 9421 section 2.1.1).
    package var fieldTypes: [String: FieldType]

    /// The types of fields that RFCs define.
    package static let knownFieldTypes: [String: FieldType] = [
        "accept-signature": .dictionary, "cache-status": .list, "cdn-cache-control": .dictionary,
        "client-cert": .item, "client-cert-chain": .list, "content-digest": .dictionary, "priority": .dictionary,
        "proxy-status": .list, "repr-digest": .dictionary, "signature": .dictionary, "signature-input": .dictionary,
        "want-content-digest": .dictionary, "want-repr-digest": .dictionary,
    ]

    /// The rules of the standard, but for what is given.
    package init(
        lineFolding: LineFolding = .refuse, authorityWithoutPort: Bool = false,
        fieldTypes: [String: FieldType] = knownFieldTypes
    ) {
        self.lineFolding = lineFolding
        self.authorityWithoutPort = authorityWithoutPort
        self.fieldTypes = fieldTypes
    }
}
