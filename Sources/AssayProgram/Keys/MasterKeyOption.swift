import ArgumentParser
import Assay
import AssayCore
import Foundation

struct MasterKeyOption: ParsableArguments {
    /// The environment variable used if the option is missing.
    static let variable = "ASSAY_MASTER_KEY"

    @Option(
        help: ArgumentHelp(
            "The key store's master key: file:PATH or env:NAME. (default: env:\(variable), if it is set)",
            valueName: "source"),
        completion: .source)
    var masterKey: String?

    func validate() throws { try SecretArgument.validate(masterKey, of: "--master-key") }

    /// Reads the master key; nil if neither the option nor the variable is set.
    func readIfAny() throws(CommandFailure) -> MasterKey? { try Self.read(masterKey, of: "--master-key") }

    /// Reads the master key from a source, or from the variable; nil if there is neither.
    ///
    /// - Parameter name: the option or configuration key that named the source, for messages.
    static func read(_ masterKey: String?, of name: String) throws(CommandFailure) -> MasterKey? {
        let source: String
        if let masterKey {
            source = masterKey
        } else if getenv(MasterKeyOption.variable) != nil {
            source = "env:\(MasterKeyOption.variable)"
        } else {
            return nil
        }
        let option = masterKey == nil ? MasterKeyOption.variable : name
        do {
            return try MasterKey(text: SecretArgument.read(source, of: option))
        } catch let error as KeyError {
            throw CommandFailure(.unreadable, "\(option): \(error)")
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.unreadable, "\(option): the master key cannot be read")
        }
    }

    /// Reads the master key. Throws if neither the option nor the variable is set.
    func read() throws(CommandFailure) -> MasterKey {
        if let key = try readIfAny() { return key }
        throw CommandFailure(
            .usage,
            "the key store is sealed under a master key: give --master-key file:PATH or env:NAME, or set "
                + "\(MasterKeyOption.variable). This makes one: \(MasterKey.recipe)")
    }
}

extension OpenLedger {
    /// The storage of the sealed keys. Throws `CommandFailure` if the ledger stores no keys.
    func sealedKeys() throws(CommandFailure) -> any SealedKeyStorage {
        if let keys { return keys }
        throw CommandFailure(.usage, "keys are sealed in a ledger of \(LedgerURL.durableForm)")
    }

    /// The key store of the ledger. Throws `CommandFailure` if the ledger stores no keys.
    func keyStore(_ masterKey: MasterKey) throws(CommandFailure) -> SealedKeyStore {
        SealedKeyStore(
            storage: try sealedKeys(), masterKey: masterKey, materials: EngineRegistry.current.keyMaterials)
    }
}

extension CommandFailure {
    init(_ failure: KeyStoreFailure) {
        switch failure {
        case .outage(let outage): self.init(outage)
        case .refusal(let refusal):
            switch refusal {
            case .nameTaken, .unknownName, .alreadyRetired: self.init(.rejected, refusal.description)
            case .invalidName, .invalidScope, .emptyWindow, .unknownPurpose: self.init(.usage, refusal.description)
            case .invalidKey: self.init(.unreadable, refusal.description)
            }
        }
    }
}
