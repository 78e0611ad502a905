import AssayCore

/// Marks the annotation at which strict decoding stops.
enum ViolationMark {
    /// Sets the violation of the innermost annotation that contains the error's offset. An error at the end of the
    /// input belongs to the last annotation.
    static func set(_ error: DecodeError, in annotations: inout [Annotation], count: Int) {
        let offset = min(max(error.offset, 0), max(count - 1, 0))
        let text =
            "strict decoding stops at byte \(error.offset): "
            + (error.field.isEmpty ? error.message : "\(error.field): \(error.message)")
        mark(text, at: offset, in: &annotations)
    }

    private static func mark(_ text: String, at offset: Int, in annotations: inout [Annotation]) {
        guard let index = annotations.lastIndex(where: { $0.range?.contains(offset) == true }) else {
            if !annotations.isEmpty, annotations[0].violation == nil { annotations[0].violation = text }
            return
        }
        if annotations[index].children.contains(where: { $0.range?.contains(offset) == true }) {
            mark(text, at: offset, in: &annotations[index].children)
        } else {
            annotations[index].violation = text
        }
    }
}
