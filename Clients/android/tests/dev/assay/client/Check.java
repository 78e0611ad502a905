package dev.assay.client;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** What the tests need: a wrong result ends the program. */
final class Check {
    private static int count;

    private Check() {}

    interface Work {
        void run() throws Exception;
    }

    static void that(boolean holds, String rule) {
        count++;
        if (!holds) throw new AssertionError(rule);
    }

    static void equal(Object expected, Object found, String rule) {
        count++;
        if (!Objects.equals(expected, found)) throw new AssertionError(rule + "\n  expected " + expected + "\n  found    " + found);
    }

    static <E extends Exception> E fails(Class<E> type, Work work, String rule) {
        count++;
        try {
            work.run();
        } catch (Exception error) {
            if (type.isInstance(error)) return type.cast(error);
            throw new AssertionError(rule + ": " + error, error);
        }
        throw new AssertionError(rule + ": no error");
    }

    /** A kit's error: its code, and a sentence that a person can act on. */
    static AssayClientException error(AssayClientException.Code code, Work work, String rule) {
        AssayClientException error = fails(AssayClientException.class, work, rule);
        equal(code, error.code(), rule + ": " + error.getMessage());
        that(error.getMessage().matches("(?s)[A-Z].{20,}\\..*"), "a sentence: " + error.getMessage());
        return error;
    }

    static AssayClientException error(CompletableFuture<?> result, String rule) throws Exception {
        that(result.isDone(), rule + ": it has ended");
        return (AssayClientException) fails(ExecutionException.class, result::get, rule).getCause();
    }

    static void done(String what) {
        System.out.println(what + ": " + count + " checks");
        count = 0;
    }

    static byte[] bytes(int... values) {
        byte[] result = new byte[values.length];
        for (int i = 0; i < values.length; i++) result[i] = (byte) values[i];
        return result;
    }
}
