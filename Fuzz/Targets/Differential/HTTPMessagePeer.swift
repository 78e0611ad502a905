import AssayCore
import AssayPrimitives
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program of Tests/Support/Peers, which builds signature bases with http-message-signatures.
///
/// It starts at the first call, with the Python that `ASSAY_PEERS` names, and ends with this process.
final class HTTPMessagePeer {
    /// The only instance: libFuzzer runs a target on one thread.
    nonisolated(unsafe) static let shared = HTTPMessagePeer()

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var pending = Data()
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    private init() {
        process.executableURL = URL(fileURLWithPath: ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? "")
        process.arguments = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Tests/Support/Peers/peer.py").standardizedFileURL.path
        ]
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { FuzzTarget.broken("the peer does not start: \(error)") }
    }

    /// The signature base of a request, or why there is none.
    ///
    /// - Parameter components: their identifiers, in the form of a signature base.
    func base(of message: HTTPMessageParts, components: [String]) -> Result<[UInt8], Refusal> {
        let request: [String: Any] = [
            "op": "signature-base", "key": Data(repeating: 7, count: 32).base64EncodedString(),
            "message": [
                "method": message.method, "uri": message.targetURI, "components": components, "label": "a",
                "fields": message.fields.map { [$0.name, $0.value] }, "algorithm": "hmac-sha256", "keyID": "k",
                "created": 1_790_000_000,
            ] as [String: Any],
        ]
        guard let answer = ask(request) else { FuzzTarget.broken("the peer has ended, or answers nothing") }
        if let reason = answer["error"] as? String { return .failure(Refusal(reason: reason)) }
        guard let text = answer["result"] as? String, let bytes = Data(base64Encoded: text) else {
            FuzzTarget.broken("neither a base nor a refusal: \(answer)")
        }
        return .success(Array(bytes))
    }

    /// Why the peer builds no base.
    struct Refusal: Error {
        let reason: String
    }

    private func ask(_ request: [String: Any]) -> [String: Any]? {
        guard let line = try? JSONSerialization.data(withJSONObject: request),
            (try? input.fileHandleForWriting.write(contentsOf: line + Data([0x0A]))) != nil
        else { return nil }
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending = Data(pending[(end + 1)...]) }
                return try? JSONSerialization.jsonObject(with: pending[..<end]) as? [String: Any]
            }
            // Not `availableData`: it ends the process when the fuzzer's clock interrupts it.
            let count = read(output.fileHandleForReading.fileDescriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += chunk[..<count]
        }
    }
}
