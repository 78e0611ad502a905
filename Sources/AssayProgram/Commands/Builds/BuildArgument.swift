import ArgumentParser
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import Foundation

/// A build on the command line: its text, or the file of an app.
enum BuildArgument {
    case build(AppBuild)
    case file(String)

    init(_ text: String) throws {
        let isFile = [".apk", ".aab", ".ipa"].contains { text.lowercased().hasSuffix($0) }
        self = isFile ? .file(text) : .build(try Self.build(text))
    }

    /// Reads a build that is no file.
    static func build(_ text: String) throws -> AppBuild {
        do { return try AppBuild(text) } catch { throw ValidationError(error.description) }
    }

    /// The build; reads the file.
    ///
    /// - Parameters:
    ///   - team: the team ID for an .ipa without a provisioning profile.
    ///   - withCertificate: whether the build of an .apk has the certificate that signed it.
    func build(team: String?, withCertificate: Bool) throws(CommandFailure) -> AppBuild {
        switch self {
        case .build(let build): return build
        case .file(let path):
            do {
                let build = try Self.build(of: Self.read(path), team: team, withCertificate: withCertificate)
                Console.note("\(InputFile.name(path)) is \(build)")
                return build
            } catch {
                throw error as? CommandFailure ?? CommandFailure(.unreadable, "\(InputFile.name(path)): \(error)")
            }
        }
    }

    private static func build(of file: AppFile, team: String?, withCertificate: Bool) throws -> AppBuild {
        switch file.form {
        case .ipa:
            guard let team = team ?? file.team else {
                throw CommandFailure(.usage, "the .ipa has no provisioning profile, which names the team: give --team")
            }
            if let found = file.team, !found.isByteEqual(to: team) {
                throw CommandFailure(.usage, "the .ipa is of team \(found.excerpt), and --team is \(team.excerpt)")
            }
            return try AppBuild(.apple, app: "\(team).\(file.identifier)", version: file.version)
        case .apk, .bundle:
            guard withCertificate else { return try AppBuild(.android, app: file.identifier, version: file.version) }
            guard file.certificateDigests.count == 1, let digest = file.certificateDigests.first else {
                throw CommandFailure(
                    .unreadable,
                    "--with-certificate needs an .apk that one certificate signs by the schemes v2 or v3; the \(file.form.rawValue) "
                        + "has \(file.certificateDigests.count): \(file.certificateDigests.map(\.hexadecimal).joined(separator: ", "))"
                )
            }
            return try AppBuild(.android, app: file.identifier, version: file.version, certificate: digest)
        }
    }

    /// Reads the parts of the file that name the build.
    private static func read(_ path: String) throws -> AppFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.unreadable, "\(InputFile.name(path)) cannot be read: \(SystemError.text(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(.unreadable, "\(InputFile.name(path)) is no file")
        }
        return try AppFile(
            reading: AppFileBytes(count: Int(status.st_size)) { offset, count in
                var bytes = [UInt8](repeating: 0, count: count)
                var filled = 0
                while filled < count {
                    let read = bytes.withUnsafeMutableBytes { buffer in
                        pread(
                            descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled)
                        )
                    }
                    guard read > 0 else {
                        if read < 0, errno == EINTR { continue }
                        break
                    }
                    filled += read
                }
                return Array(bytes.prefix(filled))
            })
    }
}
