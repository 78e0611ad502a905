/// One thing that was found in a blob: where it stands, what it is called, what is there and what that means.
///
/// Annotations nest as the things themselves do. Ranges count bytes of the layer that the annotation belongs to; see
/// ``InspectionLayer``.
package struct Annotation: Sendable {
    /// The bytes, and nil for what stands nowhere by itself, such as a digest that was computed.
    package var range: Range<Int>?
    /// The name, in the terms of the standard: `authData`, `flags`, `serialNumber`.
    package var name: String
    /// The rendered value: text as text, times in RFC 3339, bytes in hexadecimal or base64; nil if there are only children.
    package var value: String?
    /// The meaning of the value; nil if the value is clear by itself.
    package var meaning: String?
    /// The strict decoder's error; nil if there is none.
    package var violation: String?
    /// The parts, in the order of the bytes.
    package var children: [Annotation]

    /// Whether the bytes are a private or symmetric key, so that no view of them may be shown.
    package var isSecret = false

    /// Describes something that was found.
    package init(
        _ name: String, at range: Range<Int>? = nil, value: String? = nil, meaning: String? = nil,
        violation: String? = nil, children: [Annotation] = []
    ) {
        self.range = range
        self.name = name
        self.value = value
        self.meaning = meaning
        self.violation = violation
        self.children = children
    }
}
