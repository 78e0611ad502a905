/// Size limits of input, checked before parsing. Each is above the largest known genuine input, and bounds hostile
/// input.
package enum InputLimits {
    /// An attestation object, in bytes. Genuine ones are below 6 KiB, those of iOS 27 included.
    package static let attestationObject = 64 * 1024
    /// An assertion, in bytes. Genuine ones are below 300.
    package static let assertion = 8 * 1024
    /// Client data that an assertion signs, in bytes: a request body.
    package static let clientData = 16 * 1024 * 1024
    /// Client data that is searched for a challenge, in bytes: a parsed JSON document takes many times its size in
    /// memory.
    package static let clientDataJSON = 1024 * 1024
    /// A receipt, in bytes. Genuine ones are below 5 KiB.
    package static let receipt = 64 * 1024
    /// One X.509 certificate, in bytes. Genuine ones are below 1.5 KiB.
    package static let certificate = 16 * 1024
    /// Certificates in a path or a message. OpenSSL and webpki stop at similar depths; Apple's paths have three.
    package static let certificates = 16
    /// A JWS or JWE in compact serialisation, in characters. Genuine tokens have about 2 KiB, and at most 16 KiB.
    package static let joseText = 64 * 1024
    /// The header of a JWS or JWE, in characters. Genuine ones have less than 200; embedded certificates take some KiB.
    package static let joseHeader = 16 * 1024
    /// A text that an app signs with the key of its Approov account, in bytes: a token and the content that it
    /// protects.
    package static let signedText = 1024 * 1024
    /// A device token of DeviceCheck, in characters of base64. Genuine ones have two to three kilobytes.
    package static let deviceToken = 16 * 1024
    /// An integrity token that only Google can open, in bytes. Genuine ones have about 2 KiB.
    package static let integrityToken = 64 * 1024
    /// Google's answer on an integrity token, in bytes. Genuine ones have less than 2 KiB.
    package static let integrityAnswer = 256 * 1024
    /// A set of keys (RFC 7517), in bytes. A hundred RSA keys have about 50 KiB.
    package static let keySet = 256 * 1024
    /// How deep CBOR items may nest. Genuine objects nest three deep.
    package static let cborDepth = 16
    /// How deep DER, BER and JSON values may nest. RFC 5280 certificates nest about ten deep.
    package static let nestingDepth = 32
    /// An evidence record file or one line of NDJSON, in bytes.
    package static let record = 32 * 1024 * 1024
    /// Records of one document. The largest file has about 50,000 assertions. Hostile input can pack a record into two
    /// bytes, while the result of a record takes some hundred bytes.
    package static let records = 100_000
    /// Unreadable records of one document that are reported one by one. Further ones are only counted.
    package static let unreadableRecords = 1_000
    /// The `id` of a record, in bytes. Verdicts and logs contain it.
    package static let recordID = 1024
    /// The `kind` and the `app` of a record, in bytes. The longest kind has 22.
    package static let recordName = 128
    /// The `account` of a record, in bytes. Ledgers and logs of operators contain it.
    package static let account = 255
    /// A policy file, in bytes.
    package static let policy = 1024 * 1024
    /// The name or the scope of a key, in bytes. Verdicts and logs contain them; package names have at most 255.
    package static let keyName = 255
    /// One part of a key in its file or variable, in bytes. The PEM of an RSA key of 16384 bits has 13 KiB.
    package static let keyPart = 64 * 1024
    /// A structured field value (RFC 9651), in bytes. Servers accept header sections of 8 to 64 KiB.
    package static let structuredField = 64 * 1024
}
