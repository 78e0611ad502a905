import ArgumentParser
import Assay
import AssayCore

/// A policy field set on the command line: `FIELD=VALUE`.
struct RawSetting {
    /// The path of the field in the engine's section, or `checks.` and the name of a check.
    let path: String
    /// The value as written.
    let text: String

    /// Parses a setting at the first `=`: a path contains none.
    init(_ argument: String) throws {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else {
            throw ValidationError(
                "expected FIELD=VALUE, such as receipt.maximumAge=5m, found \"\(argument.prefix(60))\"")
        }
        path = String(argument[..<mark])
        text = String(argument[mark...].dropFirst())
        guard !path.hasPrefix("."), !path.hasSuffix("."), !path.contains("..") else {
            throw ValidationError("expected names with a period between two in FIELD, found \"\(path.prefix(60))\"")
        }
    }

    /// The value: a sequence or mapping if it begins with `[` or `{`, otherwise a scalar.
    func content() throws(PolicyError) -> PolicyNode.Content {
        guard text.hasPrefix("[") || text.hasPrefix("{") else { return .scalar(text) }
        return try PolicyFile.value(text).content
    }
}

/// A name with its value on the command line: `NAME=VALUE`, or `NAME` alone.
struct NamedValue {
    let name: String
    /// The value; nil for a name alone.
    let value: ValueArgument?

    /// Parses the text at the first `=`: a name contains none.
    init(_ text: String) throws {
        let name = text.prefix { $0 != "=" }
        guard !name.isEmpty else {
            throw ValidationError("expected NAME=VALUE, such as Authorization='Bearer ...', found no name")
        }
        self.name = String(name)
        value =
            name.endIndex == text.endIndex
            ? nil : try ValueArgument(String(text[name.endIndex...].dropFirst()), plain: .text)
    }

    /// The value as text, without a line ending at the end of a file.
    func resolve(of option: String) throws(CommandFailure) -> String {
        try value?.resolveText(of: "--\(option) \(name.excerpt)") ?? ""
    }
}
