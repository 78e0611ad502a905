import AssayTestSupport
import Foundation

/// Digests as a user of the command line makes them.
enum Digests {
    /// SHA-256 in hexadecimal digits.
    static func sha256Hex(_ bytes: [UInt8]) throws -> String {
        let scratch = try Scratch()
        try scratch.write("data", bytes)
        return try String(scratch.shell("sha256sum data").output.prefix(64))
    }
}
