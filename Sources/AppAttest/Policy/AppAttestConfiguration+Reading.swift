package import AssayCore

extension AppAttestConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        do { try self.init(values) } catch { throw error.placed(in: node) }
    }

    static func binding(_ node: PolicyNode) throws(PolicyError) -> ClientDataBinding {
        if case .mapping = node.content {
            guard let pointer = try node.members(["challengeAt"])["challengeAt"] else {
                throw node.missing("challengeAt", "a JSON pointer, such as /challenge")
            }
            let text = try pointer.text()
            do {
                return .challengeAt(try JSONPointer(text))
            } catch {
                throw pointer.error("expected a JSON pointer (RFC 6901), such as /challenge: \(error.message)")
            }
        }
        switch try node.text() {
        case "raw": return .raw
        case "none": return .none
        default: throw node.error("expected raw, none or { challengeAt: JSON POINTER }, found \(node.found)")
        }
    }

    static func counterRule(_ node: PolicyNode) throws(PolicyError) -> CounterAdvance.Rule {
        let text = try node.text()
        if let rule = CounterAdvance.Rule(text) { return rule }
        throw node.error(
            "expected increasing, successor or window(N) with N from 1 to \(CounterState.maximumWindow), found \(node.found)"
                + Nearest.advice(for: text, among: ["increasing", "successor", "window(64)"]))
    }

    static func certificates(
        in node: PolicyNode, files: any PolicyFiles
    ) throws(PolicyError) -> [Certificate] {
        let contents = try files.contents(of: node)
        do {
            return try PEM.certificates(in: contents)
        } catch {
            throw node.error("expected a file of PEM certificates: \(error.detail)")
        }
    }
}

extension CounterAdvance.Rule {
    /// Reads `increasing`, `successor` or `window(N)`; nil for another text.
    init?(_ text: String) {
        switch text {
        case "increasing": self = .increasing
        case "successor": self = .successor
        default:
            let number = text.dropFirst("window(".count).dropLast()
            guard text.isByteEqual(to: "window(\(number))"), let size = Int(number),
                "\(size)".isByteEqual(to: String(number)),
                (1...CounterState.maximumWindow).contains(size)
            else { return nil }
            self = .window(size)
        }
    }

    var text: String {
        switch self {
        case .increasing: "increasing"
        case .successor: "successor"
        case .window(let size): "window(\(size))"
        }
    }
}
