import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("The Play Integrity test vectors")
struct PlayIntegrityVectorTests {
    private static let checks: Set<String> = [
        "decode", "decryption", "signature", "payload", "request-package", "nonce", "request-hash", "freshness",
        "testing-response", "app-recognition", "app-package", "certificate", "version-code", "device-recognition",
        "sdk-version", "device-activity", "device-recall", "licensing", "play-protect", "app-access-risk",
        "location-spoofing", "pc-integrity", "challenge",
    ]
    /// Those that the vectors of this repository were minted with; see the Makefile.
    private static let seed = "assay test vectors"
    private static let time = Date(timeIntervalSince1970: 1_789_992_000)

    private func records(_ file: VectorFile) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(file.contents.utf8))
        return try #require(json as? [[String: Any]], "\(file.path)")
    }

    @Test("Every check fails alone in some vector, every identifier is unique, and every folder has its policy")
    func completeness() throws {
        let files = try PlayIntegrityVectors.files(at: Fixtures.time)
        let paths = files.map(\.path)
        #expect(Set(paths).count == paths.count)
        var alone: Set<String> = []
        var ids: Set<String> = []
        for file in files where file.path.hasSuffix(".json") && !file.path.hasPrefix("unreadable/") {
            let folder = file.path.split(separator: "/").dropLast().first.map { "\($0)/" } ?? ""
            #expect(paths.contains("\(folder)policy.yaml"), "\(file.path) has no policy")
            for record in try records(file) {
                let id = try #require(record["id"] as? String)
                #expect(ids.insert(id).inserted, "\(id) is there twice")
                let expect = try #require(record["expect"] as? [String: Any])
                let failed = try #require(expect["failed"] as? [String])
                #expect((expect["outcome"] as? String == "accept") == failed.isEmpty)
                for name in failed {
                    #expect(Self.checks.contains(String(name.dropFirst("play-integrity.".count))), "\(id): \(name)")
                }
                if failed.count == 1 { alone.formUnion(failed) }
            }
        }
        #expect(alone == Set(Self.checks.map { "play-integrity.\($0)" }))
    }

    @Test("Decryption keys are secret files, and nothing else is")
    func secrets() throws {
        for file in try PlayIntegrityVectors.files(at: Fixtures.time) {
            #expect(file.isSecret == file.path.hasSuffix("-decryption.b64"), "\(file.path)")
        }
    }

    @Test("The vectors of this repository are what the code mints, signatures apart")
    func repository() throws {
        let folder = TestVectors.folder.appendingPathComponent("play-integrity/minted")
        let minted = try PlayIntegrityVectors.files(seed: Self.seed, at: Self.time)
        let committed = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.contains(".") }
        #expect(Set(committed) == Set(minted.map(\.path)))
        for file in minted {
            let text = try String(contentsOf: folder.appendingPathComponent(file.path), encoding: .utf8)
            if file.contents == text { continue }
            let (left, right) = (try comparable(file.contents), try comparable(text))
            #expect(left == right, "\(file.path)")
        }
    }

    /// A file with each token replaced by what does not follow from a signature, of which each one is another.
    private func comparable(_ text: String) throws -> String {
        let keys = ["current", "previous", "expired", "pending", "other-app", "attacker"].map {
            PlayIntegrityTestKeys(seed: Self.seed, label: $0)
        }
        return text.split(separator: "\n").map { line in
            guard let range = line.firstRange(of: "\"token\": \"") else { return String(line) }
            let token = String(line[range.upperBound...].prefix { $0 != "\"" })
            let opened = keys.lazy.compactMap { OpenedToken(token, keys: $0) }.first
            // Header, encrypted key and IV, and where no key opens it what stands before them or in their place.
            return token.prefix(110) + (opened.map { "\($0.header) \($0.payload)" } ?? "")
        }.joined(separator: "\n")
    }
}
