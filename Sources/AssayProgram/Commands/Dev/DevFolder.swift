import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

/// The folder of `assay dev`: policy, ledger, keys and test phones. One process uses it at a time.
final class DevFolder: Sendable {
    /// The files of the service.
    enum File: String, CaseIterable {
        case policy = "policy.yaml"
        case ledger = "ledger.sqlite"
        case masterKey = "master.key"
        case token = "operator.token"
        /// A configuration of curl with the same token.
        case curl = "curl.conf"
        /// The address. Written last: a folder without it was not finished.
        case address
    }

    private static let operatorName = "dev"
    /// The whole path.
    let root: String
    private let isTemporary: Bool
    /// The open folder, which carries the lock. The system unlocks it when the process ends, however it does.
    private let lock: Int32

    /// Makes a temporary folder, which ``close()`` removes.
    convenience init() throws(CommandFailure) {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(URL(fileURLWithPath: parent).path)/assay-dev.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(.output, "a folder in \(parent) cannot be made: \(SystemError.text(errno))")
        }
        let path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try self.init(path: path, isTemporary: true)
    }

    /// Takes a folder that stays: a new, an empty, or one that this command made.
    convenience init(keeping path: String) throws(CommandFailure) {
        guard !path.isEmpty else { throw CommandFailure(.usage, "--folder needs the name of a folder") }
        let path = URL(fileURLWithPath: path).standardizedFileURL.path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(.output, "\(path) cannot be made: \(SystemError.text(errno))")
        }
        try self.init(path: path, isTemporary: false)
        guard !isFinished else { return }
        let found: [String]
        do { found = try FileManager.default.contentsOfDirectory(atPath: root).sorted() } catch {
            throw CommandFailure(.output, "\(root) cannot be read: \(error.localizedDescription)")
        }
        guard found.isEmpty else {
            throw CommandFailure(
                .usage,
                "\(root) has \(found[0].excerpt), and is no folder that `assay dev` has finished; name a new or an empty one"
            )
        }
    }

    private init(path: String, isTemporary: Bool) throws(CommandFailure) {
        root = path
        self.isTemporary = isTemporary
        lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else {
            throw CommandFailure(.output, "\(path) cannot be used as a folder: \(SystemError.text(errno))")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            Foundation.close(lock)
            throw CommandFailure(
                .usage,
                number == EWOULDBLOCK
                    ? "another `assay dev` uses \(path); end it, or name another folder"
                    : "\(path) cannot be locked: \(SystemError.text(number))")
        }
    }

    /// Removes a temporary folder, and unlocks one that stays.
    func close() {
        if isTemporary {
            do { try FileManager.default.removeItem(atPath: root) } catch {
                Console.note("\(root) cannot be removed: \(error.localizedDescription)")
            }
        }
        Foundation.close(lock)
    }

    func path(_ file: File) -> String { path(file.rawValue) }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// What becomes of the folder, for people.
    var fate: String { isTemporary ? "removed when the command ends" : "stays" }

    private var isFinished: Bool { access(path(.address), F_OK) == 0 }

    // MARK: Address

    /// The address to listen on: the given one, or that of the folder, which is the issuer of its tokens.
    func address(_ wanted: ListenAddress?) throws(CommandFailure) -> ListenAddress {
        guard isFinished else { return wanted ?? .tcp(host: "127.0.0.1", port: 0) }
        let text = (try? String(contentsOfFile: path(.address), encoding: .utf8)) ?? ""
        guard let own = ListenAddress(text.trimmingCharacters(in: .newlines)), own.isLocal, own.path == nil else {
            throw CommandFailure(.unreadable, "\(path(.address)) has no address; name a new or an empty folder")
        }
        guard let wanted, wanted != own, !wanted.isAnyPort else { return own }
        throw CommandFailure(
            .usage,
            "--listen: \(root) is for \(own.description), which its policy and its tokens name as their issuer; leave the option out, or "
                + "name another folder")
    }

    // MARK: Contents

    /// Makes the files of a new folder.
    func prepare(for address: ListenAddress) throws(CommandFailure) {
        guard !isFinished else { return }
        try write(Base64.encode(TestDevice.random(32), .standard) + "\n", to: .masterKey)
        for phone in DevPhone.allCases { try phone.write(to: self) }
        try write(DevPhone.policy(issuer: "http://\(address.description)"), to: .policy)
        try write(address.description + "\n", to: .address)
    }

    /// Gives the operator a new token, whose predecessor no longer counts.
    func renewOperator(in ledger: any LedgerAdministration, at now: Date) async throws {
        let token = OperatorToken.random()
        try await ledger.revokeOperator(named: Self.operatorName, by: Self.operatorName, at: now)
        let added = LedgerOperator(
            name: Self.operatorName, role: .admin, addedAt: now, addedBy: Self.operatorName,
            until: now.addingTimeInterval(LedgerRules.operatorLifetime))
        if let refusal = try await ledger.addOperator(added, tokenHash: token.hash) {
            throw CommandFailure(.unreadable, refusal.description)
        }
        let curl = """
            # The options of curl for this service: curl -K \(File.curl.rawValue) URL
            silent
            show-error
            header = "Authorization: Bearer \(token.text)"
            header = "Content-Type: application/json"

            """
        for (file, text) in [(File.token, token.text + "\n"), (.curl, curl)] {
            try NewFile.replace(path(file), with: SecretBytes(Array(text.utf8)), mode: 0o600)
        }
    }

    func write(_ text: String, to file: File) throws(CommandFailure) { try write(text, to: file.rawValue) }

    /// Makes a file, which only its user can read.
    func write(_ text: String, to name: String) throws(CommandFailure) {
        try NewFile.write(SecretBytes(Array(text.utf8)), to: path(name), mode: 0o600)
    }
}
