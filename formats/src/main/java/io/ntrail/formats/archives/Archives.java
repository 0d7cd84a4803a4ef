package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.identity.FileSignature;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * Opens inputs that may be compressed: a plain file, a {@code .gz}, a {@code .zip} (also a {@code
 * .diagsession}, which is one) or a Microsoft cabinet ({@code .cab}, {@code .pd_}, {@code .dl_} and
 * the like) with one or several members. The kind is sniffed from the first bytes, never from the
 * name.
 *
 * <p>Members up to 64 MiB are inflated into memory, larger ones into a temporary file that is
 * deleted when the input is closed. Inflating stops with {@link CannotGoOn} before the disk is
 * full. A truncated archive gives what could be inflated and a {@link Gap}.
 */
public final class Archives {
  private static final int IN_MEMORY = 64 << 20;
  private static final int CHUNK = 1 << 20;
  private static final long KEEP_FREE = 512L << 20;

  private Archives() {}

  /**
   * Opens {@code path} and every member that {@code wanted} accepts.
   *
   * @param wanted called with a member's name in lower case; not called for a file that has no
   *     members, or is a cabinet with a single one
   * @param gaps receives what could not be inflated
   * @return one input or several, in the archive's order
   * @throws CannotGoOn if nothing can be opened
   */
  public static List<InputFile> open(Path path, Predicate<String> wanted, Gaps gaps) {
    return open(path, path.toString(), wanted, gaps);
  }

  /**
   * Opens {@code path} as above, under another name.
   *
   * @param name of the file in messages and gaps
   */
  public static List<InputFile> open(Path path, String name, Predicate<String> wanted, Gaps gaps) {
    if (!Files.exists(path)) {
      throw CannotGoOn.noSuchFile(name, SpellingSuggestion.file(path));
    }
    if (Files.isDirectory(path)) {
      throw CannotGoOn.of(Reason.FOLDER, name, name + " is a folder", "name the files in it");
    }
    if (!Files.isReadable(path)) {
      throw new CannotGoOn(name + " is not readable: access denied", "");
    }
    List<InputFile> opened = new ArrayList<>();
    try {
      gaps.register(name);
      switch (signature(path, name)) {
        case GZIP -> opened.add(gunzip(path, name, gaps));
        case ZIP -> unzip(path, name, wanted, gaps, opened);
        case CABINET -> CabinetMembers.open(path, name, wanted, gaps, opened);
        default -> opened.add(InputFile.map(path, name));
      }
      return opened;
    } catch (IOException e) {
      opened.forEach(InputFile::close);
      throw new CannotGoOn(name + " cannot be read: " + e.getMessage(), "");
    } catch (RuntimeException e) {
      opened.forEach(InputFile::close);
      throw e;
    }
  }

