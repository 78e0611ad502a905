import Foundation

/// Where the kit keeps its state: the name of the key, how far the enrolment is, waiting times.
///
/// A write names the version that it replaces, so that an app and its extension do not overwrite each other. Calls may
/// block for the time of a file access.
public protocol StateStorage: Sendable {
    /// - Returns: the entry; nil if there is none.
    /// - Throws: if it cannot be known whether there is one.
    func read(_ name: StateName) throws -> StoredState?

    /// Replaces an entry if it has the version.
    ///
    /// - Parameters:
    ///   - data: the new content; nil removes the entry.
    ///   - version: of the entry that was read; nil if there was none.
    /// - Returns: the entry that is now stored, or nil if another process has changed it meanwhile and nothing was written.
    ///   A removed entry is returned with the data nil and no meaning of its version.
    /// - Throws: if it was not written, or if this cannot be known.
    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState?
}

/// An entry of a ``StateStorage``.
public struct StoredState: Sendable, Equatable {
    /// The content; nil if the entry was removed.
    public let data: Data?
    /// Another one after each write.
    public let version: String

    /// An entry with a version of its own.
    public init(data: Data?, version: String = UUID().uuidString) {
        self.data = data
        self.version = version
    }
}

/// The name of an entry. Keys of App Attest belong to one app, environment and account.
public struct StateName: Sendable, Hashable {
    /// 64 characters of 0-9 and a-f: a hash, so that no account stands in the name of a file.
    public let text: String

    /// `kind` is what is stored: `state` or `token-key`.
    init(_ kind: String, _ settings: Configuration) {
        self.init(kind, [settings.app, settings.environment, settings.account])
    }

    init(_ kind: String, _ owner: [String]) {
        // A length before each part: no two lists of parts give the same text.
        let parts = ([kind] + owner).map { "\($0.utf8.count):\($0)" }.joined()
        text = parts.sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Why a storage failed.
public struct StorageFailure: Error, Sendable, Equatable {
    /// What failed, such as `keychain -25308`. No path and no content.
    public let reason: String
    /// Whether the device has not been unlocked since its start.
    public let isLocked: Bool

    /// `reason` has no path and no content.
    public init(_ reason: String, isLocked: Bool = false) {
        self.reason = reason
        self.isLocked = isLocked
    }
}
