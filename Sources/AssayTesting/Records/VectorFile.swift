/// A file of a set of test vectors.
public struct VectorFile: Sendable {
    /// The path below the folder of the set, such as `strict/policy.yaml`.
    public let path: String
    /// The text.
    public let contents: String
    /// Whether it holds a secret key, so that only its owner may read it: mode 0600.
    public let isSecret: Bool

    /// Names a file.
    public init(path: String, contents: String, isSecret: Bool = false) {
        self.path = path
        self.contents = contents
        self.isSecret = isSecret
    }
}
