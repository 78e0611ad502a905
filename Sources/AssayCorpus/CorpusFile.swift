/// A file that stands beside the records of a corpus.
package struct CorpusFile: Sendable {
    /// The path below the folder of the corpus.
    package let path: String
    /// The text.
    package let contents: String
    /// Whether the file holds a secret key and must be readable by its owner only: mode 0600.
    package let isSecret: Bool

    init(path: String, contents: String, isSecret: Bool = false) {
        self.path = path
        self.contents = contents
        self.isSecret = isSecret
    }
}
