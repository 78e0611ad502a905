import Assay
import AssayCore
import AssayLedgerSQLite
import Crypto
import Foundation

/// A ledger's file with enrolled devices that are going to step their counters.
enum CounterFile {
    /// An enrolled device.
    struct Device: Sendable {
        let identifier: KeyIdentifier
        /// What its last step was.
        let counter = Counter()
    }

    static let app = "shop-ios"
    static let now = Date(timeIntervalSince1970: 1_795_132_800)
    /// Enough that a group of steps meets as many pages as it would in a grown ledger.
    static let count = 4096

    /// One of several equal parts of the devices. Their identifiers are as digests are.
    static func devices(part: Int = 0, of parts: Int = 1) -> [Device] {
        stride(from: part, to: count, by: parts).map { number in
            let digest = SHA256.hash(data: Data("device \(number)".utf8))
            return Device(identifier: KeyIdentifier(engine: AppAttestConfiguration.engine, value: Array(digest)))
        }
    }

    /// Makes a file and enrols all devices. That takes more than its write-ahead log holds, so that what is measured
    /// later writes into a log that has its size, which is faster than one that grows.
    static func prepare(_ path: String) async throws {
        let ledger = try SQLiteLedger.open(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<64 {
                group.addTask {
                    for device in devices(part: part, of: 64) { try await enrol(device, ledger) }
                }
            }
            try await group.waitForAll()
        }
        try await ledger.close()
    }

    private static func enrol(_ device: Device, _ ledger: SQLiteLedger) async throws {
        let key = EnrolledKey(
            identifier: device.identifier, app: app, publicKey: [4] + Array(repeating: 7, count: 64), counter: 0,
            enrolledAt: now, properties: ["appId": "1234567890.com.example.myapp", "environment": "production"])
        let outcome = try await ledger.commit([LedgerEffect(.appAttestAttestationEnrolment, .enrol(key))], at: now)
        require(outcome.isApplied, "a key is refused")
    }
}
