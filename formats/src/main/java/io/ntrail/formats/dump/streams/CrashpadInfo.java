package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.DumpReader;
import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.FileRange;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * About a crash report of Crashpad (MinidumpCrashpadInfo).
 *
 * @param report id of the report
 * @param client id of the program's installation
 * @param annotations of the process
 * @param modules annotations of modules
 */
public record CrashpadInfo(
    Guid report, Guid client, List<Annotation> annotations, List<ModuleAnnotations> modules) {
  /** Annotations of one list that are read, and bytes of the value of one. */
  private static final int MOST = 1 << 16;

  private static final int STRING_TYPE = 1;

  /**
   * A key and its value. Those that are not text are {@code (type N)}.
   *
   * @param key its name
   * @param value its text
   */
  public record Annotation(String key, String value) {}

  /**
   * Annotations of a module.
   *
   * @param module its index in the list of modules
   * @param list texts without a key
   * @param annotations with their keys
   */
  public record ModuleAnnotations(int module, List<String> list, List<Annotation> annotations) {}

  /** Returns what a dump has. */
  public static Optional<CrashpadInfo> of(Minidump dump) {
    return dump.read(
        StreamType.CRASHPAD_INFO,
        Optional.empty(),
        bytes -> {
          return Optional.of(
              new CrashpadInfo(
                  Guid.read(bytes, 4),
                  Guid.read(bytes, 20),
                  dictionary(dump.reader(), range(bytes, 36)),
                  modules(dump.reader(), range(bytes, 44))));
        });
  }

  private static FileRange range(Bytes bytes, int at) {
    return new FileRange(bytes.u32(at + 4), bytes.u32(at));
  }

  private static Rows rows(DumpReader reader, FileRange range, String what, int rowBytes) {
    Bytes bytes = reader.bytes(range, Integer.MAX_VALUE);
    long count = bytes.length() < 4 ? 0 : bytes.u32(0);
    return reader.rows(bytes, what, 4, rowBytes, count, MOST);
  }

  private static List<Annotation> dictionary(DumpReader reader, FileRange range) {
    List<Annotation> annotations = new ArrayList<>();
    Rows rows = rows(reader, range, "Crashpad annotations", 8);
    for (int row = 0; row < rows.count(); row++) {
      int at = rows.at(row);
      annotations.add(
          new Annotation(
              reader.utf8String(rows.bytes().u32(at)),
              reader.utf8String(rows.bytes().u32(at + 4))));
    }
    return List.copyOf(annotations);
  }

  private static List<ModuleAnnotations> modules(DumpReader reader, FileRange range) {
    List<ModuleAnnotations> modules = new ArrayList<>();
    Rows rows = rows(reader, range, "Crashpad modules", 12);
    for (int row = 0; row < rows.count(); row++) {
      int at = rows.at(row);
      FileRange place = range(rows.bytes(), at + 4);
      Bytes bytes = reader.bytes(place, Integer.MAX_VALUE);
      if (bytes.length() < 28) {
        reader.gap(place.offset(), -1, "Crashpad module", "it ends inside its header");
        continue;
      }
      List<Annotation> annotations = new ArrayList<>(dictionary(reader, range(bytes, 12)));
      annotations.addAll(objects(reader, range(bytes, 20)));
      modules.add(
          new ModuleAnnotations(
              rows.bytes().i32(at), list(reader, range(bytes, 4)), List.copyOf(annotations)));
    }
    return List.copyOf(modules);
  }

  private static List<String> list(DumpReader reader, FileRange range) {
    List<String> texts = new ArrayList<>();
    Rows rows = rows(reader, range, "Crashpad list", 4);
    for (int row = 0; row < rows.count(); row++) {
      texts.add(reader.utf8String(rows.bytes().u32(rows.at(row))));
    }
    return List.copyOf(texts);
  }

  private static List<Annotation> objects(DumpReader reader, FileRange range) {
    List<Annotation> annotations = new ArrayList<>();
    Rows rows = rows(reader, range, "Crashpad annotation objects", 12);
    for (int row = 0; row < rows.count(); row++) {
      int at = rows.at(row);
      int type = rows.bytes().u16(at + 4);
      annotations.add(
          new Annotation(
              reader.utf8String(rows.bytes().u32(at)),
              type == STRING_TYPE
                  ? reader.utf8String(rows.bytes().u32(at + 8))
                  : "(type " + type + ")"));
    }
    return List.copyOf(annotations);
  }
}
