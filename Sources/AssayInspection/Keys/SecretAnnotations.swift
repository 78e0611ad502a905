/// Hides secrets in annotations.
enum SecretAnnotations {
    /// Replaces the content of an annotation by the description of a secret.
    static func hide(_ annotation: inout Annotation, meaning: String) {
        annotation.value = "(not shown)"
        annotation.meaning = meaning
        annotation.children = []
        annotation.isSecret = true
    }

    /// The ranges of the secrets in annotations and their children.
    static func ranges(in annotations: [Annotation]) -> [Range<Int>] {
        annotations.flatMap { annotation in
            let own = annotation.isSecret ? [annotation.range].compactMap { $0 } : []
            return own + ranges(in: annotation.children)
        }
    }
}
