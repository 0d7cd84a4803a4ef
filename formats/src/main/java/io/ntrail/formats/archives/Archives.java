package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpecialFile;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.identity.FileSignature;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * Opens inputs that may be compressed: a plain file, a {@code .gz}, a {@code .zip} (also a {@code
 * .diagsession}, which is one) or a Microsoft cabinet ({@code .cab}, {@code .pd_}, {@code .dl_} and
 * the like) with one or several members. The kind is sniffed from the first bytes, never from the
 * name. An archive in an archive is not opened.
 *
 * <p>The first bytes of a member decide whether the rest is inflated ({@link MemberChoice}).
 * Members up to 64 MiB are inflated into memory, all of them together into 1 GiB at most; the
 * others into temporary files. An archive with more than 100,000 members is refused, and so is a
 * zip whose members share bytes. Nothing is reserved for sizes that an archive claims. A truncated
 * archive gives what could be inflated and a {@link io.ntrail.formats.bytes.Gap}.
 */
public final class Archives {
  private static final int CHUNK = 1 << 16;

  private Archives() {}

  /**
   * Opens {@code path} and every member that is chosen.
   *
   * @param gaps receives what could not be inflated
   * @return one input or several, in the archive's order
   * @throws CannotGoOn if nothing can be opened, or a member is refused by the choice
   */
  public static List<InputFile> open(Path path, MemberChoice choice, Gaps gaps) {
    return open(path, path.toString(), choice, gaps);
  }

  /**
   * Opens {@code path} as above, under another name.
   *
   * @param name of the file in messages and gaps
   */
  public static List<InputFile> open(Path path, String name, MemberChoice choice, Gaps gaps) {
    if (!Files.exists(path)) {
      throw CannotGoOn.noSuchFile(name, SpellingSuggestion.file(path));
    }
    if (Files.isDirectory(path)) {
      throw CannotGoOn.of(Reason.FOLDER, name, name + " is a folder", "name the files in it");
    }
    if (!Files.isReadable(path)) {
      throw new CannotGoOn(name + " is not readable: access denied", "");
    }
    SpecialFile.refuse(path, name);
    OutputFile.noteRead(path);
    List<InputFile> opened = new ArrayList<>();
    try {
      gaps.register(name);
      switch (signature(path, name)) {
        case GZIP -> opened.add(gunzip(path, name, choice, gaps));
        case ZIP -> ZipMembers.open(path, name, choice, gaps, opened);
        case CABINET -> CabinetMembers.open(path, name, choice, gaps, opened);
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

  private static InputFile gunzip(Path path, String name, MemberChoice choice, Gaps gaps)
      throws IOException {
    try (InputStream file = Files.newInputStream(path);
        InputStream in = new GzipStream(file, CHUNK)) {
      return new MemberInflation(choice, gaps).inflate(in, name);
    } catch (EOFException | ZipException e) {
      throw new CannotGoOn(name + " is a gzip file whose header is damaged", "get a new copy");
    }
  }
}
