/// Covers what a layer shows of a secret that was found only in a layer inside of it.
enum SecretCover {
    /// Takes the values out of annotations that could hold a key: the base64 of one, or the JSON around it.
    static func apply(to annotations: inout [Annotation]) {
        for index in annotations.indices {
            if (annotations[index].value?.utf8.count ?? 0) >= 16 {
                annotations[index].value = JSONDescriber.secretValue
            }
            apply(to: &annotations[index].children)
        }
    }
}
