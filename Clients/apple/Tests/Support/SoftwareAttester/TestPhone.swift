// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Crypto
import Foundation

/// A phone with App Attest in software: keys, counters, and the faults that a test wants.
package final class TestPhone: @unchecked Sendable {
    /// The calls of App Attest.
    package enum Call: String, Sendable, CaseIterable { case generateKey, attestKey, generateAssertion, generateToken }

    /// An error with the domain of DeviceCheck, or another.
    package struct Fault: Error, Sendable {
        package var domain: String
        package var code: Int
        package init(_ code: Int, domain: String = TestPhone.deviceCheck) {
            self.domain = domain
            self.code = code
        }
    }

    package static let deviceCheck = "com.apple.devicecheck.error"

    /// The phone on which the stub of DeviceCheck runs in this task.
    @TaskLocal package static var current = TestPhone()

    private struct Key {
        let key: P256.Signing.PrivateKey
        var attestations = 0
        var counter: UInt32 = 0
    }

    private let lock = NSLock()
    private var keys: [String: Key] = [:]
    private var faults: [(call: Call, fault: Fault)] = []
    private var calls: [Call: Int] = [:]
    private var attestationsOfKeys: [String: Int] = [:]
    private let appID: String
    private let environment: String
    private let authority: TestAuthority
    private var supported = true

    package init(
        appID: String = "1234567890.com.example.shop", environment: String = "production",
        authority: TestAuthority = .shared
    ) {
        self.appID = appID
        self.environment = environment
        self.authority = authority
    }

    package var isSupported: Bool {
        get { lock.withLock { supported } }
        set { lock.withLock { supported = newValue } }
    }

    /// The next calls of this sort fail.
    package func fail(_ call: Call, _ codes: Int..., domain: String = TestPhone.deviceCheck) {
        lock.withLock { faults += codes.map { (call, Fault($0, domain: domain)) } }
    }

    /// The keys are gone, as after a reinstallation.
    package func loseKeys() { lock.withLock { keys = [:] } }

    /// The public key as SubjectPublicKeyInfo; nil for a key that is not here.
    public func publicKey(_ name: String) -> Data? { lock.withLock { keys[name]?.key.publicKey.derRepresentation } }

    /// How often the call was made.
    package func count(_ call: Call) -> Int { lock.withLock { calls[call] ?? 0 } }

    /// How often each key was attested with success, also those that are gone.
    package var attestations: [Int] { lock.withLock { Array(attestationsOfKeys.values) } }

    package func generateKey() throws(Fault) -> String {
        try begin(.generateKey)
        let key = P256.Signing.PrivateKey()
        let name = Data(SHA256.hash(data: key.publicKey.x963Representation)).base64EncodedString()
        lock.withLock { keys[name] = Key(key: key) }
        return name
    }

    package func attestKey(_ name: String, clientDataHash: Data) throws(Fault) -> Data {
        try begin(.attestKey)
        guard clientDataHash.count >= 16 else { throw Fault(2) }
        let key = lock.withLock { () -> P256.Signing.PrivateKey? in
            guard let key = keys[name], key.attestations == 0 else { return nil }
            keys[name]?.attestations = 1
            attestationsOfKeys[name, default: 0] += 1
            return key.key
        }
        guard let key else { throw Fault(3) }
        return authority.attestation(of: key, appID: appID, environment: environment, clientDataHash: clientDataHash)
    }

    package func generateAssertion(_ name: String, clientDataHash: Data) throws(Fault) -> Data {
        try begin(.generateAssertion)
        let key = lock.withLock { () -> Key? in
            guard let key = keys[name], key.attestations == 1 else { return nil }
            keys[name]?.counter += 1
            return keys[name]
        }
        guard let key else { throw Fault(3) }
        let data =
            Data(SHA256.hash(data: Data(appID.utf8))) + [0x40] + withUnsafeBytes(of: key.counter.bigEndian) { Data($0) }
        guard
            let signature = try? key.key.signature(
                for: SHA256.hash(data: Data(SHA256.hash(data: data + clientDataHash))))
        else {
            throw Fault(0)
        }
        return CBOR.map([
            (CBOR.text("signature"), CBOR.bytes(signature.derRepresentation)),
            (CBOR.text("authenticatorData"), CBOR.bytes(data)),
        ])
    }

    package func generateToken() throws(Fault) -> Data {
        try begin(.generateToken)
        return Data("device token".utf8)
    }

    private func begin(_ call: Call) throws(Fault) {
        let fault = lock.withLock { () -> Fault? in
            calls[call, default: 0] += 1
            guard let index = faults.firstIndex(where: { $0.call == call }) else { return nil }
            return faults.remove(at: index).fault
        }
        if let fault { throw fault }
    }
}
