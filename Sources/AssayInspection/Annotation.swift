import AssayCore

/// One part of a blob. Annotations nest like the parts they describe; ranges are byte ranges in a layer, see ``InspectionLayer``.
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

    package init(
        _ name: String, at range: Range<Int>? = nil, value: String? = nil, meaning: String? = nil,
        violation: String? = nil, children: [Annotation] = []
    ) {
        (self.range, self.name, self.value) = (range, name, value)
        (self.meaning, self.violation, self.children) = (meaning, violation, children)
    }
}

extension Annotation {
    /// Replaces the content by the description of a secret.
    mutating func hide(meaning: String) {
        value = "(not shown)"
        self.meaning = meaning
        children = []
        isSecret = true
    }
}

extension [Annotation] {
    /// The ranges of the secrets in these annotations and their children.
    var secretRanges: [Range<Int>] {
        flatMap { ($0.isSecret ? [$0.range].compactMap(\.self) : []) + $0.children.secretRanges }
    }

    /// Removes the values that could contain a key that only an inner layer recognised: its base64, or JSON around it.
    /// - Parameter secrets: the ranges of the layers with secrets.
    mutating func hideValues(overlapping secrets: [Range<Int>]) {
        for index in indices {
            // A shorter part of a key is useless.
            let isLong = (self[index].value?.utf8.count ?? 0) >= 16
            if isLong, self[index].range.map({ range in secrets.contains { $0.overlaps(range) } }) ?? true {
                self[index].value = "(not shown)"
            }
            self[index].children.hideValues(overlapping: secrets)
        }
    }

    /// Hides the signature of a JWS (RFC 7515) or the tag of a JWE (RFC 7516), so that inspecting a request discloses no usable
    /// session. Returns the ranges of the removed values.
    mutating func hideCredentials() -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        for index in indices where ["signature", "authentication tag"].containsBytes(of: self[index].name) {
            guard let range = self[index].range, self[index].value != nil else { continue }
            self[index].value = "(not shown)"
            secrets.append(range)
        }
        return secrets
    }

    /// Marks the innermost annotation that contains the offset at which strict decoding stops. An error at the end of
    /// the input, of `count` bytes, belongs to the last annotation.
    mutating func mark(_ error: DecodeError, count: Int) {
        let text =
            "strict decoding stops at byte \(error.offset): "
            + (error.field.isEmpty ? error.message : "\(error.field): \(error.message)")
        mark(text, at: Swift.min(Swift.max(error.offset, 0), Swift.max(count - 1, 0)))
    }

    private mutating func mark(_ text: String, at offset: Int) {
        guard let index = lastIndex(where: { $0.range?.contains(offset) == true }) else {
            if !isEmpty, self[0].violation == nil { self[0].violation = text }
            return
        }
        if self[index].children.contains(where: { $0.range?.contains(offset) == true }) {
            self[index].children.mark(text, at: offset)
        } else {
            self[index].violation = text
        }
    }

    /// Appends the bytes from the end of a value to the end of its range, where nothing may be.
    mutating func appendRest(of bytes: [UInt8], at range: Range<Int>, shown: Int = .max, violation: String) {
        guard !range.isEmpty else { return }
        append(
            Annotation(
                "rest", at: range, value: Hexadecimal.text(bytes[range].prefix(shown)), violation: violation))
    }
}
