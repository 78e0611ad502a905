import Foundation

/// Servers of other makes that verify assertions, in processes of their own: `Benchmarks/Peers/service`.
struct PeerServices {
    /// A naive verifier in Go.
    let go: ServedProgram
    /// pyattest behind FastAPI and uvicorn.
    let fastAPI: ServedProgram

    /// Starts both.
    ///
    /// - Parameters:
    ///   - keys: the devices' key IDs and public keys in DER, which no peer enrols.
    ///   - folder: for the keys and the logs.
    init(keys: [String: Data], in folder: URL) throws {
        let file = folder.appendingPathComponent("keys.json")
        try JSONEncoder().encode(keys).write(to: file)
        let arguments = [ServiceSubject.appID, file.path]
        go = try ServedProgram(
            PeerProcess.python.deletingLastPathComponent().appending(path: "naive"), arguments, in: folder
        ) {
            Int($0.trimmingCharacters(in: .whitespacesAndNewlines)).map { ($0, "") }
        }
        let script = Places.package.appendingPathComponent("Peers/service/pyattest_service.py").path
        fastAPI = try ServedProgram(PeerProcess.python, [script] + arguments, in: folder) { log in
            log.firstMatch(of: /running on http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }.map { ($0, "") }
        }
    }
}
