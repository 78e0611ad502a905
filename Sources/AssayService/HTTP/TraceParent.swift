package import HTTPTypes
import Instrumentation

/// The field `traceparent` of a request (W3C Trace Context, section 3.2). It joins spans and logs to a trace of the client's, and is
/// evidence of nothing.
package struct TraceParent: Sendable, Equatable {
    /// 32 hexadecimal digits.
    package let traceID: String
    private let text: String
    private let state: String?

    /// Reads the field; nil if it is missing, repeated or malformed: a new trace begins then.
    package init?(_ fields: HTTPFields) {
        let texts = fields[values: Self.name]
        guard texts.count == 1, let text = texts.first else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, digits: $1) }) else {
            return nil
        }
        // Version 00 has four parts; later ones may have more. ff is no version.
        guard parts[0] != "ff", parts[0] != "00" || parts.count == 4, text.utf8.count <= 512 else { return nil }
        guard parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }) else { return nil }
        traceID = String(parts[1])
        self.text = text
        state = fields[Self.stateName]
    }

    private static let name = HTTPField.Name("traceparent") ?? .date
    private static let stateName = HTTPField.Name("tracestate") ?? .date

    private static func isHexadecimal(_ part: Substring, digits: Int) -> Bool {
        part.utf8.count == digits
            && part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The context that the tracer of the process finds in the field.
    var context: ServiceContext {
        var context = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(self, into: &context, using: FieldExtractor())
        return context
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from carrier: TraceParent) -> String? {
            switch key.lowercased() {
            case "traceparent": carrier.text
            case "tracestate": carrier.state
            default: nil
            }
        }
    }
}
