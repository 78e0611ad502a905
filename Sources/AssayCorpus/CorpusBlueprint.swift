import AssayCore
package import AssayTesting
package import FoundationEssentials

/// What a corpus of test evidence is to be like: how many devices use the apps for how long, and how much of what they
/// send is to be refused, by the check that it fails first.
///
///     var blueprint = CorpusBlueprint(seed: "load test", end: end)
///     blueprint.devices = 5000
///     blueprint.shares["app-attest.assertion.counter"] = try CorpusShare("0.5%")
///     var mint = try CorpusMint(blueprint)
///     while let records = try await mint.next() { ... }       // in the order of their reception
package struct CorpusBlueprint: Sendable {
    /// The seed of all keys and random values. It determines the private keys.
    package var seed: String
    /// The end of the time in which the records were received. Fractions of a second are dropped.
    package var end: Date
    /// How many devices there are: 1 to 1,000,000.
    package var devices = 200
    /// How many days they send evidence: 1 to 366.
    package var days = 14
    /// How many requests a device makes on a day, on average: above 0, up to 1,000.
    package var requestsPerDeviceDay = 3.0
    /// How many of the devices run iOS or macOS; the others run Android, and every twentieth of these is a PC.
    package var appleShare = CorpusShare(partsPerMillion: 600_000)
    /// How many records there are to be; nil for as many as the requests make. With a number, it and not
    /// ``requestsPerDeviceDay`` says how many requests there are.
    package var records: Int?
    /// How many of the records of a kind fail a check first, by the name of the check. A check that several kinds have is
    /// failed by the share of each of them.
    package var shares: [String: CorpusShare] = CorpusBlueprint.usualShares

    /// A corpus of 200 devices over two weeks, of which three to five records in a hundred are to be refused.
    package init(seed: String, end: Date) {
        self.seed = seed
        self.end = end
    }

    /// The names of the checks that evidence can be made to fail first. The others need a ledger that issues challenges or
    /// blocks keys.
    package static let supportedChecks: [String] = {
        var names: [String] = []
        for population in CorpusPopulation.allCases {
            for defect in population.defects where !names.contains(population.check(defect)) {
                names.append(population.check(defect))
            }
        }
        return names
    }()

    /// The default share of failures of each check.
    package static let usualShares: [String: CorpusShare] = [
        "app-attest.attestation.decode": 2_000, "app-attest.attestation.chain": 5_000,
        "app-attest.attestation.nonce": 8_000, "app-attest.attestation.app-id": 2_000,
        "app-attest.attestation.environment": 1_000, "app-attest.attestation.os-version": 12_000,
        "app-attest.attestation.bundle-version": 5_000, "app-attest.attestation.enrolment": 8_000,
        "app-attest.assertion.decode": 1_000, "app-attest.assertion.key": 6_000,
        "app-attest.assertion.signature": 4_000, "app-attest.assertion.client-data": 4_000,
        "app-attest.assertion.validation-category": 2_000, "app-attest.assertion.bundle-version": 6_000,
        "app-attest.assertion.counter": 8_000,
        "app-attest.receipt.freshness": 10_000, "app-attest.receipt.risk-metric": 20_000,
        "play-integrity.decode": 1_000, "play-integrity.decryption": 2_000, "play-integrity.nonce": 3_000,
        "play-integrity.request-hash": 3_000, "play-integrity.freshness": 5_000,
        "play-integrity.testing-response": 500, "play-integrity.app-recognition": 5_000,
        "play-integrity.certificate": 2_000, "play-integrity.version-code": 3_000,
        "play-integrity.device-recognition": 12_000, "play-integrity.sdk-version": 3_000,
        "play-integrity.device-activity": 1_000, "play-integrity.device-recall": 1_000,
        "play-integrity.pc-integrity": 10_000, "play-integrity.challenge": 2_000,
    ].mapValues { CorpusShare(partsPerMillion: $0) }

    /// Demands that such a corpus can be made.
    func validate() throws(MintingError) {
        guard !seed.isEmpty else { throw MintingError("a corpus needs a seed") }
        guard (1...1_000_000).contains(devices) else {
            throw MintingError("expected 1 to 1000000 devices, found \(devices)")
        }
        guard (1...366).contains(days) else { throw MintingError("expected 1 to 366 days, found \(days)") }
        guard requestsPerDeviceDay > 0, requestsPerDeviceDay <= 1000 else {
            throw MintingError("expected more than 0 and up to 1000 requests a day, found \(requestsPerDeviceDay)")
        }
        if let records, records < 1 { throw MintingError("expected at least 1 record, found \(records)") }
        // Certificates of the authority begin 400 days before the first day, and have four digits for the year.
        guard end >= Date(timeIntervalSince1970: 0), end < Date(timeIntervalSince1970: 4_102_444_800) else {
            throw MintingError("expected an end in the years 1970 to 2099, found \(RFC3339.format(end))")
        }
        let supported = Self.supportedChecks
        for name in shares.keys.sorted() where !supported.contains(where: { $0.isByteEqual(to: name) }) {
            let advice = Nearest.advice(for: name, among: supported)
            throw MintingError(
                "no evidence can be made to fail \(name.excerpt)\(advice.isEmpty ? "; the" : "\(advice) The") checks that it "
                    + "can be made to fail are \(supported.joined(separator: ", "))")
        }
        for population in CorpusPopulation.allCases {
            let total = population.defects.reduce(0) { $0 + (shares[population.check($1)]?.partsPerMillion ?? 0) }
            guard total <= 1_000_000 else {
                throw MintingError("the shares of \(population.word) records come to more than 100%")
            }
            // What is sent again was accepted before.
            if let repetition = population.repetition,
                let share = shares[population.check(repetition)], share.partsPerMillion > 750_000
            {
                throw MintingError("at most 75% can fail \(population.check(repetition)): the others come first")
            }
        }
    }
}

/// A part of a whole, to the millionth.
package struct CorpusShare: Sendable, Hashable, CustomStringConvertible {
    /// How many of a million.
    package let partsPerMillion: Int

    /// States a share, from 0 to 1,000,000 of a million.
    package init(partsPerMillion: Int) {
        self.partsPerMillion = min(max(partsPerMillion, 0), 1_000_000)
    }

    /// Reads a percentage from 0% to 100% with at most four digits after the point, such as `0.5%`.
    package init(_ text: String) throws(MintingError) {
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.last == UInt8(ascii: "%"), (1...2).contains(parts.count), (1...3).contains(parts[0].utf8.count),
            parts.count == 1 || (1...4).contains(parts[1].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int(parts[0]),
            let fraction = Int(
                (parts.count == 2 ? parts[1] : "")
                    + String(repeating: "0", count: 4 - (parts.count == 2 ? parts[1].utf8.count : 0))),
            whole * 10_000 + fraction <= 1_000_000
        else { throw MintingError("expected a percentage from 0% to 100%, such as 0.5%, found \(text.excerpt)") }
        partsPerMillion = whole * 10_000 + fraction
    }

    /// The percentage.
    package var description: String {
        var fraction = String(partsPerMillion % 10_000 + 10_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        return "\(partsPerMillion / 10_000)\(fraction.isEmpty ? "" : "." + fraction)%"
    }
}
