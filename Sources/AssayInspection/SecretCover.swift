/// Hides a secret in a layer if only an inner layer recognised the secret.
enum SecretCover {
    /// The replacement for a secret.
    static let value = "(not shown)"

    /// Takes the values out of annotations that could hold a key: the base64 of one, or the JSON around it.
    ///
    /// - Parameter secrets: where the layers with secrets stand.
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
