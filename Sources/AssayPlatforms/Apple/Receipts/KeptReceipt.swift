import AppAttest
package import AssayCore
package import Foundation

/// A receipt in a task of the ledger: JSON, with the receipt as base64, sealed or plain.
package struct KeptReceipt: Sendable, Equatable, Codable {
    /// The queue of these tasks. Their keys are key identifiers of App Attest.
    package static let queue = "app-attest.receipt"
    private static let label = "assay app-attest receipt"

    private var version = 1
    package let app: String
    private let environment: String
    private let createdAt: String
    private let notBefore: String?
    private let expiresAt: String
    /// Field 17 of the receipt; nil in that of an attestation.
    package let riskMetric: Int?
    private let receipt: String?
    private var sealed: String?
    /// The result of the last attempt; nil before the first one.
    package var outcome: ReceiptOutcome?
    /// The attempts in a row that got no new receipt.
    package var failures = 0

    /// Why a task cannot be used.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Prepares a receipt to be kept: sealed if the policy says so. The seal covers the key identifier.
    init(
        _ kept: RefreshableReceipt, app: String, keyID: [UInt8], _ keeping: AppAttestConfiguration.ReceiptKeeping,
        _ masterKey: MasterKey?
    ) throws(Unusable) {
        self.app = app
        environment = kept.environment.rawValue
        createdAt = RFC3339.format(kept.createdAt)
        notBefore = kept.notBefore.map(RFC3339.format)
        expiresAt = RFC3339.format(kept.expiresAt)
        riskMetric = kept.riskMetric
        if keeping == .sealed {
            guard let masterKey else {
                throw Unusable(
                    description:
                        "the policy of app \(app.excerpt) says receipt.keep: sealed, and there is no master key")
            }
            guard let bytes = masterKey.seal(kept.bytes, label: Self.label, context: keyID) else {
                throw Unusable(description: "the receipt cannot be sealed")
            }
            (receipt, sealed) = (nil, Base64.encode(bytes, .standard))
        } else {
            (receipt, sealed) = (Base64.encode(kept.bytes, .standard), nil)
        }
    }

    package init(task: LedgerTask) throws(Unusable) {
        do { self = try JSONDecoder().decode(KeptReceipt.self, from: Data(task.bytes)) } catch {
            throw Unusable(description: "the task does not hold a receipt")
        }
        guard version == 1 else {
            throw Unusable(description: "the task is of version \(version), and this program knows version 1")
        }
    }

    func encoded() throws(Unusable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch {
            throw Unusable(description: "the receipt cannot be written as JSON")
        }
    }

    package var isSealed: Bool { sealed != nil }

    /// The times of the receipt: of its creation, of the end of its exchange.
    package func times() throws(Unusable) -> (createdAt: Date, expiresAt: Date) {
        guard let created = RFC3339.parse(createdAt), let end = RFC3339.parse(expiresAt) else {
            throw Unusable(description: "the task has no times of its receipt")
        }
        return (created, end)
    }

    /// The receipt sealed again under the first of the master keys; nil if it is plain, or sealed under that one.
    func resealed(keyID: [UInt8], under masterKey: MasterKey) throws(Unusable) -> KeptReceipt? {
        guard let sealed else { return nil }
        guard
            let open = (try? Base64.decode(sealed, .standard))
                .flatMap({ masterKey.open($0, label: Self.label, context: keyID) })
        else { throw Unusable(description: "the receipt was changed, or sealed under another master key") }
        guard !open.isOwn else { return nil }
        guard let bytes = masterKey.seal(open.bytes, label: Self.label, context: keyID) else {
            throw Unusable(description: "the receipt cannot be sealed")
        }
        var copy = self
        copy.sealed = Base64.encode(bytes, .standard)
        return copy
    }

    func opened(keyID: [UInt8], masterKey: MasterKey?) throws(Unusable) -> RefreshableReceipt {
        let bytes: [UInt8]?
        if let sealed {
            guard let masterKey else {
                throw Unusable(description: "the receipt is sealed, and there is no master key")
            }
            bytes = (try? Base64.decode(sealed, .standard))
                .flatMap { masterKey.open($0, label: Self.label, context: keyID)?.bytes }
        } else {
            bytes = receipt.flatMap { try? Base64.decode($0, .standard) }
        }
        let times = try times()
        guard let bytes, let environment = AttestEnvironment(rawValue: environment) else {
            throw Unusable(description: "the receipt was changed, or sealed under another master key")
        }
        return RefreshableReceipt(
            bytes: bytes, environment: environment, createdAt: times.createdAt, riskMetric: riskMetric,
            notBefore: notBefore.flatMap(RFC3339.parse), expiresAt: times.expiresAt)
    }
}

/// The result of exchanging a due receipt: a stable code for metrics and lists.
package enum ReceiptOutcome: String, Sendable, Codable, CaseIterable {
    /// Apple issued a new one, which is verified and kept.
    case refreshed
    /// Apple says that it is too early.
    case notYet = "not-yet"
    /// Apple has no data on the key, as is normal a month after its attestation.
    case noData = "no-data"
    /// Apple issued a receipt that does not verify for this key.
    case unusable
    case refused
    case outage
    /// The receipt has expired. It is no longer kept.
    case expired
    /// The ledger has no such key in use. The receipt is no longer kept.
    case notEnrolled = "not-enrolled"
    /// The policy does not keep receipts of the app.
    case notKept = "not-kept"
    case unreadable
}
