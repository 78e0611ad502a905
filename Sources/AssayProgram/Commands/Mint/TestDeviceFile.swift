import AssayCore
import AssayPrimitives
import Foundation

/// The file of a test phone. Several processes may use it at once.
struct TestDeviceFile {
    let path: String

    func read() throws(CommandFailure) -> TestDevice {
        guard let data = FileManager.default.contents(atPath: path), let device = try? TestDevice(Array(data)) else {
            throw unreadable
        }
        return device
    }

    /// Changes the device, alone among all processes: each reads what the one before has written. The file is replaced as a whole, so
    /// that a killed process leaves the old or the new one.
    ///
    /// - Returns: what `change` returns, once the file has the changed device.
    func update<Result>(
        _ change: (inout TestDevice) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        // A link stays, and leads to the new file.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let lock = try locked(path)
        defer { close(lock) }
        let old = try TestDeviceFile(path: path).read()
        var device = old
        let result = try change(&device)
        if device != old { try NewFile.replace(path, with: SecretBytes(Array(device.text.utf8)), mode: 0o600) }
        return result
    }

    /// Keeps what the user has given. It counts also if the file cannot be written, such as in a folder that is read-only.
    func keep(_ change: (inout TestDevice) -> Void) {
        do throws(CommandFailure) {
            try update { (device) throws(CommandFailure) in change(&device) }
        } catch {
            Console.note("\(error.message ?? path): the device does not keep what was given")
        }
    }

    /// Opens the file and waits for its lock.
    private func locked(_ path: String) throws(CommandFailure) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard access(path, F_OK) == 0 else { throw unreadable }
                throw CommandFailure(.output, "\(path) cannot be written: \(SystemError.text(errno))")
            }
            var status: Int32
            repeat { status = flock(descriptor, LOCK_EX) } while status != 0 && errno == EINTR
            guard status == 0 else {
                defer { close(descriptor) }
                throw CommandFailure(.output, "\(path) cannot be locked: \(SystemError.text(errno))")
            }
            // The process before has replaced the file: a lock on the old one does not exclude other processes.
            var (own, present) = (stat(), stat())
            if fstat(descriptor, &own) == 0, stat(path, &present) == 0, own.st_ino == present.st_ino,
                own.st_dev == present.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Does not show the reader's error, which may quote the seed.
    private var unreadable: CommandFailure {
        CommandFailure(
            .unreadable,
            "\(path) is no file of a test device; `assay mint app-attest device`, and `device` of the other kinds, make one"
        )
    }
}

// MARK: What a phone remembers

extension TestDeviceFile {
    /// The App ID: the given one, which the device keeps if it has none yet, otherwise its own.
    func appID(_ given: String?) throws(CommandFailure) -> String {
        try value(given, \.appID, "--app-id")
    }

    /// The package name, as ``appID(_:)``.
    func packageName(_ given: String?) throws(CommandFailure) -> String {
        try value(given, \.packageName, "--package")
    }

    /// The digest of the certificate that signs the app, as ``appID(_:)``.
    func certificateDigest(_ given: String?) throws(CommandFailure) -> [UInt8] {
        try Self.digest(
            try value(
                given.map { (text) throws(CommandFailure) in try Self.digest(text).hexadecimal }, \.certificateDigest,
                "--certificate-digest"))
    }

    /// The counter of an assertion: the given one, or the next one. No counter is given out twice, but to those who ask for it.
    func nextCounter(_ given: UInt32?) throws(CommandFailure) -> UInt32 {
        if let given {
            keep { $0.counter = max($0.counter, given) }
            return given
        }
        return try update { (device) throws(CommandFailure) in
            guard device.counter < .max else {
                throw CommandFailure(
                    .usage, "\(path): the counter is at its end, \(device.counter); make another device")
            }
            device.counter += 1
            return device.counter
        }
    }

    /// Decodes a digest as policies have it.
    static func digest(_ text: String) throws(CommandFailure) -> [UInt8] {
        do throws(CertificateDigestText.Problem) { return try CertificateDigestText.decode(text) } catch {
            throw CommandFailure(.usage, "--certificate-digest: \(error.message)")
        }
    }

    private func value(
        _ given: String?, _ field: WritableKeyPath<TestDevice, String?>, _ option: String
    ) throws(CommandFailure) -> String {
        let stored = try read()[keyPath: field]
        if let given {
            if stored == nil { keep { $0[keyPath: field] = $0[keyPath: field] ?? given } }
            return given
        }
        if let stored { return stored }
        throw CommandFailure(.usage, "give \(option) once: \(path) has none yet, and then keeps it")
    }
}
