package import AssayPrimitives

/// The pins of domains, as apps get them.
package struct PinSet: Sendable, Equatable {
    /// A domain and its pins.
    package struct Domain: Sendable, Equatable {
        /// A DNS name in lower case, or ``PinSet/everyDomain``.
        package let name: String
        /// Any one of them in the presented chain is enough. Empty: the domain has none of its own.
        package var pins: [Pin]
        /// Whether the entry `jwe` is among the pins: tokens for the domain are encrypted. It is no pin.
        package var isJWE: Bool

        package init(name: String, pins: [Pin] = [], isJWE: Bool = false) {
            (self.name, self.pins, self.isJWE) = (name, pins, isJWE)
        }
    }

    /// The most domains.
    package static let maximumDomains = 200
    /// The most pins of a domain: `*` may hold those of all roots that a platform trusts.
    package static let maximumPins = 300
    /// The name under which pins of all domains without their own stand.
    package static let everyDomain = "*"

    /// In the order of the document.
    package private(set) var domains: [Domain] = []

    /// No domain.
    package init() {}

    /// The entry of a name, in any case of its letters; nil if there is none.
    package subscript(name: String) -> Domain? {
        let name = name.lowercased()
        return domains.first { $0.name.isByteEqual(to: name) }
    }

    /// Adds a domain, or replaces the pins of one.
    ///
    /// - Throws: ``DecodeError`` for a name that is no domain, the same pin twice, or too many of either.
    package mutating func set(_ domain: Domain) throws(DecodeError) {
        let name = try PinSet.name(domain.name)
        guard domain.pins.count <= PinSet.maximumPins else {
            throw DecodeError(
                .tooLarge, at: 0, field: name,
                "\(domain.pins.count) pins; a domain has at most \(PinSet.maximumPins)")
        }
        var texts: Set<String> = []
        if let twice = domain.pins.first(where: { !texts.insert($0.text).inserted }) {
            throw DecodeError(.unexpected, at: 0, field: name, "the pin \(twice.text) stands there twice")
        }
        let entry = Domain(name: name, pins: domain.pins, isJWE: domain.isJWE)
        if let index = domains.firstIndex(where: { $0.name.isByteEqual(to: name) }) { return domains[index] = entry }
        guard domains.count < PinSet.maximumDomains else {
            throw DecodeError(.tooLarge, at: 0, "more than \(PinSet.maximumDomains) domains")
        }
        domains.append(entry)
    }

    /// Removes a domain. Returns false if there is none.
    package mutating func remove(_ name: String) -> Bool {
        let count = domains.count
        let name = name.lowercased()
        domains.removeAll { $0.name.isByteEqual(to: name) }
        return domains.count < count
    }

    /// The pins of a host: those of its domain, otherwise those of `*`, otherwise none, and the host is not pinned. A domain whose
    /// pins are all outside their windows stays a pinned one.
    package func pins(of host: String) -> [Pin] {
        if let own = self[host]?.pins, !own.isEmpty { return own }
        return self[PinSet.everyDomain]?.pins ?? []
    }

    /// Checks and normalises the name of a domain: letters, digits, `-` and `.`, without a path and a port (RFC 1123 section 2.1).
    package static func name(_ text: String) throws(DecodeError) -> String {
        if text.isByteEqual(to: everyDomain) { return everyDomain }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
                && label.utf8.last != UInt8(ascii: "-") && label.utf8.allSatisfy(isLabelByte)
        }
        guard isName, text.utf8.count <= 253 else {
            throw DecodeError(
                .unexpectedValue, at: 0, field: text.excerpt,
                "not a domain: letters, digits, - and ., without scheme, port and path; or * for all others")
        }
        return text.lowercased()
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
