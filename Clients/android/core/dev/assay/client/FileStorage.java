package dev.assay.client;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A file that its user alone can read, replaced as a whole. Processes that share it take turns by a lock beside it. */
public final class FileStorage implements Storage {
    private static final int MAXIMUM = 1 << 20;
    /** A FileLock is the process's: threads need one of their own. */
    private static final ConcurrentMap<String, Object> LOCKS = new ConcurrentHashMap<>();
    private final File file;
    private final Object threads;

    /** @param file in a folder that no backup has, such as {@code Context.getNoBackupFilesDir()} */
    public FileStorage(File file) {
        this.file = file.getAbsoluteFile();
        LOCKS.putIfAbsent(this.file.getPath(), new Object());
        threads = LOCKS.get(this.file.getPath());
    }

    @Override public void update(Change change) throws IOException {
        synchronized (threads) {
            try (RandomAccessFile lock = new RandomAccessFile(file.getPath() + ".lock", "rw"); FileLock held = lock.getChannel().lock()) {
                byte[] next = change.apply(read());
                if (next != null && held.isValid()) write(next);
            }
        }
    }

    private byte[] read() throws IOException {
        try (RandomAccessFile source = new RandomAccessFile(file, "r")) {
            if (source.length() > MAXIMUM) return new byte[0];
            byte[] content = new byte[(int) source.length()];
            source.readFully(content);
            return content;
        } catch (FileNotFoundException error) {
            if (file.exists()) throw error;
            return null;
        }
    }

    private void write(byte[] content) throws IOException {
        File next = new File(file.getPath() + ".new");
        Files.deleteIfExists(next.toPath());
        try (FileOutputStream target = new FileOutputStream(next)) {
            boolean isPrivate = next.setReadable(false, false) & next.setReadable(true, true) & next.setWritable(false, false)
                & next.setWritable(true, true);
            if (!isPrivate) throw new IOException("the mode of the file cannot be set");
            target.write(content);
            target.getFD().sync();
        }
        Files.move(next.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
