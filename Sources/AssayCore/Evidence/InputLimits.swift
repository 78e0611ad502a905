/// How much input a decoder takes. Whatever is larger is refused before it is looked at.
///
/// The values leave room over the largest genuine input that is known, and bound what a hostile one can cost.
public enum InputLimits {
    /// An attestation object, in bytes. Genuine ones are below 6 KiB, those of iOS 27 included.
    public static let attestationObject = 64 * 1024
    /// An assertion, in bytes. Genuine ones are below 300.
    public static let assertion = 8 * 1024
    /// Client data that an assertion signs, in bytes: a request body.
    public static let clientData = 16 * 1024 * 1024
    /// Client data that is searched for a challenge, in bytes: a JSON document takes many times its size in memory.
    public static let clientDataJSON = 1024 * 1024
    /// A receipt, in bytes. Genuine ones are below 5 KiB.
    public static let receipt = 64 * 1024
    /// One X.509 certificate, in bytes. Genuine ones are below 1.5 KiB.
    public static let certificate = 16 * 1024
    /// Certificates in a path or a message. OpenSSL and webpki stop at similar depths; Apple's paths have three.
    public static let certificates = 16
    /// A JWS or JWE in compact serialisation, in characters. Genuine integrity tokens have about 2 KiB, and none of
    /// more than 16 KiB is known.
    public static let joseText = 64 * 1024
    /// The header of a JWS or JWE, in characters. Genuine ones have less than 200; embedded certificates make some KiB.
    public static let joseHeader = 16 * 1024
    /// An integrity token that only Google can open, in bytes. Genuine ones have about 2 KiB.
    public static let integrityToken = 64 * 1024
    /// Google's answer on an integrity token, in bytes. Genuine ones have less than 2 KiB.
    public static let integrityAnswer = 256 * 1024
    /// A set of keys (RFC 7517), in bytes. A hundred RSA keys have about 50 KiB.
    public static let keySet = 256 * 1024
    /// How deep CBOR items may nest. Genuine objects nest three deep.
    public static let cborDepth = 16
    /// How deep DER, BER and JSON values may nest. RFC 5280 certificates nest about ten deep.
    public static let nestingDepth = 32
    /// An evidence record file or one line of NDJSON, in bytes.
    public static let record = 32 * 1024 * 1024
    /// Records of one document. A file of the size that is allowed has about 50,000 assertions, and two bytes of hostile
    /// input must not cost a result of some hundred.
    public static let records = 100_000
    /// Unreadable records of one document that are told one by one. Beyond them their number says as much.
    public static let unreadableRecords = 1_000
    /// The `id` of a record, in bytes: it stands in verdicts and logs.
    public static let recordID = 1024
    /// The `kind` and the `app` of a record, in bytes. They are looked up by name; the longest kind has 22.
    public static let recordName = 128
    /// A policy file, in bytes.
    public static let policy = 1024 * 1024
    /// The name of a key, and what it is for, in bytes. They stand in verdicts and logs; a package name has 255 at most.
    public static let keyName = 255
    /// One part of a key in its file or variable, in bytes. The PEM of an RSA key of 16384 bits has 13 KiB.
    public static let keyPart = 64 * 1024
    /// A structured field value (RFC 9651), in bytes. Servers take header sections of 8 to 64 KiB.
    public static let structuredField = 64 * 1024
}
