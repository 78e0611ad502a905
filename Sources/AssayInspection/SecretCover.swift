/// Covers what a layer shows of a secret that was found only in a layer inside of it.
enum SecretCover {
    /// Takes the values out of annotations that could hold a key: the base64 of one, or the JSON around it.
    static func apply(to annotations: inout [Annotation]) {
        for index in annotations.indices {
            if (annotations[index].value?.utf8.count ?? 0) >= 16 {
                annotations[index].value = JSONAnnotator.secretValue
                annotations[index].isSecret = true
            }
            apply(to: &annotations[index].children)
        }
    }
}

extension InspectionLayer {
    /// Whether something in the layer, or in one inside of it, is a secret, so that its bytes are not to be printed.
    public var holdsSecret: Bool {
        annotations.contains(where: \.holdsSecret) || nested.contains(where: \.holdsSecret)
    }
}

extension Annotation {
    /// Whether it, or what it consists of, is a secret.
    var holdsSecret: Bool { isSecret || children.contains(where: \.holdsSecret) }
}
