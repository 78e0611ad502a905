import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import Crypto
import Foundation

/// A corpus of assertions in NDJSON, and its replay: from the bytes of a file to the verdicts' JSON in `/dev/null`.
struct ReplaySubject: Sendable {
    static let appID = "1234567890.com.example.shop"
    private static let policyText = """
        version: 1
        apps:
          - name: shop-ios
            appAttest: { appIDs: [\(appID)], environments: [production], challenge: caller, clientData: none }
        """
    /// A second policy, which is stricter in what it asks of the counter.
    private static let stricterText = policyText.replacingOccurrences(
        of: "clientData: none }", with: "clientData: none, counter: successor }")

    /// The corpus.
    let file: URL
    /// How many records it has.
    let count: Int
    private let policy: VerificationPolicy
    private let stricter: VerificationPolicy

    /// Writes a corpus into a temporary file: `keys` devices that take turns, each with counters that increase. The first
    /// assertion of a key brings the key along; the others rely on the ledger.
    init(keys: Int, rounds: Int) throws {
        count = keys * rounds
        file = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString).ndjson")
        policy = try PolicyFile.parse(Self.policyText, file: nil, files: LocalFiles(relativeTo: "/"))
        stricter = try PolicyFile.parse(Self.stricterText, file: nil, files: LocalFiles(relativeTo: "/"))
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        var minting = AssertionLines(keys: keys, appID: Self.appID)
        for _ in 0..<rounds { try handle.write(contentsOf: Data(minting.nextRound())) }
        try handle.close()
    }

    /// The policy as a file's text.
    static var policyFile: String { policyText }

    /// Replays the corpus and returns how many bytes of verdicts there were.
    func replay(jobs: Int, isComparison: Bool = false) async -> Int {
        var options = ReplayOptions()
        options.jobs = jobs
        let replay = Replay(ReplayPolicies(policy, against: isComparison ? stricter : nil), options)
        guard let output = FileHandle(forWritingAtPath: "/dev/null") else { stop("there is no /dev/null") }
        var written = 0
        do {
            let reader = try CorpusReader(paths: [file.path])
            _ = try await replay.run(
                reader,
                render: { records in
                    var lines = ReplayLines(expecting: records.count)
                    for index in records.indices { lines.add(records[index]) }
                    return lines.bytes
                },
                consume: { (bytes: [UInt8]) in
                    output.write(Data(bytes))
                    written += bytes.count
                    return true
                })
        } catch {
            stop("\(error)")
        }
        return written
    }
}

/// Mints assertions as lines of records.
struct AssertionLines {
    private struct Device {
        let key: P256.Signing.PrivateKey
        let keyID: Data
    }

    private let devices: [Device]
    private let appIDHash: [UInt8]
    private var counter: UInt32 = 0
    private let start = Date(timeIntervalSince1970: 1_795_132_800)

    init(keys: Int, appID: String) {
        appIDHash = Array(SHA256.hash(data: Data(appID.utf8)))
        devices = (0..<keys).map { _ in
            let key = P256.Signing.PrivateKey()
            return Device(key: key, keyID: Data(SHA256.hash(data: key.publicKey.x963Representation)))
        }
    }

    /// One assertion of every device.
    mutating func nextRound() throws -> [UInt8] {
        counter += 1
        var lines: [UInt8] = []
        let time = RFC3339.format(start + Double(counter))
        for (index, device) in devices.enumerated() {
            let clientData = "{\"challenge\":\"4mpJ6hbzbjPhGBYwU2ycGZqqbJvPtqD4d2NXWyFGKgM\",\"amount\":\(counter)}"
            let assertion = try sign(Array(clientData.utf8), device.key)
            var line =
                "{\"id\":\"device-\(index)-\(counter)\",\"kind\":\"app-attest.assertion\",\"receivedAt\":\"\(time)\","
            line += "\"evidence\":{\"keyId\":\"\(device.keyID.base64EncodedString())\","
            line += "\"assertion\":\"\(Data(assertion).base64EncodedString())\","
            line += "\"clientData\":\"\(Data(clientData.utf8).base64EncodedString())\""
            if counter == 1 {
                let point = device.key.publicKey.x963Representation.base64EncodedString()
                line += ",\"key\":{\"publicKey\":\"\(point)\",\"counter\":0}"
            }
            lines += Array((line + "}}\n").utf8)
        }
        return lines
    }

    private func sign(_ clientData: [UInt8], _ key: P256.Signing.PrivateKey) throws -> [UInt8] {
        let data = appIDHash + [0x40] + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        let nonce = Data(SHA256.hash(data: data + Array(SHA256.hash(data: clientData))))
        let der = Array(try key.signature(for: nonce).derRepresentation)
        var cbor: [UInt8] = [0xA2, 0x69] + Array("signature".utf8) + [0x58, UInt8(der.count)] + der
        cbor += [0x71] + Array("authenticatorData".utf8) + [0x58, UInt8(data.count)] + data
        return cbor
    }
}
