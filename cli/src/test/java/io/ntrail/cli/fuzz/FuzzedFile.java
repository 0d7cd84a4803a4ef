package io.ntrail.cli.fuzz;

import io.ntrail.cli.harness.SampleDump;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A sound file of some kind that a few bytes of choices change: overwritten, cut, a stretch taken
 * out, doubled or filled.
 */
final class FuzzedFile {
  private static final int CHOICE = 6;
  private static final int MOST_CHANGES = 64;

  private final Kind kind;
  private final byte[] content;

  private FuzzedFile(Kind kind, byte[] content) {
    this.kind = kind;
    this.content = content;
  }

  /** Writes the file into a folder, under a name with the suffix of its kind. */
  Path write(Path folder) throws IOException {
    return Files.write(folder.resolve(kind.fileName), content);
  }

  /** Kinds of files, in the order in which choices count them. */
  enum Kind {
    ETL("shop.etl"),
    JTRC("shop.jtrc"),
    NTR("shop.ntr"),
    DLL("shopcore.dll"),
    EXE("shopd.exe"),
    PDB("shopd.pdb"),
    COLLAPSED("shop.collapsed"),
    ZIP("shop.zip"),
    GZIP("shop.ntr.gz"),
    DUMP("shop.dmp"),
    DUMP_X86("x86.dmp"),
    DUMP_WOW64("wow64.dmp"),
    DUMP_STREAMS("streams.dmp");

    private final String fileName;

    Kind(String fileName) {
      this.fileName = fileName;
    }

    private byte[] sound() throws IOException {
      return switch (this) {
        case COLLAPSED ->
            "shopd.exe;main;work 10\nshopd.exe;main 3\nshopd.exe;main;work;wait 7\n"
                .getBytes(StandardCharsets.UTF_8);
        case ZIP -> zip("a/shop.etl", ETL.sound(), "b.ntr", NTR.sound());
        case GZIP -> gzip(NTR.sound());
        case DUMP -> SampleDump.make();
        case DUMP_X86 -> SoundDumps.x86();
        case DUMP_WOW64 -> SoundDumps.wow64();
        case DUMP_STREAMS -> SoundDumps.streams();
        default -> Files.readAllBytes(TestData.projectRoot().resolve("samples").resolve(fileName));
      };
    }

    private static byte[] zip(String one, byte[] first, String two, byte[] second)
        throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (ZipOutputStream zip = new ZipOutputStream(out)) {
        zip.putNextEntry(new ZipEntry(one));
        zip.write(first);
        zip.closeEntry();
        zip.putNextEntry(new ZipEntry(two));
        zip.write(second);
        zip.closeEntry();
      }
      return out.toByteArray();
    }

    private static byte[] gzip(byte[] content) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(content);
      }
      return out.toByteArray();
    }
  }

  /**
   * Makes a file.
   *
   * @param kinds kinds to choose from
   * @param choices the kind, then six bytes for each change: what, where (3 bytes), how much, with
   *     which byte
   */
  static FuzzedFile of(List<Kind> kinds, byte[] choices) {
    Kind kind = kinds.get(choices.length == 0 ? 0 : (choices[0] & 0xFF) % kinds.size());
    try {
      byte[] content = kind.sound();
      int changes = Math.min(MOST_CHANGES, (choices.length - 1) / CHOICE);
      for (int i = 0; i < changes; i++) {
        content = changed(content, choices, 1 + i * CHOICE);
      }
      return new FuzzedFile(kind, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] changed(byte[] content, byte[] choices, int choice) {
    if (content.length == 0) {
      return content;
    }
    int wanted =
        (choices[choice + 1] & 0xFF)
            | (choices[choice + 2] & 0xFF) << 8
            | (choices[choice + 3] & 0xFF) << 16;
    int at = wanted % content.length;
    int many = Math.min(1 + (choices[choice + 4] & 0xFF), content.length - at);
    byte with = choices[choice + 5];
    byte[] changed = content.clone();
    return switch (choices[choice] & 7) {
      case 0, 1 -> {
        changed[at] = with;
        yield changed;
      }
      case 2 -> {
        changed[at] ^= (byte) (1 << (with & 7));
        yield changed;
      }
      case 3 -> {
        Arrays.fill(changed, at, at + many, with);
        yield changed;
      }
      case 4 -> Arrays.copyOf(content, at);
      case 5 -> joined(content, at, at + many);
      case 6 -> joined(content, at, at - Math.min(at, many));
      default -> {
        // Lengths and counts: a number of four bytes, small, huge or negative.
        for (int i = 0; i < Math.min(4, content.length - at); i++) {
          changed[at + i] = (byte) (i == 0 ? with : (many & 1) == 0 ? 0 : 0xFF);
        }
        yield changed;
      }
    };
  }

  /** The content up to a place, then that from another place on. */
  private static byte[] joined(byte[] content, int end, int begin) {
    byte[] joined = Arrays.copyOf(content, end + content.length - begin);
    System.arraycopy(content, begin, joined, end, content.length - begin);
    return joined;
  }
}
