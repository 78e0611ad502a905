/// The greatest sizes of input. A decoder refuses larger input before it parses anything.
///
/// The values leave room over the largest known genuine input, and bound the cost of hostile input.
package enum InputLimits {
    /// An attestation object, in bytes. Genuine ones are below 6 KiB, those of iOS 27 included.
    package static let attestationObject = 64 * 1024
    /// An assertion, in bytes. Genuine ones are below 300.
    package static let assertion = 8 * 1024
    /// Client data that an assertion signs, in bytes: a request body.
    package static let clientData = 16 * 1024 * 1024
    /// Client data that is searched for a challenge, in bytes: a JSON document takes many times its size in memory.
    package static let clientDataJSON = 1024 * 1024
    /// A receipt, in bytes. Genuine ones are below 5 KiB.
    package static let receipt = 64 * 1024
    /// One X.509 certificate, in bytes. Genuine ones are below 1.5 KiB.
    package static let certificate = 16 * 1024
    /// Certificates in a path or a message. OpenSSL and webpki stop at similar depths; Apple's paths have three.
    package static let certificates = 16
    /// A JWS or JWE in compact serialisation, in characters. Genuine integrity tokens have about 2 KiB, and none of
    /// more than 16 KiB is known.
    package static let joseText = 64 * 1024
    /// The header of a JWS or JWE, in characters. Genuine ones have less than 200; embedded certificates make some KiB.
    package static let joseHeader = 16 * 1024
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
    /// Records of one document. A file of the size that is allowed has about 50,000 assertions, and two bytes of hostile
    /// input must not cost a result of some hundred.
    package static let records = 100_000
    /// Unreadable records of one document that are reported one by one. Of the rest, the number is reported.
    package static let unreadableRecords = 1_000
    /// The `id` of a record, in bytes: it stands in verdicts and logs.
    package static let recordID = 1024
    /// The `kind` and the `app` of a record, in bytes. They are looked up by name; the longest kind has 22.
    package static let recordName = 128
    /// A policy file, in bytes.
    package static let policy = 1024 * 1024
    /// The name of a key, and its scope, in bytes. They stand in verdicts and logs; a package name has 255 at most.
    package static let keyName = 255
    /// One part of a key in its file or variable, in bytes. The PEM of an RSA key of 16384 bits has 13 KiB.
    package static let keyPart = 64 * 1024
    /// A structured field value (RFC 9651), in bytes. Servers take header sections of 8 to 64 KiB.
    package static let structuredField = 64 * 1024
}
