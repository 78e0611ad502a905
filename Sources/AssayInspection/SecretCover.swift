/// Covers what a layer shows of a secret that was found only in a layer inside of it.
enum SecretCover {
    /// What stands in the place of a secret.
    static let value = "(not shown)"

    /// Takes the values out of annotations that could hold a key: the base64 of one, or the JSON around it.
    ///
    /// - Parameter secrets: where the layers with secrets stand.
    static func apply(to annotations: inout [Annotation], _ secrets: [Range<Int>]) {
        for index in annotations.indices {
            // Nothing of a key that is shorter could be used.
            let isLong = (annotations[index].value?.utf8.count ?? 0) >= 16
            if isLong, annotations[index].range.map({ range in secrets.contains { $0.overlaps(range) } }) ?? true {
                annotations[index].value = value
            }
            apply(to: &annotations[index].children, secrets)
        }
    }
}
