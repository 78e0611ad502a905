/// One part of a blob: its range, name, value and meaning.
///
/// Annotations nest like the parts they describe. Ranges are byte ranges in the annotation's layer; see
/// ``InspectionLayer``.
package struct Annotation: Sendable {
    /// The byte range; nil for a part without bytes of its own, such as a computed digest.
    package var range: Range<Int>?
    /// The name, in the terms of the standard: `authData`, `flags`, `serialNumber`.
    package var name: String
    /// The rendered value: text as text, times in RFC 3339, bytes in hexadecimal or base64; nil if there are only children.
    package var value: String?
    /// The meaning of the value; nil if the value is clear by itself.
    package var meaning: String?
    /// The strict decoder's error; nil if there is none.
    package var violation: String?
    /// The child parts, in byte order.
    package var children: [Annotation]

    /// Whether the bytes are a private or symmetric key, which must not be shown in any form.
    package var isSecret = false

    /// Describes a part.
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
