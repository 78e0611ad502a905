import AssayInspection

/// The invariants of annotations, for every format and any bytes.
enum AnnotationRules {
    /// The violations in the annotations of a blob: ranges outside it, children outside their parents, and nested blobs
    /// or secrets outside it. Empty for none.
    static func problems(_ contents: BlobContents, of bytes: [UInt8]) -> [String] {
        var problems = problems(contents.annotations, inside: bytes.indices)
        for range in contents.secrets + contents.nested.compactMap(\.range) where !contains(bytes.indices, range) {
            problems.append("a nested blob or a secret at \(range) is outside of \(bytes.indices)")
        }
        return problems
    }

    /// The violations of annotations that must lie in a range.
    static func problems(_ annotations: [Annotation], inside outer: Range<Int>) -> [String] {
        annotations.flatMap { annotation -> [String] in
            var problems: [String] = []
            if let range = annotation.range, !contains(outer, range) {
                problems.append("\(annotation.name) at \(range) is outside of \(outer)")
            }
            if annotation.name.isEmpty { problems.append("an annotation in \(outer) has no name") }
            return problems + self.problems(annotation.children, inside: annotation.range ?? outer)
        }
    }

    private static func contains(_ outer: Range<Int>, _ inner: Range<Int>) -> Bool {
        outer.lowerBound <= inner.lowerBound && inner.upperBound <= outer.upperBound
    }
}

extension [Annotation] {
    /// The annotation at a path of names. Each step takes the first match on its level.
    subscript(_ path: String...) -> Annotation? {
        var level = self
        var found: Annotation?
        for name in path {
            found = level.first { $0.name == name }
            level = found?.children ?? []
        }
        return found
    }

    /// All annotations, including children.
    var flattened: [Annotation] { flatMap { [$0] + $0.children.flattened } }

    /// All shown text.
    var shown: String {
        flattened.map { [$0.name, $0.value, $0.meaning, $0.violation].compactMap { $0 }.joined(separator: " | ") }
            .joined(separator: "\n")
    }
}
