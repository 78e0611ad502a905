import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Works on a SQLite ledger in a separate process. Reads commands as lines from stdin and answers in lines on stdout.
///
///     open PATH MILLISECONDS [PAGES]   opens a ledger, with a busy timeout
///     enrol SEED                       enrols a key with counter 0
///     advance SEED COUNTER WRITERS     commits one advance from WRITERS tasks at once; prints how many were applied
///     policy PATH                      reads a policy, under which `verify` judges with the open ledger
///     verify WRITERS RECORD            judges a record as captured from WRITERS tasks at once; prints how many
///                                      accepted
///     block NAME                       blocks a device
///     allow NAME                       removes the block of a device, and sets an allowance
///     stream KEYS                      advances KEYS keys concurrently until killed; prints a line for each
///                                      acknowledgement
///     contend TASKS                    contends with other such processes until killed; see ``Contention``
///     fill                             enrols keys until an outage; prints the number of keys and the outage
///     hold                             blocks all writers until the next line
///     limit BYTES                      limits the size of files, 0 for no limit
///     ballast PATH BYTES               writes a file of BYTES bytes; 0 removes it
///     keys                             counts the keys
///     starve SEED BYTES                reads a key while SQLite may allocate only BYTES more bytes; prints the length
///                                      of its note
///     master TEXT                      opens the key store of the open ledger under a master key
///     seal PREFIX COUNT                seals COUNT keys, PREFIX-0 and on; prints a line for each acknowledgement
@main
enum LedgerStress {
    static func main() async {
        // The file size limit must be an error of write(2) and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        var session = Session()
        while let line = readLine() {
            do {
                say(try await session.perform(line.split(separator: " ").map(String.init)))
            } catch let outage as LedgerOutage {
                say("outage \(outage.code)")
            } catch {
                say("error \(error)")
            }
        }
    }

    /// Lines are shorter than PIPE_BUF, so lines of several tasks do not mix.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

struct StressError: Error, CustomStringConvertible {
    let description: String
}

private struct Session {
    private var opened: SQLiteLedger?
    private var filled: UInt32 = 0
    private var verifier: Verifier?
    private var store: SealedKeyStore?

    private func ledger() throws -> SQLiteLedger {
        guard let opened else { throw StressError(description: "no ledger is open") }
        return opened
    }

    mutating func perform(_ words: [String]) async throws -> String {
        let numbers = words.map { Int($0) ?? 0 } + [0, 0, 0]
        switch words.first {
        case "open" where words.count >= 3:
            opened = nil
            opened = try SQLiteLedger.open(
                path: words[1], busyTimeout: .milliseconds(numbers[2]),
                maximumPageCount: numbers[3] == 0 ? nil : numbers[3])
            return "ok"
        case "enrol":
            let outcome = try await ledger().commit([Stress.enrol(UInt32(numbers[1]))], at: Stress.now)
            return outcome.isApplied ? "ok" : "refused"
        case "block" where words.count >= 2:
            let subject = LedgerSubject(.device, words[1])
            try await ledger().block(LedgerBlock(subject: subject, reason: "stress", since: Stress.now, until: nil))
            return "ok"
        case "allow" where words.count >= 2:
            let subject = LedgerSubject(.device, words[1])
            _ = try await ledger().removeStanding(of: subject, by: "stress", at: Stress.now)
            try await ledger().allow(
                LedgerAllowance(
                    subject: subject, checks: [CheckID("approov.token.annotations")], reason: "stress",
                    since: Stress.now, until: nil))
            return "ok"
        case "advance":
            return "applied \(try await race(UInt32(numbers[1]), UInt32(numbers[2]), writers: numbers[3]))"
        case "policy" where words.count >= 2:
            verifier = Verifier(policy: try PolicyFile.load(path: words[1]), ledger: try ledger())
            return "ok"
        case "verify" where words.count >= 3:
            return "accepted \(try await verify(words.dropFirst(2).joined(separator: " "), writers: numbers[1]))"
        case "stream":
            return try await stream(keys: UInt32(numbers[1]))
        case "contend":
            return try await Contention(ledger: ledger()).run(tasks: numbers[1])
        case "prove":
            try await ledger().proveWritable(at: Stress.now)
            return "ok"
        case "fill":
            return await fill(try ledger())
        case "hold":
            try ledger().holdingLock {
                LedgerStress.say("held")
                _ = readLine()
            }
            return "released"
        case "limit":
            return limitFileSize(numbers[1]) ? "ok" : "error setrlimit"
        case "ballast" where words.count >= 3:
            if numbers[2] == 0 {
                try FileManager.default.removeItem(atPath: words[1])
            } else {
                try Data(count: numbers[2]).write(to: URL(fileURLWithPath: words[1]))
            }
            return "ok"
        case "keys":
            return "keys \(try await ledger().summary(at: Stress.now).keys)"
        case "starve":
            // Open the file again to bypass the caches.
            let fresh = try SQLiteLedger.open(path: ledger().path)
            SQLiteLedger.limitMemory(toBytesMore: numbers[2])
            defer { SQLiteLedger.limitMemory(toBytesMore: nil) }
            let key = try await fresh.enrolledKey(Stress.identifier(UInt32(numbers[1])))
            return key.map { "read \($0.properties["note"]?.utf8.count ?? 0)" } ?? "nothing"
        case "master" where words.count >= 2:
            let masterKey = try MasterKey(text: SecretBytes(Array(words[1].utf8)))
            store = SealedKeyStore(storage: try ledger(), masterKey: masterKey, materials: [TestSecret.self])
            return "ok"
        case "seal" where words.count >= 3:
            return try await seal(words[1], count: numbers[2])
        default:
            throw StressError(description: "unknown command \(words)")
        }
    }

