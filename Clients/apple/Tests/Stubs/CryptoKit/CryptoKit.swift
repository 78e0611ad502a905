// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import Crypto
import Foundation
import Security

/// The Secure Enclave with its signatures; its keys are in software.
public enum SecureEnclave {
    public static var isAvailable: Bool { true }

    public enum P256 {
        public enum Signing {
            public struct PrivateKey: Sendable {
                private let key: Crypto.P256.Signing.PrivateKey

                public init(accessControl: SecAccessControl) throws { key = .init() }

                /// What the Secure Enclave gives out is no key: here it has a mark before it.
                public init(dataRepresentation: Data) throws {
                    key = try .init(rawRepresentation: dataRepresentation.dropFirst(7))
                }

                public var dataRepresentation: Data { Data("enclave".utf8) + key.rawRepresentation }
                public var publicKey: Crypto.P256.Signing.PublicKey { key.publicKey }

                public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
                    try key.signature(for: data)
                }
            }
        }
    }
}
