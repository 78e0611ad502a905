#pragma once

/// Loads PostgreSQL's client library once, for all threads. Its functions can be called if that succeeds.
///
/// - Returns: why it cannot be loaded, in the system's words, which stay valid; NULL if it is loaded.
const char *_Nullable CPostgreSQLLoader_load(void);