    private func race(_ seed: UInt32, _ counter: UInt32, writers: Int) async throws -> Int {
        let ledger = try ledger()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<writers {
                group.addTask { try await ledger.commit([Stress.advance(seed, counter)], at: Stress.now).isApplied }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    private func verify(_ json: String, writers: Int) async throws -> Int {
        guard let verifier, let record = try RecordFile.read(Array(json.utf8)).first?.get(),
            let time = record.receivedAt
        else { throw StressError(description: "no policy, no record or no time") }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<writers {
                group.addTask { try await verifier.verify(record, at: time).outcome == .accept }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    private func stream(keys: UInt32) async throws -> String {
        let ledger = try ledger()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<keys {
                group.addTask {
                    _ = try await ledger.commit([Stress.enrol(seed)], at: Stress.now)
                    var counter = try await ledger.enrolledKey(Stress.identifier(seed))?.counter ?? 0
                    while counter < .max {
                        counter += 1
                        let outcome = try await ledger.commit([Stress.advance(seed, counter)], at: Stress.now)
                        guard outcome.isApplied else { throw StressError(description: "\(outcome.decisions)") }
                        LedgerStress.say("ack \(seed) \(counter)")
                    }
                }
            }
            try await group.waitForAll()
            return "done"
        }
    }

    private func seal(_ prefix: String, count: Int) async throws -> String {
        guard let store else { throw StressError(description: "no key store is open") }
        for number in 0..<count {
            let name = "\(prefix)-\(number)"
            do {
                try await store.add(
                    name, for: TestSecret.purpose, parts: TestSecret.parts("secret of \(name)"), at: Stress.now)
                LedgerStress.say("sealed \(name)")
            } catch .refusal(.nameTaken) {
                LedgerStress.say("taken \(name)")
            }
        }
        return "done"
    }

    private mutating func fill(_ ledger: SQLiteLedger) async -> String {
        do {
            while filled < 1_000_000 {
                guard try await ledger.commit([Stress.enrol(filled)], at: Stress.now).isApplied else {
                    return "refused \(filled)"
                }
                filled += 1
            }
            return "endless \(filled)"
        } catch {
            return "filled \(filled) \(error.code)"
        }
    }

    private func limitFileSize(_ bytes: Int) -> Bool {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = bytes == 0 ? limit.rlim_max : rlim_t(bytes)
        return setrlimit(resource, &limit) == 0
    }
}

enum Stress {
    static let now = Date(timeIntervalSince1970: 1_776_795_192)
    static let check = CheckID("app-attest.assertion.counter")

    static func identifier(_ seed: UInt32) -> KeyIdentifier {
        KeyIdentifier(engine: "app-attest", value: bytes(seed, count: 32))
    }

    static func enrol(_ seed: UInt32) -> LedgerEffect {
        LedgerEffect(
            check,
            .enrol(
                EnrolledKey(
                    identifier: identifier(seed), app: "shop-ios", publicKey: [4] + bytes(seed, count: 64), counter: 0,
                    enrolledAt: now, properties: [:])))
    }

    static func advance(_ seed: UInt32, _ counter: UInt32) -> LedgerEffect {
        LedgerEffect(
            check,
            .advanceCounter(
                CounterAdvance(key: identifier(seed), app: "shop-ios", counter: counter, rule: .increasing)))
    }

    private static func bytes(_ seed: UInt32, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: seed >> UInt32(8 * ($0 % 4))) }
    }
}