  private static FileSignature signature(Path path, String name) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return FileSignature.of(Bytes.copyOf(in.readNBytes(FileSignature.HEAD), name));
    }
  }

  private static InputFile gunzip(Path path, String name, Gaps gaps) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(path), CHUNK)) {
      return inflate(in, name, gaps);
    } catch (EOFException | ZipException e) {
      throw new CannotGoOn(name + " is a gzip file whose header is damaged", "get a new copy");
    }
  }

  private static void unzip(
      Path path, String name, Predicate<String> wanted, Gaps gaps, List<InputFile> opened)
      throws IOException {
    List<String> others = new ArrayList<>();
    try (ZipFile zip = new ZipFile(path.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        if (entry.isDirectory()) {
          continue;
        }
        if (!wanted.test(entry.getName().toLowerCase(Locale.ROOT))) {
          others.add(entry.getName());
          continue;
        }
        try (InputStream in = zip.getInputStream(entry)) {
          long said = entry.getSize();
          InputStream limited = said < 0 ? in : new Limited(in, said);
          opened.add(inflate(limited, name + "!/" + entry.getName(), gaps));
        }
      }
    } catch (ZipException e) {
      opened.forEach(InputFile::close);
      opened.clear();
      unzipWithoutDirectory(path, name, wanted, gaps, opened, e);
    }
    if (opened.isEmpty()) {
      throw CannotGoOn.of(
          Reason.ARCHIVE_MEMBERS,
          name,
          name
              + " is a zip file that contains no file to read"
              + (others.isEmpty() ? "" : " (it contains " + others.getFirst() + ", ...)"),
          "");
    }
  }

  /**
   * Stream that ends at the size given by the directory of a zip, however much there is to inflate.
   */
  private static final class Limited extends FilterInputStream {
    private long left;

    Limited(InputStream in, long most) {
      super(in);
      this.left = most;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int n = in.read(bytes, from, (int) Math.min(length, left + 1));
      if (n > left) {
        if (left == 0) {
          throw new ZipException("it inflates to more than its directory entry");
        }
        n = (int) left;
      }
      left -= Math.max(0, n);
      return n;
    }
  }

  /**
   * Reads a truncated zip, which has lost the directory at its end: its members are still one after
   * the other.
   */
  private static void unzipWithoutDirectory(
      Path path,
      String name,
      Predicate<String> wanted,
      Gaps gaps,
      List<InputFile> opened,
      ZipException reason)
      throws IOException {
    gaps.add(
        new Gap(name, Files.size(path), -1, "zip directory", "missing: " + reason.getMessage()));
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(path))) {
      ZipEntry entry;
      while ((entry = in.getNextEntry()) != null) {
        if (!entry.isDirectory() && wanted.test(entry.getName().toLowerCase(Locale.ROOT))) {
          opened.add(inflate(in, name + "!/" + entry.getName(), gaps));
        }
      }
    } catch (EOFException | ZipException e) {
      gaps.add(new Gap(name, Files.size(path), -1, "zip member", "truncated: " + e.getMessage()));
    }
  }

  /** Everything that a stream gives, in memory or in a temporary file. */
  static InputFile inflate(InputStream in, String name, Gaps gaps) throws IOException {
    gaps.register(name);
    byte[] chunk = new byte[CHUNK];
    ByteArrayOutputStream memory = new ByteArrayOutputStream(1 << 16);
    while (memory.size() < IN_MEMORY) {
      int n = read(in, chunk, name, memory.size(), gaps);
      if (n < 0) {
        return InputFile.of(memory.toByteArray(), name);
      }
      memory.write(chunk, 0, n);
    }
    Path temporary = Files.createTempFile("ntrail", ".etl");
    try {
      FileStore store = Files.getFileStore(temporary);
      long written = memory.size();
      try (OutputStream out = Files.newOutputStream(temporary)) {
        memory.writeTo(out);
        long checked = 0;
        int n;
        while ((n = read(in, chunk, name, written, gaps)) >= 0) {
          out.write(chunk, 0, n);
          written += n;
          if (written - checked > IN_MEMORY) {
            checked = written;
            if (store.getUsableSpace() < KEEP_FREE) {
              throw new CannotGoOn(
                  name + " does not fit on the disk of the temporary folder when decompressed",
                  "decompress it elsewhere, and name the decompressed file");
            }
          }
        }
      }
      return InputFile.mapTemporary(temporary, name);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
  }

  /** Reads on; the end of damaged compressed data is the end of the input, with a gap. */
  private static int read(InputStream in, byte[] chunk, String name, long offset, Gaps gaps)
      throws IOException {
    try {
      return in.read(chunk);
    } catch (EOFException | ZipException e) {
      String why = e instanceof EOFException ? "the compressed file is truncated" : e.getMessage();
      gaps.add(new Gap(name, offset, -1, "compressed data", String.valueOf(why)));
      return -1;
    } catch (DamagedInput e) {
      gaps.add(new Gap(name, offset, -1, "compressed data", String.valueOf(e.getMessage())));
      return -1;
    }
  }
}
