import AssayTestSupport
import Foundation
import Testing

/// A program that listens on a unix socket in place of a service.
final class UnixPeer {
    private let process = Process()

    /// Listens.
    ///
    /// - Parameter answer: what it answers to the first bytes of a connection; `silent` for nothing, `endless` for bytes without end.
    init(_ path: String, answer: String, in folder: TestFolder) throws {
        let program = """
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); server.listen(8)
            print("listens", flush=True)
            while True:
                peer = server.accept()[0]
                if sys.argv[2] == "silent": os.dup(peer.fileno())
                elif sys.argv[2] == "endless":
                    try:
                        while True: peer.sendall(b"x" * 65536)
                    except OSError: pass
                else: peer.recv(4096); peer.sendall(sys.argv[2].encode())
                peer.close()

            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", try folder.write("peer.py", program), path, answer]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.read(upToCount: 8) == Data("listens\n".utf8))
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
}
