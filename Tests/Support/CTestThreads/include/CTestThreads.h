// The threads on which tests run.

/// How many tasks can block their threads at once, beside those that go on.
#define TEST_THREADS 16
