package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.DumpReader.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the streams that every question about a dump needs. */
final class CoreStreams {
  /** Threads and modules that no process exceeds. */
  static final int MOST_THREADS = 1 << 17;

  static final int MOST_MODULES = 1 << 16;

  private static final int THREAD = 48;
  private static final int THREAD_EX = 64;
  private static final int MODULE = 108;
  private static final int UNLOADED = 24;
  private static final int PARAMETERS = 15;
  private static final int PARAMETER_COUNT = 32;

  /** Bytes of a CodeView or MISC record that are looked at. */
  private static final int MOST_RECORD = CodeViewRecord.MOST;

  private final Minidump dump;
  private final DumpReader reader;

  CoreStreams(Minidump dump, DumpReader reader) {
    this.dump = dump;
    this.reader = reader;
  }

  /** Rows of a list that begins with its count; four bytes may follow that. */
  private Rows list(DumpStream stream, int rowBytes, int limit) {
    Bytes bytes = reader.bytes(stream);
    if (!bytes.has(0, 4)) {
      reader.gap(
          stream.offset(),
          stream.size(),
          stream.title(),
          "it has %d bytes, too few for a count".formatted(stream.size()));
      return new Rows(bytes, 0, rowBytes, 0);
    }
    long count = bytes.u32(0);
    int first = bytes.length() == 8 + count * rowBytes ? 8 : 4;
    return reader.rows(bytes, stream.title(), first, rowBytes, count, limit);
  }

  static FileRange range(Bytes bytes, int at) {
    return new FileRange(bytes.u32(at + 4), bytes.u32(at));
  }

  /** Reads the threads of one list; that of Itanium has all of them, and is alone. */
  List<DumpThread> threads() {
    List<DumpThread> threads = threads(StreamType.THREAD_LIST);
    List<DumpThread> others = threads(StreamType.THREAD_EX_LIST);
    if (threads.isEmpty()) {
      return others;
    }
    Set<Long> known = threads.stream().map(DumpThread::id).collect(Collectors.toSet());
    long more = others.stream().filter(thread -> !known.contains(thread.id())).count();
    if (more > 0) {
      reader.gap(
          dump.stream(StreamType.THREAD_EX_LIST).map(DumpStream::offset).orElse(0L),
          -1,
          StreamType.THREAD_EX_LIST.title(),
          "%d of its %d threads are not in %s, and are not read"
              .formatted(more, others.size(), StreamType.THREAD_LIST.title()));
    }
    return threads;
  }

  private List<DumpThread> threads(StreamType type) {
    List<DumpThread> threads = new ArrayList<>();
    Optional<DumpStream> stream = dump.stream(type);
    if (stream.isPresent()) {
      boolean isLong = type == StreamType.THREAD_EX_LIST;
      Rows rows = list(stream.get(), isLong ? THREAD_EX : THREAD, MOST_THREADS);
      for (int row = 0; row < rows.count(); row++) {
        threads.add(thread(rows.bytes(), rows.at(row), isLong));
      }
    }
    return List.copyOf(threads);
  }

  private static DumpThread thread(Bytes bytes, int at, boolean isLong) {
    return new DumpThread(
        bytes.u32(at),
        bytes.u32(at + 4),
        bytes.u32(at + 8),
        bytes.u32(at + 12),
        bytes.i64(at + 16),
        bytes.i64(at + 24),
        range(bytes, at + 32),
        range(bytes, at + 40),
        isLong ? bytes.i64(at + 48) : 0,
        isLong ? range(bytes, at + 56) : FileRange.NONE);
  }

  List<DumpModule> modules() {
    List<DumpModule> modules = new ArrayList<>();
    Optional<DumpStream> stream = dump.stream(StreamType.MODULE_LIST);
    if (stream.isPresent()) {
      Rows rows = list(stream.get(), MODULE, MOST_MODULES);
      for (int row = 0; row < rows.count(); row++) {
        modules.add(module(rows.bytes(), rows.at(row)));
      }
      checkPlaces(modules, rows);
    }
    return List.copyOf(modules);
  }

