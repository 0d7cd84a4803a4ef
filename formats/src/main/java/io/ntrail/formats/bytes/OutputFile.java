package io.ntrail.formats.bytes;

import io.ntrail.formats.bytes.CannotGoOn.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that gets its place only when it is complete. Until then its bytes are beside the place,
 * under a name of their own: an old file survives a failure, and who reads the place never meets
 * half of a file. What this process has read since the place was reserved is not replaced at all.
 *
 * <p>A device, a pipe or a socket is written to directly.
 */
public final class OutputFile implements AutoCloseable {
  /** Reserved places of this process: any file that is opened for reading may be one of them. */
  private static final Set<OutputFile> RESERVED = ConcurrentHashMap.newKeySet();

  /** A name must leave room for what is added to it. */
  private static final int MOST_OF_NAME = 40;

  private static final int MOST_LINKS = 40;

  private final Path place;
  private final Path target;
  private final String option;
  private final boolean isDirect;
  private volatile @Nullable Path readAs;
  private @Nullable Path part;
  private @Nullable Closeable stream;

  private OutputFile(Path place, Path target, String option, boolean isDirect) {
    this.place = place;
    this.target = target;
    this.option = option;
    this.isDirect = isDirect;
  }

  /**
   * Reserves a place; nothing is written yet. From now on, reading the file that is there prevents
   * that it is replaced.
   *
   * @param option that names it, for the next step of messages; may be empty
   */
  public static OutputFile reserve(Path place, String option) {
    Path target = target(place);
    boolean isDirect = isSystem(place) || Files.exists(target) && !Files.isRegularFile(target);
    OutputFile file = new OutputFile(place, target, option, isDirect);
    RESERVED.add(file);
    return file;
  }

  /**
   * Writes a whole file.
   *
   * @throws CannotGoOn if that is not possible; an old file is as it was
   */
  public static void write(Path place, byte[] content) {
    try (OutputFile file = reserve(place, "")) {
      try {
        file.open().write(content);
      } catch (IOException e) {
        throw file.failed(e);
      }
      file.complete();
    }
  }

  /** Notes that a file is read; to be called by whatever opens one. */
  public static void noteRead(Path path) {
    for (OutputFile file : RESERVED) {
      if (!file.isDirect && file.isAt(path)) {
        file.readAs = path;
      }
    }
  }

