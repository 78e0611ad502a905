import ArgumentParser
import AssayCore

/// A field that tokens are bound to on the command line: `NAME=VALUE`, or `NAME` alone.
struct BindingArgument {
    /// The name of the field.
    let name: String
    /// Its value, and nil when there is the name alone.
    let value: ValueArgument?

    /// Reads a field. A name has no `=` in it, so that the first one ends it.
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

    /// The value as text, without the line end that editors put at the end of files.
    func resolve() throws(CommandFailure) -> String {
        var bytes = try value?.resolve()[...] ?? []
        if case .file = value { while let last = bytes.last, last == 0x0A || last == 0x0D { bytes = bytes.dropLast() } }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                .unreadable, "\(RawOption.bindingHeader.rawValue) \(name.excerpt): the value is no UTF-8")
        }
        return text
    }
}
