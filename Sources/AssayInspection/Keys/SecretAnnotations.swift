/// Annotations of what must not be shown.
enum SecretAnnotations {
    /// Makes an annotation name a secret, and show nothing of it.
    static func hide(_ annotation: inout Annotation, meaning: String) {
        annotation.value = "(not shown)"
        annotation.meaning = meaning
        annotation.children = []
        annotation.isSecret = true
    }

    /// Where the secrets among some annotations and what they consist of stand.
    static func ranges(in annotations: [Annotation]) -> [Range<Int>] {
        annotations.flatMap { annotation in
            let own = annotation.isSecret ? [annotation.range].compactMap { $0 } : []
            return own + ranges(in: annotation.children)
        }
    }
}
