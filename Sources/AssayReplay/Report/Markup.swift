import AssayCore

/// HTML that is also well-formed XML. Escapes interpolated text; other markup comes from literals in the sources.
package struct Markup: ExpressibleByStringInterpolation, Sendable {
    /// Escapes what is interpolated, but not other markup.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            html = ""
            html.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { html += literal }

        // Beside the generic one, which other modules do not specialise.
        package mutating func appendInterpolation(_ text: String) { html += Markup.escape(text) }

        package mutating func appendInterpolation(_ text: some StringProtocol) { html += Markup.escape(text) }

        package mutating func appendInterpolation(_ number: Int) { html += "\(number)" }

        package mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        package mutating func appendInterpolation(_ parts: [Markup]) {
            for part in parts { html += part.html }
        }
    }

    package private(set) var html: String

    package init(stringLiteral value: String) { html = value }

    package init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

    package static var nothing: Markup { "" }

    package static func += (left: inout Markup, right: Markup) { left.html += right.html }

    /// Unescaped text, only for scripts, style sheets and data of our own.
    package static func verbatim(_ text: String) -> Markup {
        var markup = Markup.nothing
        markup.html = text
        return markup
    }

    /// Escapes text for elements and quoted attributes. Makes control characters visible as escapes.
    private static func escape(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case _ where scalar.isActedOn: result += scalar.escaped(asASCII: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
