/// Hides a secret in a layer if only an inner layer recognised it.
enum SecretMask {
    /// The replacement for a secret.
    static let value = "(not shown)"

    /// Removes the values of annotations that could contain a key: its base64, or JSON around it.
    ///
    /// - Parameter secrets: the ranges of the layers with secrets.
    static func apply(to annotations: inout [Annotation], _ secrets: [Range<Int>]) {
        for index in annotations.indices {
            // A shorter part of a key is useless.
            let isLong = (annotations[index].value?.utf8.count ?? 0) >= 16
            if isLong, annotations[index].range.map({ range in secrets.contains { $0.overlaps(range) } }) ?? true {
                annotations[index].value = value
            }
            apply(to: &annotations[index].children, secrets)
        }
    }
}
