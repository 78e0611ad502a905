/// The reason why only migrations may use a ledger.
package enum LedgerMark: Sendable, Equatable {
    /// The ledger is being moved, or was moved, to another place.
    case moved(to: String)
    /// A migration is filling the ledger and has not finished.
    case unfinishedCopy(of: String)
    /// A migration was filling the ledger, and was cancelled.
    case cancelledCopy(of: String)

    private static let (unfinished, cancelled) = ("(unfinished copy of ", "(cancelled copy of ")

    /// Reads a stored mark: UTF-8.
    package init(_ stored: [UInt8]) {
        let text = String(decoding: stored, as: UTF8.self)
        // A place is a URL: it begins with a scheme.
        if text.hasPrefix(Self.unfinished), text.hasSuffix(")") {
            self = .unfinishedCopy(of: String(text.dropFirst(Self.unfinished.count).dropLast()))
        } else if text.hasPrefix(Self.cancelled), text.hasSuffix(")") {
            self = .cancelledCopy(of: String(text.dropFirst(Self.cancelled.count).dropLast()))
        } else {
            self = .moved(to: text)
        }
    }

    /// The mark as it is stored.
    package var text: String {
        switch self {
        case .moved(let place): place
        case .unfinishedCopy(let place): "\(Self.unfinished)\(place))"
        case .cancelledCopy(let place): "\(Self.cancelled)\(place))"
        }
    }

    /// What is wrong with the ledger at a place, as a sentence.
    package func objection(to place: String) -> String {
        switch self {
        case .moved(let other): "the ledger of \(place) was moved to \(other); name that one"
        case .unfinishedCopy(let source):
            "\(place) is an unfinished copy of \(source); repeat the command `assay migrate`, or cancel it"
        case .cancelledCopy(let source):
            "\(place) is a copy of \(source) that was cancelled; name another ledger"
        }
    }

    /// The outage of programs that open the ledger.
    package func outage(of place: String) -> LedgerOutage { LedgerOutage(.wrongLedger, objection(to: place)) }
}