  /** Returns whether it is at the place of a file that is there, by any name. */
  public boolean isAt(Path path) {
    try {
      return Files.isSameFile(target, path);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether it and another are at one place, also if nothing is there yet. */
  public boolean isPlaceOf(OutputFile other) {
    return isAt(other.target)
        || target.toAbsolutePath().normalize().equals(other.target.toAbsolutePath().normalize());
  }

  /** Returns whether a file is at its place, and that is in a folder or below it. */
  public boolean isIn(Path folder) {
    try {
      return Files.exists(target) && target.toRealPath().startsWith(folder.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns its path as it was given. */
  public Path place() {
    return place;
  }

  /** Returns whether its bytes go to a device, a pipe or a socket, at once. */
  public boolean isDirect() {
    return isDirect;
  }

  /** Follows links, also one to a file that is not there yet: the link stays what it is. */
  private static Path target(Path place) {
    try {
      return place.toRealPath();
    } catch (IOException e) {
      Path at = place;
      try {
        for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(at); links++) {
          at = at.resolveSibling(Files.readSymbolicLink(at));
        }
      } catch (IOException broken) {
        return place;
      }
      return at;
    }
  }

  /** Descriptors of this process have names that lead to files, but are no places for others. */
  private static boolean isSystem(Path place) {
    String name = place.toAbsolutePath().normalize().toString();
    return name.startsWith("/dev/") || name.startsWith("/proc/");
  }

  /**
   * Opens it for writing.
   *
   * @throws CannotGoOn if that is not possible
   */
  public OutputStream open() {
    check();
    mustBeNoFolder();
    try {
      OutputStream out =
          isDirect
              ? Files.newOutputStream(target)
              : Files.newOutputStream(
                  fresh(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      stream = out;
      if (!isDirect) {
        likeBefore();
      }
      return out;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Opens it for writing in any order.
   *
   * @throws CannotGoOn if that is not possible, as for a device, a pipe or a socket
   */
  public SeekableByteChannel openChannel() {
    check();
    mustBeNoFolder();
    if (isDirect) {
      throw new CannotGoOn("cannot write " + place + ": it must be a file", another());
    }
    try {
      SeekableByteChannel out =
          Files.newByteChannel(fresh(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      stream = out;
      likeBefore();
      return out;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Returns the file with what was written so far; it is deleted when this is closed, unless it got
   * its place.
   *
   * @throws IllegalStateException if nothing was opened, or it has its place
   */
  public Path unfinished() {
    Path to = part;
    if (to == null) {
      throw new IllegalStateException("nothing is written to " + place);
    }
    return to;
  }

  private void mustBeNoFolder() {
    if (Files.isDirectory(target)) {
      throw new CannotGoOn("cannot write " + place + ": it is a folder", another());
    }
  }

  /** Returns the path of the file that is moved to the place at the end. */
  private Path fresh() throws IOException {
    if (Files.exists(target) && !Files.isWritable(target)) {
      throw new AccessDeniedException(place.toString());
    }
    return beside();
  }

  private Path beside() {
    String name = String.valueOf(target.getFileName());
    int most =
        name.offsetByCodePoints(0, Math.min(MOST_OF_NAME, name.codePointCount(0, name.length())));
    Path path =
        target.resolveSibling(
            ".%s.%x-%08x.part"
                .formatted(
                    name.substring(0, most),
                    ProcessHandle.current().pid(),
                    ThreadLocalRandom.current().nextInt()));
    // Also of a program that is interrupted nothing stays.
    path.toFile().deleteOnExit();
    part = path;
    return path;
  }

  /** The rights of the file that is replaced. */
  private void likeBefore() throws IOException {
    Path to = part;
    if (to != null
        && Files.exists(target)
        && Files.getFileStore(target).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(target));
    }
  }

  /**
   * Makes sure that nothing has read the file at this place.
   *
   * @throws CannotGoOn if something has
   */
  public void check() {
    Path read = readAs;
    if (read != null) {
      String name = read.equals(place) ? "" : ", as " + read;
      throw CannotGoOn.of(
          Reason.INPUT_AS_OUTPUT,
          place.toString(),
          "cannot write %s: the same command reads it%s".formatted(place, name),
          another());
    }
  }

  /** Returns the next step: another name. */
  private String another() {
    return option.isEmpty() ? "" : option + " another.file";
  }

  /**
   * Gives it its place; the old file is gone then. It may be written to after that, if the stream
   * was not closed.
   *
   * @throws CannotGoOn if that is not possible; the old file is as it was
   */
  public void settle() {
    Path from = part;
    if (from == null) {
      return;
    }
    check();
    try {
      Files.move(from, target, StandardCopyOption.ATOMIC_MOVE);
      part = null;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Ends the bytes and gives it its place.
   *
   * @throws CannotGoOn if that is not possible; the old file is as it was
   */
  public void complete() {
    try {
      closeStream();
    } catch (IOException e) {
      throw failed(e);
    }
    settle();
  }

  private void closeStream() throws IOException {
    Closeable open = stream;
    stream = null;
    if (open != null) {
      open.close();
    }
  }

  /** Returns the failure to write it, in words. */
  public CannotGoOn failed(IOException e) {
    String why = String.valueOf(e.getMessage());
    if (e instanceof NoSuchFileException) {
      why = "no such folder";
    } else if (e instanceof FileAlreadyExistsException) {
      why = "a file of that name is in the way";
    } else if (e instanceof AccessDeniedException) {
      why =
          Files.exists(target, LinkOption.NOFOLLOW_LINKS) && Files.isWritable(target)
              ? "its folder takes no other files (access denied)"
              : "access denied";
    } else if (e instanceof FileSystemException told && told.getReason() != null) {
      why = told.getReason();
    }
    return new CannotGoOn("cannot write " + place + ": " + why, "");
  }

  /** Gives the place back; of what was not {@link #complete completed} nothing stays. */
  @Override
  public void close() {
    RESERVED.remove(this);
    try {
      closeStream();
    } catch (IOException e) {
      // What is in it is of no use, or was written by others to the end.
    }
    Path unfinished = part;
    part = null;
    if (unfinished != null) {
      try {
        Files.deleteIfExists(unfinished);
      } catch (IOException e) {
        // It is deleted when the program ends.
      }
    }
  }
}
