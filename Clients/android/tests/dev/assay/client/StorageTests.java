package dev.assay.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The file of the kit's state: whole, private, and changed by one thread of one process at a time. */
public final class StorageTests {
    private static final int CHANGES = 300;

    private StorageTests() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 1) {
            count(new FileStorage(new File(arguments[0])));
            return;
        }
        Path folder = Files.createTempDirectory("assay-storage");
        File file = folder.resolve("state.json").toFile();
        FileStorage storage = new FileStorage(file);
        storage.update(content -> {
            Check.equal(null, content, "nothing is stored at first");
            return null;
        });
        Check.that(!file.exists(), "reading makes no file");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:-UsePerfData", "-cp",
                System.getProperty("java.class.path"), StorageTests.class.getName(), file.getPath()).inheritIO().start());
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) threads.add(new Thread(() -> count(new FileStorage(file))));
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        for (Process process : processes) Check.equal(0, process.waitFor(), "another process");
        Check.equal("" + 4 * CHANGES, Files.readString(file.toPath()), "no change is lost between threads and processes");
        Check.equal("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.toPath())), "the file's mode");
        Files.writeString(folder.resolve("state.json.new"), "half of a f");
        storage.update(content -> Bytes.utf8("whole"));
        Check.equal("whole", Files.readString(file.toPath()), "a file that a process left half written does not count");
        Check.fails(RuntimeException.class, () -> storage.update(content -> { throw new IllegalStateException(); }), "a change that fails");
        Check.equal("whole", Files.readString(file.toPath()), "changes nothing, and leaves no lock");
        storage.update(content -> Bytes.utf8("next"));
        Check.fails(IOException.class, () -> new FileStorage(folder.resolve("none/state.json").toFile()).update(content -> null),
            "no folder");
        Check.done("storage");
    }

    private static void count(FileStorage storage) {
        for (int i = 0; i < CHANGES; i++) {
            try {
                storage.update(content -> Bytes.utf8("" + (content == null ? 1 : Integer.parseInt(new String(content, Bytes.UTF_8)) + 1)));
            } catch (IOException error) {
                throw new AssertionError(error);
            }
        }
    }
}
