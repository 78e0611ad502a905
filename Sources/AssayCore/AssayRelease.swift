/// The release of the library and its programs.
package enum AssayRelease {
    /// The version by Semantic Versioning 2.0.0.
    package static let version = "0.1.0"
}
