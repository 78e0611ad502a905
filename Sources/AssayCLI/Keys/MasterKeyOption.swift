import ArgumentParser
import Assay
import AssayCore
import AssayLedgerSQLite
import Foundation

/// What the key store is sealed under.
struct MasterKeyOption: ParsableArguments {
    /// What is used without the option.
    static let variable = "ASSAY_MASTER_KEY"

    @Option(
        help: ArgumentHelp(
            "The key store's master key: file:PATH or env:NAME. (default: env:\(variable), if it is set)",
            valueName: "source"))
    var masterKey: String?

    func validate() throws { try SecretArgument.validate(masterKey, of: "--master-key") }

    /// The master key, and nil when neither the option nor the variable says where it is.
    func readIfAny() throws(CommandFailure) -> MasterKey? {
        let source: String
        if let masterKey {
            source = masterKey
        } else if getenv(MasterKeyOption.variable) != nil {
            source = "env:\(MasterKeyOption.variable)"
        } else {
            return nil
        }
        let option = masterKey == nil ? MasterKeyOption.variable : "--master-key"
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

    /// The master key.
    func read() throws(CommandFailure) -> MasterKey {
        if let key = try readIfAny() { return key }
        throw CommandFailure(
            .usage,
            "the key store is sealed under a master key: give --master-key file:PATH or env:NAME, or set "
                + "\(MasterKeyOption.variable). This makes one: \(MasterKey.recipe)")
    }
}

extension OpenLedger {
    /// The key store in the ledger's file, and nil in memory.
    func keyStore(_ masterKey: MasterKey) -> SealedKeyStore? {
        guard case .sqlite(let ledger) = self else { return nil }
        return SealedKeyStore(ledger: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
    }
}

extension CommandFailure {
    /// A key store that was not changed.
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
