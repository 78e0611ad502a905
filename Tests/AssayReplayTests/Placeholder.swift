import AssayCore
import Testing
