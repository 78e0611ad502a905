/// A cell of the suites' tables, which hold text, flags and numbers side by side.
enum SuiteColumn: Decodable, Sendable {
    case text(String)
    case flag(Bool)
    case number(Int)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// The text, and empty for anything else.
    var text: String {
        guard case .text(let text) = self else { return "" }
        return text
    }
}
