import AppAttest
import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// One raw blob of App Attest with what the options say of it.
struct AppAttestRawEvidence: RawEvidence {
    let options: AppAttestRawOptions
    let kind: AppAttestRawKind
    let blob: [UInt8]

    init(_ options: AppAttestRawOptions, kind: AppAttestRawKind, file: [UInt8], name: String) {
        self.options = options
        self.kind = kind
        let blob = BlobFile(file)
        Console.note("\(name): \(blob.sentence)")
        self.blob = blob.bytes
    }

    /// Challenges are the caller's: the option is compared, not consumed.
    static func policy(_ options: AppAttestRawOptions, kind: AppAttestRawKind, app: String) throws -> Policy {
        var environments = options.environments
        if environments.isEmpty {
            Console.note("environment production, as no --environment is given")
            environments = [.production]
        }
        if kind == .assertion, options.challengeAt == nil {
            Console.note("the client data is held against no challenge, as no --challenge-at is given")
        }
        let roots = try options.testRoot.map { path in
            do {
                return try PEM.certificates(in: InputFile.read(path, limit: InputLimits.policy))
            } catch let error as DecodeError {
                throw CommandFailure(.unreadable, "\(path) is no file of PEM certificates: \(error.detail)")
            }
        }
        do {
            let configuration = try AppAttestConfiguration(
                appIDs: options.appIDs, environments: environments, challenge: .caller,
                clientData: options.challengeAt ?? .none,
                minimumOSVersion: options.minimumOSVersion.map { AppAttestConfiguration.MinimumOSVersion($0) },
                testRoots: roots ?? [])
            return try Policy(
                apps: [PolicyApp(name: app, configuration)], catalogue: Verifier.catalogue)
        } catch {
            throw CommandFailure(.usage, "--app-id: \(error.message)")
        }
    }

    /// Judges the blob.
    func verify(with verifier: Verifier, app: String?, at now: Date) async throws -> Verdict {
        let keyID = try options.keyID?.resolve() ?? []
        switch kind {
        case .attestation:
            let clientData = try clientData(options.challenge)
            let input = AttestationInput(keyID: keyID, attestation: blob, clientData: clientData)
            return try await verifier.verifyAttestation(input, app: app, at: now)
        case .assertion:
            let input = AssertionInput(
                keyID: keyID, assertion: blob, clientData: try clientData(options.clientData),
                challenge: try options.challenge?.resolve())
            let key = try options.publicKey?.resolve()
            let supplied = key.flatMap { key in
                options.counter.map { AssertionKeys.Supplied(publicKey: key, counter: $0) }
            }
            return try await verifier.verifyAssertion(input, suppliedKey: supplied, app: app, at: now)
        case .receipt:
            return try await verifier.verifyReceipt(ReceiptInput(keyID: keyID, receipt: blob), app: app, at: now)
        }
    }

    private func clientData(_ data: ValueArgument?) throws(CommandFailure) -> ClientDataInput {
        if let data { return .data(try data.resolve()) }
        return .hash(try options.clientDataHash?.resolve() ?? [])
    }
}
