/// A file in the folder of a corpus, besides the records.
package struct MintedCorpusFile: Sendable {
    /// The path relative to the folder of the corpus.
    package let path: String
    package let contents: String
    /// Whether the file contains a secret key. If so, it needs mode 0600.
    package var isSecret = false
}
