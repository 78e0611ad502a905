import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPlatforms
import AssayPrimitives
import Foundation
import PlayIntegrity

/// Uses secrets in a separate process, whose memory a test then searches. Reads commands as lines from stdin and
/// answers in lines on stdout. Secrets reach it only through the named files.
///
///     policy PATH              reads a policy with its keys
///     store LEDGER MASTER      opens the key store of a ledger under a master key
///     seal NAME USE FIELD=PATH...   seals a key in the open store; a value that begins with @ is the literal text
///     verify PATH              judges the records of a file as captured; prints their verdicts on one line
///     account PATH             reads a service account and signs a request with it; the request reaches no server
///     capture KEY PATH         opens a sealed record and judges it
///     close                    releases everything
///     trap PATH                reads a secret and triggers a Swift runtime trap while it is in use
@main
enum SecretStress {
    static func main() async {
        var session = Session()
        while let line = readLine() {
            do {
                say(try await session.perform(line.split(separator: " ").map(String.init)))
            } catch {
                // The full dump of an error.
                var dumped = ""
                dump(error, to: &dumped)
                say("error \(error) \(String(reflecting: error)) \(dumped)")
            }
        }
    }

    static func say(_ text: String) {
        let line = text.replacing("\n", with: " ") + "\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}

struct StressError: Error {
    let text: String
}

private struct Session {
    private var policy: VerificationPolicy?
    private var ledger: SQLiteLedger?
    private var store: SealedKeyStore?
    private var verifier: Verifier?

    mutating func perform(_ words: [String]) async throws -> String {
        switch (words.first, words.count) {
        case ("policy", 2):
            policy = try PolicyFile.load(path: words[1])
            compose()
        case ("store", 3):
            let ledger = try SQLiteLedger.open(path: words[1])
            let masterKey = try MasterKey(text: SecretSource.file(path: words[2]).read())
            self.ledger = ledger
            store = SealedKeyStore(storage: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
            compose()
        case ("seal", 4...): try await seal(words[1], KeyPurpose(words[2]), words.dropFirst(3))
        case ("verify", 2): return try await verify(words[1])
        case ("account", 2): return try await sign(words[1])
        case ("capture", 3): return try await open(words[2], key: words[1])
        case ("close", 1): (policy, ledger, store, verifier) = (nil, nil, nil, nil)
        case ("trap", 2): try trap(words[1])
        default: throw StressError(text: "unknown command")
        }
        return "ok"
    }

    private mutating func compose() {
        guard let policy else { return }
        verifier = Verifier(policy: policy, ledger: ledger ?? MemoryLedger(), keyStores: store.map { [$0] } ?? [])
    }

    private func seal(_ name: String, _ purpose: KeyPurpose, _ fields: ArraySlice<String>) async throws {
        guard let store else { throw StressError(text: "no store is open") }
        var parts: [String: SecretBytes] = [:]
        for field in fields {
            let sides = field.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2 else { throw StressError(text: "not FIELD=PATH") }
            parts[sides[0]] =
                sides[1].hasPrefix("@")
                ? SecretBytes(sides[1].dropFirst().utf8) : try SecretSource.file(path: sides[1]).read(isSecret: false)
        }
        try await store.add(name, for: purpose, parts: parts, at: Date())
    }

    private func verify(_ path: String) async throws -> String {
        guard let verifier else { throw StressError(text: "no policy was read") }
        var told: [String] = []
        for result in RecordFile.read(Array(try Data(contentsOf: URL(fileURLWithPath: path)))) {
            let record = try result.get()
            let verdict = try await verifier.verify(record, at: record.receivedAt ?? Date())
            told.append(verdict.json(id: record.id))
            dump(verdict, to: &told[told.count - 1])
        }
        return told.joined(separator: " ")
    }

    /// The account's token endpoint is a local port without a listener.
    private func sign(_ path: String) async throws -> String {
        var settings = PlayIntegrityClientSettings()
        settings.attempts = 1
        settings.deadline = .seconds(60)
        settings.attemptTime = .seconds(60)
        let client = PlayIntegrityClient(
            account: try ServiceAccount(json: SecretSource.file(path: path).read()), settings: settings)
        do {
            _ = try await client.decode(token: "abcdefgh", packageName: "com.example.shop", form: .android)
            throw StressError(text: "somebody answered")
        } catch let outage as IntegrityDecoderOutage {
            await client.shutdown()
            return "outage \(outage)"
        }
    }

    private func open(_ path: String, key: String) async throws -> String {
        let key = try CapturePrivateKey(text: SecretSource.file(path: key).read())
        let line = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        guard let verifier, let sealed = try SealedRecord(JSONReader.read(line, limit: InputLimits.record)) else {
            throw StressError(text: "no policy, or no sealed record")
        }
        let record = try sealed.open(with: key)
        return try await verifier.verify(record, at: record.receivedAt ?? Date()).json(id: record.id)
    }

    private func trap(_ path: String) throws {
        let secret = try SecretSource.file(path: path).read()
        let index = secret.count + CommandLine.arguments.count
        secret.withUnsafeBytes { bytes in
            // The sum makes the compiler load the secret into registers, which a crash report would print.
            let sum = bytes.reduce(0) { $0 &+ Int($1) }
            SecretStress.say("about to trap")
            SecretStress.say("\(Array(bytes)[index + sum])")
        }
    }
}
