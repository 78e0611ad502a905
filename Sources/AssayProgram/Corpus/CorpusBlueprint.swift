import AssayCore
package import AssayTesting
package import FoundationEssentials

/// The parameters of a corpus of test evidence: the number of devices, the period, and the share of records that fail
/// each check.
///
///     var blueprint = CorpusBlueprint(seed: "load test", end: end)
///     blueprint.devices = 5000
///     blueprint.shares["app-attest.assertion.counter"] = try CorpusShare("0.5%")
///     var mint = try CorpusMint(blueprint)
///     while let records = try await mint.next() { ... }       // in the order of their reception
package struct CorpusBlueprint: Sendable {
    /// The seed of all keys and random values. It determines the private keys.
    package var seed: String
    /// The end of the period in which the server receives the records. Fractions of a second are dropped.
    package var end: Date
    /// The number of devices: 1 to 1,000,000.
    package var devices = 200
    /// The length of the period in days: 1 to 366.
    package var days = 14
    /// The average number of requests per device and day: above 0, up to 1,000.
    package var requestsPerDeviceDay = 3.0
    /// The share of devices with iOS or macOS. Of the others, every twentieth is a PC and the rest run Android. Every second Android phone
    /// attests a key and signs its requests with it, in place of Play Integrity.
    package var appleShare = CorpusShare(partsPerMillion: 600_000)
    /// The number of records; nil for as many as ``requestsPerDeviceDay`` gives. If set, ``requestsPerDeviceDay`` is
    /// ignored.
    package var records: Int?
    /// For each check, by name, the share of records that fail it first. For a check of several kinds of evidence, the
    /// share applies to each kind.
    package var shares: [String: CorpusShare] = CorpusBlueprint.usualShares

    /// Creates a blueprint with 200 devices and 14 days, in which 3% to 5% of the records are rejected.
    package init(seed: String, end: Date) {
        self.seed = seed
        self.end = end
    }

    /// The names of the checks that minted evidence can fail first. The other checks need a ledger that issues
    /// challenges or blocks keys.
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
        "android-key.attestation.chain": 5_000, "android-key.attestation.target": 2_000,
        "android-key.attestation.challenge-binding": 5_000, "android-key.attestation.root-of-trust": 12_000,
        "android-key.attestation.patch-level": 8_000, "android-key.attestation.application": 3_000,
        "android-key.attestation.enrolment": 8_000,
        "android-key.request.key": 6_000, "android-key.request.signature": 4_000,
        "android-key.request.content-digest": 3_000, "android-key.request.freshness": 5_000,
        "android-key.request.replay": 8_000,
    ].mapValues { CorpusShare(partsPerMillion: $0) }

    /// Throws ``MintingError`` for parameters that are out of range or contradict each other.
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
        // The authority's certificates begin 400 days before the first day, and their years must have four digits.
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
            // A repetition needs an earlier accepted record, so repetitions cannot be all records.
            if let repetition = population.repetition,
                let share = shares[population.check(repetition)], share.partsPerMillion > 750_000
            {
                throw MintingError("at most 75% can fail \(population.check(repetition)): the others come first")
            }
        }
    }
}

/// A share with a resolution of one millionth.
package struct CorpusShare: Sendable, Hashable, CustomStringConvertible {
    /// The share in millionths.
    package let partsPerMillion: Int

    /// Creates a share. The argument is limited to 0 to 1,000,000.
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

    /// The share as a percentage, such as `0.5%`.
    package var description: String {
        var fraction = String(partsPerMillion % 10_000 + 10_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        return "\(partsPerMillion / 10_000)\(fraction.isEmpty ? "" : "." + fraction)%"
    }
}
