import AssayTestSupport
import Foundation

/// The program of Tests/Support/Peers, which opens and makes JOSE objects with other implementations.
///
/// It is found through the environment variable `ASSAY_PEERS`, which `make test` sets to the Python that has them.
/// Without it the tests that need it are skipped, visibly, but in CI a missing one is a failure.
final class Peer {
    /// One of the implementations.
    enum Library: String, CaseIterable {
        case joserfc
        case jwcrypto
        /// Reads JWTs only, and no other JWS or JWE.
        case pyjwt

        /// Those that read every JWS and JWE.
        static let jose = [joserfc, jwcrypto]
    }

    /// The key of an operation: bytes, or PEM.
    enum Key {
        case secret([UInt8])
        case pem(String)
    }

    /// What went wrong between the program and the test, which is never a refusal.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let python = environment["ASSAY_PEERS"].flatMap { $0.isEmpty ? nil : $0 }

    /// Whether the tests are to run. For `.enabled(if:)`.
    static var isDemanded: Bool {
        python != nil || environment["CI"] == "true" || environment["ASSAY_SHARED"]?.isEmpty == false
    }

    /// What a skipped test says.
    static let hint = "run `make test`, or set ASSAY_PEERS to what Scripts/install-peers prints, to run this"

    private let process: LineProcess

    init() throws {
        guard let python = Self.python else { throw Failure(description: Self.hint) }
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Peers/peer.py").standardizedFileURL.path
        process = try LineProcess(URL(fileURLWithPath: python), [program])
    }

    /// The plaintext of a JWE, and nil when the library refuses it.
    func open(jwe: String, _ algorithm: String, _ key: Key, with library: Library) throws -> [UInt8]? {
        try bytes(ask(["op": "open-jwe", "token": jwe], algorithm, key, library))
    }

    /// The payload of a JWS, and nil when the library refuses it.
    func verify(jws: String, _ algorithm: String, _ key: Key, with library: Library) throws -> [UInt8]? {
        try bytes(ask(["op": "verify-jws", "token": jws], algorithm, key, library))
    }

    /// Has a JWE made.
    func makeJWE(_ plaintext: [UInt8], _ algorithm: String, _ key: Key, with library: Library) throws -> String {
        try made(ask(["op": "make-jwe", "data": Data(plaintext).base64EncodedString()], algorithm, key, library))
    }

    /// Has a JWS made.
    func makeJWS(_ payload: [UInt8], _ algorithm: String, _ key: Key, with library: Library) throws -> String {
        try made(ask(["op": "make-jws", "data": Data(payload).base64EncodedString()], algorithm, key, library))
    }

    /// Has a key pair made for ES256 or RS256, in PEM.
    func makeKey(_ algorithm: String) throws -> (private: String, public: String) {
        let answer = try ask(["op": "make-key", "algorithm": algorithm])
        guard let pair = answer["result"] as? [String: String], let own = pair["private"], let other = pair["public"]
        else { throw Failure(description: "no key pair: \(answer)") }
        return (own, other)
    }

    func ask(
        _ request: [String: String], _ algorithm: String, _ key: Key, _ library: Library
    ) throws -> [String: Any] {
        var request: [String: Any] = request
        request["algorithm"] = algorithm
        request["library"] = library.rawValue
        return try ask(request, key)
    }

    func ask(_ request: [String: Any], _ key: Key) throws -> [String: Any] {
        var request = request
        switch key {
        case .secret(let bytes): request["key"] = Data(bytes).base64EncodedString()
        case .pem(let text): request["pem"] = text
        }
        return try ask(request)
    }

    func ask(_ request: [String: Any]) throws -> [String: Any] {
        let line = String(decoding: try JSONSerialization.data(withJSONObject: request), as: UTF8.self)
        let answer: String
        do { answer = try process.ask(line) } catch is LineProcess.Silence {
            throw Failure(description: "the program has ended; its errors are above")
        }
        guard let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any] else {
            throw Failure(description: "an answer that is no object")
        }
        return object
    }

    func bytes(_ answer: [String: Any]) throws -> [UInt8]? {
        if answer["error"] is String { return nil }
        guard let text = answer["result"] as? String, let data = Data(base64Encoded: text) else {
            throw Failure(description: "neither bytes nor a refusal: \(answer)")
        }
        return Array(data)
    }

    func made(_ answer: [String: Any]) throws -> String {
        guard let text = answer["result"] as? String else { throw Failure(description: "nothing made: \(answer)") }
        return text
    }
}
