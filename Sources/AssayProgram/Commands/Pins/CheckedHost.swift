import Assay
import AssayPlatforms
import AssayPrimitives
import Foundation

/// A host with its pins and what its addresses present.
struct CheckedHost {
    let name: String
    let pins: [Pin]
    let addresses: [CheckedAddress]

    /// - Parameter pins: those that count for the host; empty if it is not pinned.
    init(name: String, pins: [Pin], views: [HostView], at now: Date) {
        (self.name, self.pins) = (name, pins)
        addresses = views.map { CheckedAddress($0, pins: pins, at: now) }
    }

    /// Whether apps connect at every address.
    var isGood: Bool { addresses.allSatisfy(\.isGood) }

    /// Whole days until the first leaf, or the window of its pin, ends. Nil if an address presents nothing.
    var daysLeft: Int? {
        let days = addresses.map(\.daysLeft)
        return days.contains(nil) ? nil : days.compactMap { $0 }.min()
    }

    /// A line if all is well, and otherwise one for each address where it is not.
    func lines(at now: Date) -> [String] {
        guard isGood else {
            return addresses.filter { !$0.isGood }.map { address in
                "\(name)\(address.text.map { " at \($0)" } ?? ""): \(address.sentence(pins: pins.count))"
            }
        }
        var sentences: [String] = []
        for address in addresses where !sentences.contains(address.sentence(pins: pins.count)) {
            sentences.append(address.sentence(pins: pins.count))
        }
        let end = daysLeft.map { ", \(Self.days($0)) left" } ?? ""
        return ["\(name): \(sentences.joined(separator: "; "))\(end)"]
    }

    static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }

    /// One object.
    func json(at now: Date) -> String {
        var object = JSONObject()
        object.add("host", text: name)
        object.add("ok", raw: "\(isGood)")
        object.add("pinned", raw: "\(!pins.isEmpty)")
        if let daysLeft { object.add("daysLeft", raw: "\(daysLeft)") }
        object.add("addresses", raw: JSONText.array(addresses.map { $0.json(pins: pins.count, at: now) }))
        return object.text
    }
}

/// What one address presents, judged by the pins of the host.
struct CheckedAddress {
    /// The address with its port; nil if the host has none.
    let text: String?
    private let outcome: Result<(finding: PinFinding, chain: [PresentedCertificate]), TLSProbeError>
    /// Whole days until the leaf, or the window of the matching pin, ends; nil if nothing is presented.
    let daysLeft: Int?

    init(_ view: HostView, pins: [Pin], at now: Date) {
        text = view.address
        outcome = view.chain.map { (PinFinding(of: $0, pins: pins, at: now), $0) }
        guard case .success((let finding, let chain)) = outcome, let leaf = chain.first else {
            daysLeft = nil
            return
        }
        var days = leaf.daysLeft(at: now)
        if case .matched(let pin) = finding, let end = pin.notAfter {
            days = min(days, Int((end.timeIntervalSince(now) / 86_400).rounded(.down)))
        }
        daysLeft = days
    }

    var isGood: Bool {
        if case .success((let finding, _)) = outcome { finding.isGood } else { false }
    }

    /// What was found. No line of it depends on the address.
    ///
    /// - Parameter count: how many pins the host has.
    func sentence(pins count: Int) -> String {
        switch outcome {
        case .failure(let error): return error.description
        case .success((let finding, let chain)):
            let leaf = chain.first.map { shown in
                "the leaf is \(shown.subject), pin \(shown.pin.text), issued by "
                    + (shown.isSelfIssued ? "itself" : shown.issuer)
            }
            let presented = leaf ?? "no leaf"
            let defined = count == 1 ? "the pin" : "any of the \(count) pins"
            return switch finding {
            case .unpinned: "no pins defined"
            case .matched(let pin): "matched pin \(pin.text)"
            case .noneInForce: "no pin is in its window, so no app connects; \(presented)"
            case .outsideWindow(let pin):
                "pin \(pin.text) matches, and counts only \(Self.window(of: pin)); \(presented)"
            case .unmatched:
                "no presented certificate has \(defined): another certificate, or a network that intercepts TLS; \(presented)"
            case .expired(let end): "the leaf ended at \(RFC3339.format(end)); \(presented)"
            case .notYetValid(let start): "the leaf is valid only from \(RFC3339.format(start)); \(presented)"
            }
        }
    }

    static func window(of pin: Pin) -> String {
        [pin.notBefore.map { "from \(RFC3339.format($0))" }, pin.notAfter.map { "until \(RFC3339.format($0))" }]
            .compactMap { $0 }.joined(separator: " ")
    }

    func json(pins count: Int, at now: Date) -> String {
        var object = JSONObject()
        if let text { object.add("address", text: text) }
        object.add("ok", raw: "\(isGood)")
        switch outcome {
        case .failure(let error):
            object.add("finding", text: error.code)
        case .success((let finding, let chain)):
            object.add("finding", text: finding.code)
            if case .matched(let pin) = finding { object.add("pin", text: pin.text) }
            if let daysLeft { object.add("daysLeft", raw: "\(daysLeft)") }
            object.add("chain", raw: PinTable.json(of: chain, at: now))
        }
        object.add("message", text: sentence(pins: count))
        return object.text
    }
}
