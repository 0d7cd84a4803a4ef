package io.ntrail.analysis.etw.events;

import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.formats.schema.ValueMap;
import io.ntrail.testkit.baseline.ClrBaseline;
import io.ntrail.testkit.baseline.DecodedValue;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fields of an event as PerfView prints them, from ours: fields that it calls differently, that it
 * computes, and that it prints for all versions of an event.
 */
final class PerfViewFields {
  /** A value, and whether it had to be computed. */
  record Found(DecodedValue value, boolean computed) {}

  /** PerfView's name of a field, of all events or of one, and ours. */
  private static final Map<String, String> OTHER_NAMES =
      Map.ofEntries(
          Map.entry("FileKey", "FileObject"),
          Map.entry("PageDirectoryBase", "DirectoryTableBase"),
          Map.entry("MemoryCount", "PageFaultCount"),
          Map.entry("SampleSource", "Source"),
          Map.entry("EventTrace SessionName", "SessionNameString"),
          Map.entry("EventTrace LogFileName", "LogFileNameString"),
          Map.entry("EventTrace UtcOffsetMinutes", "TimeZoneInformation.Bias"),
          // What the system writes there is the affinity, since version 3.
          Map.entry("Thread/Start StartAddr", "Affinity"),
          Map.entry("Thread/Stop StartAddr", "Affinity"),
          Map.entry("SystemConfig/LogDisk DriveLetterString", "DriveLetter"),
          Map.entry("Create IrpPtr", "Irp"),
          Map.entry("Create FileAttributes", "CreateAttributes"));

  /** Fields that PerfView prints as empty for versions that do not have them. */
  private static final Set<String> NOT_IN_EVERY_VERSION =
      Set.of("PackageFullName", "ApplicationID", "ThreadName", "ServiceName");

  private static final SchemaTable CLR = SchemaTable.clr();

  /** Per disk, when the last request before this one was done. */
  private final Map<Long, Long> doneBefore = new HashMap<>();

  private final Map<Long, Long> done = new HashMap<>();

  /** Names of the runtime's types by their ids; an event may be there before the name. */
  private final Map<Long, String> types = new HashMap<>();

  /** Tells that an event names types; all of them must be announced before any query. */
  void types(EventReader event) {
    Map<String, DecodedValue> fields = DecodedEvent.fields(event);
    for (int i = 0; fields.get("Values[" + i + "].Name") instanceof DecodedValue.Text name; i++) {
      types.put(whole(fields, "Values[" + i + "].TypeID"), name.value());
    }
  }

  /** Tells what happened, in time order. */
  void note(String kind, EventReader event) {
    if (kind.equals("DiskIO/Read") || kind.equals("DiskIO/Write")) {
      long disk = event.payload().integer(event.payload().find("DiskNumber"));
      doneBefore.put(disk, done.getOrDefault(disk, Long.MIN_VALUE / 2));
      done.put(disk, event.nanos());
    }
  }

  /** The value of a field of an event; null if we have none. */
  @Nullable Found find(
      String kind, String name, EventReader event, Map<String, DecodedValue> fields) {
    String key = kind + " " + name;
    DecodedValue computed = computed(key, name, event, fields);
    if (computed != null) {
      return new Found(computed, true);
    }
    DecodedValue found =
        fields.get(OTHER_NAMES.getOrDefault(key, OTHER_NAMES.getOrDefault(name, name)));
    if (found != null) {
      return new Found(found, false);
    }
    return runtime(key, name, event, fields);
  }

  private @Nullable Found runtime(
      String key, String name, EventReader event, Map<String, DecodedValue> fields) {
    if (ClrBaseline.isLookedUp(key)) {
      return new Found(
          new DecodedValue.Text(types.getOrDefault(whole(fields, "TypeID"), "")), true);
    }
    DecodedValue found = ClrBaseline.value(key, name, fields);
    if (found != null) {
      return new Found(found, true);
    }
    if (ClrBaseline.isOfOtherLayout(key) || NOT_IN_EVERY_VERSION.contains(name)) {
      return new Found(new DecodedValue.Nothing(), true);
    }
    EventType type = event.type();
    Schema newest = CLR.schema(type.guid(), type.id(), Integer.MAX_VALUE);
    boolean newer =
        newest != null && newest.fields().stream().anyMatch(f -> f.name().equals(name))
            || key.matches("Process/.* Flags");
    // Numbers of newer versions are printed as zeros.
    return newer ? new Found(new DecodedValue.Whole(0, 8, null), true) : null;
  }

  private @Nullable DecodedValue computed(
      String key, String name, EventReader event, Map<String, DecodedValue> fields) {
    return switch (name) {
      case "BuildTime" ->
          new DecodedValue.Time(
              FileTime.ofUnixSeconds(whole(fields, "TimeDateStamp") & 0xFFFF_FFFFL));
      case "FileName" ->
          fields.containsKey("FileObject") && !fields.containsKey("FileName")
              ? new DecodedValue.Text(fileName(event))
              : null;
      case "ElapsedTimeMSec" -> milliseconds(elapsed(event, fields));
      case "DiskServiceTimeMSec" -> {
        long idleSince = doneBefore.getOrDefault(whole(fields, "DiskNumber"), 0L);
        yield milliseconds(Math.min(elapsed(event, fields), event.nanos() - idleSince));
      }
      case "PayloadLength" -> new DecodedValue.Whole(event.record().payloadLength(), 4, null);
      default -> computed(key, event, fields);
    };
  }

