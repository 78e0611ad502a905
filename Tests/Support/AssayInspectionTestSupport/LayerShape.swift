package import AssayInspection

/// Checks the invariants of inspections, which hold for any bytes.
package enum LayerShape {
    /// The broken invariant of a layer or its inner layers; nil if all hold. Ranges must lie in the bytes, and ranges
    /// of children in the range of their parent.
    package static func problem(_ layer: InspectionLayer) -> String? {
        for annotation in layer.annotations {
            if let problem = problem(annotation, in: layer.bytes.indices) {
                return "\(layer.name), \(layer.format ?? "unknown"): \(problem)"
            }
        }
        for secret in layer.secrets where !within(secret, layer.bytes.indices) {
            return "\(layer.name): the secret \(secret) lies outside of \(layer.bytes.count) bytes"
        }
        return layer.nested.lazy.compactMap(problem).first
    }

    /// The broken invariant of an annotation that must lie in a range; nil if all hold.
    package static func problem(_ annotation: Annotation, in outer: Range<Int>) -> String? {
        let range = annotation.range ?? outer
        guard within(range, outer) else { return "\(annotation.name) at \(range) lies outside of \(outer)" }
        return annotation.children.lazy.compactMap { problem($0, in: range) }.first
    }

    /// The number of layers and annotations.
    package static func count(_ layer: InspectionLayer) -> (layers: Int, annotations: Int) {
        func count(_ annotations: [Annotation]) -> Int { annotations.reduce(0) { $0 + 1 + count($1.children) } }
        return layer.nested.reduce((1, count(layer.annotations))) { sum, nested in
            let inner = self.count(nested)
            return (sum.0 + inner.layers, sum.1 + inner.annotations)
        }
    }

    private static func within(_ range: Range<Int>, _ outer: Range<Int>) -> Bool {
        range.lowerBound >= outer.lowerBound && range.upperBound <= outer.upperBound
    }
}

extension InspectionLayer {
    /// The first annotation at a path of names, beginning at an outermost annotation.
    package func annotation(_ path: String...) -> Annotation? {
        var level = annotations
        var found: Annotation?
        for name in path {
            guard let next = level.first(where: { $0.name == name }) else { return nil }
            (found, level) = (next, next.children)
        }
        return found
    }

    /// This layer and all inner layers in order.
    package var all: [InspectionLayer] { [self] + nested.flatMap(\.all) }

    /// The first layer of a format.
    package func layer(_ format: String) -> InspectionLayer? { all.first { $0.format == format } }
}