  /** Reports modules at address 0, where none can be: addresses in them belong to no module. */
  private void checkPlaces(List<DumpModule> modules, Rows rows) {
    int first = -1;
    int lost = 0;
    for (int row = 0; row < modules.size(); row++) {
      if (modules.get(row).base() == 0) {
        first = lost == 0 ? row : first;
        lost++;
      }
    }
    if (lost > 0) {
      reader.gap(
          rows.bytes().base() + rows.at(first),
          -1,
          StreamType.MODULE_LIST.title(),
          "%d of %d modules are at address 0".formatted(lost, modules.size()));
    }
  }

  private DumpModule module(Bytes bytes, int at) {
    return new DumpModule(
        bytes.i64(at),
        bytes.u32(at + 8),
        bytes.u32(at + 12),
        bytes.u32(at + 16),
        reader.string(bytes.u32(at + 20)),
        ModuleVersion.read(bytes, at + 24),
        symbols(range(bytes, at + 76)),
        debugFile(range(bytes, at + 84)));
  }

  private Optional<CodeViewRecord> symbols(FileRange range) {
    if (range.isEmpty()) {
      return Optional.empty();
    }
    Bytes record = reader.bytes(range, MOST_RECORD);
    Optional<CodeViewRecord> symbols = CodeViewRecord.read(record);
    String why =
        record.length() < Math.min(range.size(), MOST_RECORD)
            ? "the file ends inside the record"
            : CodeViewRecord.damage(record);
    if (!why.isEmpty()) {
      reader.gap(range.offset(), range.size(), "CodeView record", why);
    }
    return symbols;
  }

  /** Name in an IMAGE_DEBUG_MISC: type 1, length, whether it is UTF-16, then the text. */
  private String debugFile(FileRange range) {
    Bytes record = reader.bytes(range, MOST_RECORD);
    if (record.length() <= 12 || record.i32(0) != 1) {
      return "";
    }
    return record.u8(8) != 0
        ? record.utf16z(12, record.length())
        : record.latin1z(12, record.length());
  }

  List<UnloadedModule> unloadedModules() {
    List<UnloadedModule> modules = new ArrayList<>();
    Optional<DumpStream> stream = dump.stream(StreamType.UNLOADED_MODULE_LIST);
    if (stream.isPresent()) {
      Bytes bytes = reader.bytes(stream.get());
      Rows rows =
          reader.table(
              bytes, StreamType.UNLOADED_MODULE_LIST, UNLOADED, bytes.u32(8), MOST_MODULES);
      for (int row = 0; row < rows.count(); row++) {
        int at = rows.at(row);
        modules.add(
            new UnloadedModule(
                bytes.i64(at),
                bytes.u32(at + 8),
                bytes.u32(at + 12),
                bytes.u32(at + 16),
                reader.string(bytes.u32(at + 20))));
      }
    }
    return List.copyOf(modules);
  }

  Optional<DumpException> exception() {
    return dump.stream(StreamType.EXCEPTION)
        .map(stream -> {
          Bytes bytes = reader.bytes(stream);
          List<Long> parameters = new ArrayList<>();
          long claimed = bytes.u32(PARAMETER_COUNT);
          long count = Math.min(claimed, PARAMETERS);
          if (count < claimed) {
            reader.gap(
                stream.offset() + PARAMETER_COUNT,
                -1,
                stream.title(),
                "it claims %d parameters; an exception has at most %d"
                    .formatted(claimed, PARAMETERS));
          }
          for (int i = 0; i < count; i++) {
            parameters.add(bytes.i64(40 + 8 * i));
          }
          return new DumpException(
              bytes.u32(0),
              bytes.i32(8),
              bytes.i32(12),
              bytes.i64(16),
              bytes.i64(24),
              parameters,
              range(bytes, 160));
        });
  }

  Optional<SystemInfo> systemInfo() {
    return dump.stream(StreamType.SYSTEM_INFO)
        .map(stream -> {
          Bytes bytes = reader.bytes(stream);
          return SystemInfo.read(bytes, reader.string(bytes.u32(24)));
        });
  }

  Optional<MiscInfo> miscInfo() {
    return dump.stream(StreamType.MISC_INFO).map(reader::bytes).map(MiscInfo::read);
  }
}
