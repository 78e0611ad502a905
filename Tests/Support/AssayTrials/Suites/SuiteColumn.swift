/// A cell of a suite's table: text, flag or number.
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

    /// The text; empty for other cells.
    var text: String {
        guard case .text(let text) = self else { return "" }
        return text
    }
}