  private static @Nullable DecodedValue computed(
      String key, EventReader event, Map<String, DecodedValue> fields) {
    long flags = whole(fields, "Flags");
    return switch (key) {
      case "PerfInfo/Sample ProcessorNumber" -> number(event.record().cpu());
      case "PerfInfo/Sample ExecutingDPC" -> number(flags & 1);
      case "PerfInfo/Sample ExecutingISR" -> number(flags >> 1 & 1);
      case "PerfInfo/Sample Priority" -> number(flags >> 3);
      case "DiskIO/Read IrpFlags", "DiskIO/Write IrpFlags", "DiskIO/FlushBuffers IrpFlags" ->
          irpFlags(event, whole(fields, "IrpFlags"));
      case "DiskIO/Read Priority", "DiskIO/Write Priority" ->
          irpPriority(event, whole(fields, "IrpFlags"));
      // Who wrote the record started the thread.
      case "Thread/Start ParentThreadID" -> number(event.record().threadId());
      case "Thread/Start ParentProcessID" -> number(event.record().processId());
      case "Thread/Stop ParentThreadID", "Thread/Stop ParentProcessID" -> number(-1);
      case "Create CreateOptions" -> number(whole(fields, "CreateOptions") & 0xFF_FFFF);
      case "Create CreateDisposition" ->
          whole(fields, "CreateOptions") >>> 24 == 1
              ? new DecodedValue.Text("OPEN_EXISTING")
              : null;
      case "Create ShareAccess" ->
          whole(fields, "ShareAccess") == 7 ? new DecodedValue.Text("ReadWrite, Delete") : null;
      // PerfView puts its own name of the process there.
      case "SystemConfig/Services ProcessName" ->
          new DecodedValue.Text(PerfViewNames.processName(event));
      // The layout of version 0 begins with a pointer, where the process and the size are now.
      case "UdpIp/Send context", "UdpIp/Recv context" ->
          new DecodedValue.Whole(
              event.record().bytes().i64(event.record().payloadOffset()), 8, null);
      case "PrimitiveTypesTest char_type" ->
          fields.get("char_type") instanceof DecodedValue.Text letter
              ? number(letter.value().codePointAt(0))
              : null;
      case "KernelEnableParameters keywords" -> eachBit(event, "keywords");
      case "KernelEnableParameters stacks" -> eachBit(event, "stacks");
      default -> null;
    };
  }

  private static DecodedValue number(long value) {
    return new DecodedValue.Whole(value, 4, null);
  }

  private static DecodedValue milliseconds(long nanos) {
    return new DecodedValue.Fraction(nanos / 1e6);
  }

  private static long whole(Map<String, DecodedValue> fields, String name) {
    return fields.get(name) instanceof DecodedValue.Whole number ? number.value() : 0;
  }

  private static String fileName(EventReader event) {
    String name = event.meaning(event.payload().find("FileObject"));
    return name == null ? "" : name;
  }

  private static long elapsed(EventReader event, Map<String, DecodedValue> fields) {
    return fields.containsKey("InitialTime")
        ? event.nanos() - event.nanosOf(whole(fields, "InitialTime"))
        : event.nanosOfSpan(whole(fields, "HighResResponseTime"));
  }

  /** PerfView leaves the priority out, and has another name for the second bit. */
  private static DecodedValue irpFlags(EventReader event, long flags) {
    ValueMap map = map(event, "IrpFlags");
    String names = map.text(flags & ~0xE_0000L);
    return names == null
        ? number(0)
        : new DecodedValue.Text(names.replace("PagingIo", "MountCompletion").replace("|", ", "));
  }

  private static DecodedValue irpPriority(EventReader event, long flags) {
    String name = String.valueOf(map(event, "IrpFlags").text(flags & 0xE_0000L));
    String word = name.substring("Priority".length()).toLowerCase(Locale.ROOT);
    return new DecodedValue.Text(word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
  }

  /**
   * Returns the names of the bits of a value, which PerfView prints even if the whole value has a
   * name.
   */
  private static DecodedValue eachBit(EventReader event, String name) {
    Map<Long, String> single = new TreeMap<>(map(event, name).texts());
    single.keySet().removeIf(bits -> Long.bitCount(bits) != 1);
    Payload payload = event.payload();
    StringBuilder text = new StringBuilder();
    single.forEach((bit, word) -> {
      if ((payload.integer(payload.find(name)) & bit) != 0) {
        text.append(text.isEmpty() ? "" : "|").append(word);
      }
    });
    return new DecodedValue.Text(text.toString());
  }

  private static ValueMap map(EventReader event, String name) {
    ValueMap map = event.payload().field(event.payload().find(name)).map();
    if (map == null) {
      throw new AssertionError(name + " has no names");
    }
    return map;
  }
}
