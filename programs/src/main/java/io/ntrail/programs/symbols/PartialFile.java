package io.ntrail.programs.symbols;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A partial download in the folder of a key: its bytes so far ({@code foo.pdb.part}), and beside
 * them a note on the file they are the start of ({@code foo.pdb.part.lock}). One thread of one
 * program has it at a time; the others wait. It outlives a program that is stopped, so that the
 * next one can continue it.
 *
 * <p>Where the file system has no locks, or the holder of the lock makes no progress, it is a file
 * of this thread only, which cannot be continued later.
 */
public final class PartialFile implements AutoCloseable {
  /** Bound of the size of a note. */
  private static final int MOST_NOTE = 16 << 10;

  /**
   * Place of the lock, past the note: where locks are mandatory others may read it all the same.
   */
  private static final long LOCKED_AT = Long.MAX_VALUE - 1;

  private static final long POLL_MILLIS = 20;
  private static final int MOST_TRIES = 10;

  /**
   * Locks of files belong to the whole process, and closing a file gives up all that the process
   * has on it: no second thread may even open one.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final Path file;
  private final Path held;
  private final @Nullable RandomAccessFile lock;
  private int length;
  private String note = "";
  private boolean isTaken;

  private PartialFile(Path folder, Path file, Path held, @Nullable RandomAccessFile lock) {
    this.folder = folder;
    this.file = file;
    this.held = held;
    this.lock = lock;
  }

  /**
   * Takes the file, and waits for others that have it.
   *
   * @param folder of the key; it is made if it is not there
   * @param name of the file that it is to become
   * @param patienceMillis how long others are waited for that do not get on
   * @throws IOException if the folder takes no files
   */
  static PartialFile claim(Path folder, String name, long patienceMillis) throws IOException {
    Path file = folder.resolve(name + ".part");
    Path held = real(folder).resolve(name + ".part.lock");
    long size = -1;
    long since = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      if (HELD.add(held)) {
        PartialFile mine = null;
        try {
          mine = locked(folder, name, held);
        } finally {
          if (mine == null) {
            HELD.remove(held);
          }
        }
        if (mine != null) {
          return mine;
        }
      }
      long now = sizeOf(file);
      if (now != size) {
        size = now;
        since = System.nanoTime();
      } else if ((System.nanoTime() - since) / 1_000_000 >= patienceMillis) {
        break;
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return alone(folder, name);
  }

  /** The folder as every thread names it; others delete it while it is empty. */
  private static Path real(Path folder) throws IOException {
    for (int tries = 1; ; tries++) {
      Files.createDirectories(folder);
      try {
        return folder.toRealPath();
      } catch (NoSuchFileException e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  /** -1 if it is not there; who has it may move it at any time. */
  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return -1;
    }
  }

  private static PartialFile alone(Path folder, String name) {
    Path file = folder.resolve(name + StoreWriter.unique());
    file.toFile().deleteOnExit();
    return new PartialFile(folder, file, file, null);
  }

  /** With the lock; null if another program has it. */
  private static @Nullable PartialFile locked(Path folder, String name, Path held)
      throws IOException {
    RandomAccessFile lock;
    try {
      lock = new RandomAccessFile(held.toFile(), "rw");
    } catch (FileNotFoundException e) {
      // Somebody deleted the folder while it was empty, or Windows keeps the name of a deleted
      // file until the last program has closed it.
      Path again = real(folder);
      if (Files.isWritable(again) || !Files.exists(again)) {
        return null;
      }
      throw e;
    }
    PartialFile mine = null;
    try {
      FileLock got;
      try {
        got = lock.getChannel().tryLock(LOCKED_AT, 1, false);
      } catch (OverlappingFileLockException e) {
        return null;
      } catch (IOException e) {
        // A file system without locks.
        lock.close();
        Files.deleteIfExists(held);
        return alone(folder, name);
      }
      if (got == null) {
        return null;
      }
      PartialFile candidate = new PartialFile(folder, folder.resolve(name + ".part"), held, lock);
      if (candidate.isStillThere()) {
        mine = candidate;
      }
      return mine;
    } finally {
      if (mine == null) {
        lock.close();
      }
    }
  }

  /**
   * Returns true if the file is still there: the previous holder may have deleted it after this
   * program opened it. Opening it again would give up the lock, so the file is recognized by its
   * length.
   */
  private boolean isStillThere() throws IOException {
    note = read();
    length = ThreadLocalRandom.current().nextInt(MOST_NOTE + 1, 4 * MOST_NOTE);
    write();
    try {
      return Files.size(held) == length;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private String read() throws IOException {
    RandomAccessFile from = lock();
    byte[] bytes = new byte[(int) Math.min(from.length(), MOST_NOTE)];
    from.seek(0);
    from.readFully(bytes);
    String text = new String(bytes, StandardCharsets.UTF_8);
    int end = text.indexOf('\0');
    return end < 0 ? text : text.substring(0, end);
  }

  /** Writes the note, and zeros after it. */
  private void write() throws IOException {
    byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MOST_NOTE) {
      throw new IllegalArgumentException("too long for a note");
    }
    RandomAccessFile to = lock();
    to.setLength(0);
    to.seek(0);
    to.write(bytes);
    to.setLength(length);
  }

  private RandomAccessFile lock() {
    if (lock == null) {
      throw new IllegalStateException("a file of this thread alone has no notes");
    }
    return lock;
  }

  /** Returns the path for its bytes; it need not exist. */
  public Path file() {
    return file;
  }

  /** The folder that it is in. */
  public Path folder() {
    return folder;
  }

  /** Returns the note on the bytes that are there; empty if the download cannot be continued. */
  public String note() {
    return note;
  }

  /**
   * Notes what the bytes are that will be written. With it they stay when this is closed, or when
   * the program ends; without it they are deleted.
   *
   * @param text a few lines; empty to take the note back
   */
  public void note(String text) throws IOException {
    if (lock != null && !note.equals(text)) {
      note = text;
      write();
    }
  }

  /** The bytes have found their place in the store, or are of no use. */
  void finish() {
    isTaken = true;
  }

  @Override
  public void close() throws IOException {
    if (lock == null) {
      Files.deleteIfExists(file);
      return;
    }
    try {
      if (isTaken || note.isEmpty() || !Files.exists(file)) {
        Files.deleteIfExists(file);
        // Only who has the lock deletes it; who waits for it sees that it is gone.
        Files.deleteIfExists(held);
      }
    } finally {
      lock.close();
      HELD.remove(held);
    }
  }
}
