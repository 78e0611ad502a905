import ArgumentParser
import AssayCore
import AssayTesting
import Foundation

/// The files of a new test device.
struct NewTestDevice: ParsableArguments {
    static let discussion = """
        The file of the device has the private keys of both. Neither file must exist.

        Exit status: 0, 64 bad arguments, 74 a file that cannot be written.
        """

    @Argument(help: ArgumentHelp("The file for the device.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("The file for the authority's root, PEM, for testRoots.", valueName: "file"),
        completion: .file())
    var root: String

    /// Creates a device and writes both files.
    ///
    /// - Parameter rootPEM: The certificates of the authority's roots.
    func write(_ rootPEM: (TestDevice) throws(MintingError) -> String) throws -> TestDevice {
        let device = TestDevice(createdAt: Date())
        for path in [file, root] where access(path, F_OK) == 0 {
            throw CommandFailure(.usage, "\(path) exists already; name another file")
        }
        let roots = try TestDeviceOptions.minting { () throws(MintingError) in try rootPEM(device) }
        try NewFile.write(SecretBytes(Array(device.text.utf8)), to: file, mode: 0o600)
        try NewFile.write(SecretBytes(Array(roots.utf8)), to: root, mode: 0o644)
        Console.note("a policy trusts this device with testRoots: [\"file:\(root)\"], for tests only")
        return device
    }
}
