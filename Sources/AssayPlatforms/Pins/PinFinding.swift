package import Assay
package import FoundationEssentials

/// Whether a presented chain satisfies the pins of a host. Pure: pins, chain and time are arguments.
package enum PinFinding: Sendable, Equatable {
    /// The host has no pins.
    case unpinned
    /// A certificate has this pin: the one nearest to the leaf.
    case matched(Pin)
    /// The host has pins, and none is in its window.
    case noneInForce
    /// A certificate has a pin of the host that is outside its window.
    case outsideWindow(Pin)
    /// No certificate has a pin of the host: another certificate, or another server such as a captive portal.
    case unmatched
    /// The leaf has ended: no app connects, whatever its pins.
    case expired(Date)
    /// The leaf's validity has not begun.
    case notYetValid(Date)

    /// Judges a chain.
    ///
    /// A mismatch is reported before the leaf's validity: it says more about the server.
    ///
    /// - Parameters:
    ///   - chain: the leaf first, not empty.
    ///   - pins: those of the host, as ``PinSet/pins(of:)`` finds them.
    package init(of chain: [PresentedCertificate], pins: [Pin], at now: Date) {
        let active = pins.filter { $0.isInForce(at: now) }
        func first(of pins: [Pin]) -> Pin? {
            chain.lazy.compactMap { shown in pins.first { $0.isSameKey(as: shown.pin) } }.first
        }
        let match = first(of: active)
        if !pins.isEmpty, match == nil {
            if let closed = first(of: pins) {
                self = .outsideWindow(closed)
            } else {
                self = active.isEmpty ? .noneInForce : .unmatched
            }
        } else if let leaf = chain.first, now >= leaf.notAfter + 1 {
            self = .expired(leaf.notAfter)
        } else if let leaf = chain.first, now < leaf.notBefore {
            self = .notYetValid(leaf.notBefore)
        } else {
            self = match.map { .matched($0) } ?? .unpinned
        }
    }

    /// Whether apps connect.
    package var isGood: Bool {
        switch self {
        case .unpinned, .matched: true
        case .noneInForce, .outsideWindow, .unmatched, .expired, .notYetValid: false
        }
    }

    /// A fixed word for programs.
    package var code: String {
        switch self {
        case .unpinned: "unpinned"
        case .matched: "matched"
        case .noneInForce: "none-in-force"
        case .outsideWindow: "outside-window"
        case .unmatched: "unmatched"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        }
    }
}
