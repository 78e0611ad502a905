/// The text format of Prometheus, version 0.0.4 (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
enum MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// All metrics of a registry, sorted by name.
    static func write(_ registry: MetricsRegistry) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(1 << 18)
        for (name, family) in registry.families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            if let help = registry.help[name] { text += "# HELP \(name) \(help)\n".utf8 }
            text += "# TYPE \(name) \(family.kind.rawValue)\n".utf8
            for (labels, series) in family.series {
                switch series {
                case .counter(let series): line(&text, name, labels, "\(series.value)")
                case .gauge(let series): line(&text, name, labels, number(series.value))
                case .histogram(let series): write(series, name, labels, to: &text)
                }
            }
        }
        return text
    }

    private static func write(_ series: HistogramSeries, _ name: String, _ labels: String, to text: inout [UInt8]) {
        let values = series.values
        var count = 0
        for (index, bound) in (series.bounds + [.infinity]).enumerated() {
            count += values.counts[index]
            let le = "le=\"\(number(bound))\""
            line(&text, name + "_bucket", labels.isEmpty ? le : "\(labels),\(le)", "\(count)")
        }
        line(&text, name + "_sum", labels, number(values.sum))
        line(&text, name + "_count", labels, "\(count)")
    }

    private static func line(_ text: inout [UInt8], _ name: String, _ labels: String, _ value: String) {
        text += name.utf8
        if !labels.isEmpty {
            text.append(UInt8(ascii: "{"))
            text += labels.utf8
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: " "))
        text += value.utf8
        text.append(UInt8(ascii: "\n"))
    }

    private static func number(_ value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.isNaN ? "NaN" : "\(value)"
    }

    /// A name with the characters that Prometheus allows; others become `_`.
    static func name(_ label: String) -> String {
        // Those of the program need no change, and a policy with many apps has thousands of series.
        if let first = label.utf8.first, !(0x30...0x39).contains(first),
            label.unicodeScalars.allSatisfy(isNamePart)
        {
            return label
        }
        let text = String(label.unicodeScalars.map { isNamePart($0) ? Character($0) : "_" })
        return text.first.map { $0.isNumber } ?? true ? "_\(text)" : text
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    /// Labels with their values, escaped.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { label, value in
            "\(name(label))=\"\(escaped(value))\""
        }.joined(separator: ",")
    }

    private static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return value }
        return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
