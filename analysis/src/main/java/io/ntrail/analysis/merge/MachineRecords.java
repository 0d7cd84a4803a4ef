package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.analysis.merge.Additions.SystemFacts;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.etl.ClassRecord;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.formats.identity.RunningWindows.Volume;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Facts about the recorded system that a recording lacks: drive letters, folders of the system, the
 * build of Windows. The records are looked at while they are copied; what is missing then is added,
 * if this is the very machine, or listed.
 *
 * <p>Source: facts on the events of the kernel, records that are added by merging (SystemConfigEx);
 * place and order as in recordings that Windows' own tools have merged.
 */
public final class MachineRecords {
  private static final Guid SYSTEM_CONFIG_EX = Guid.parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
  private static final Guid SYSTEM_CONFIG = Guid.parse("01853a65-418f-4f36-aefc-dc0f1d2fd235");
  private static final int CPU = KernelEvent.type(KernelEvent.SYSTEMCONFIG_CPU);
  private static final int BUILD_INFO = 32;
  private static final int SYSTEM_PATHS = 33;
  private static final int VOLUME_MAPPING = 35;

  private static final String WHAT = "system fact";
  private static final String LETTERS = "drive letters";
  private static final String PATHS = "system paths";
  private static final String BUILD = "build of Windows";

  /** Place of the machine's name in a record CPU of SystemConfig, and its most characters. */
  private static final int NAME = 20;

  private static final int NAME_BYTES = 2 * 256;

  /** Names that are kept: more than one is a contradiction anyway. */
  private static final int MOST_NAMES = 8;

  private final Optional<RunningWindows> machine;
  private final String whyNot;
  private final Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private boolean hasBuild;
  private boolean hasPaths;
  private boolean hasVolumes;
  private long lastTicks = Long.MIN_VALUE;
  private Additions additions = Additions.NONE;

  private MachineRecords(Optional<RunningWindows> machine, String whyNot) {
    this.machine = machine;
    this.whyNot = whyNot;
  }

  /** Adds what a machine tells. */
  public static MachineRecords of(RunningWindows machine) {
    return new MachineRecords(Optional.of(machine), "");
  }

  /**
   * Adds nothing, and lists what is missing.
   *
   * @param why no machine is asked
   */
  public static MachineRecords without(String why) {
    return new MachineRecords(Optional.empty(), why);
  }

  /** Returns what was added and what is missing, once the recording has been written. */
  public Additions additions() {
    return additions;
  }

  /** Notes a record that is copied; without a machine only what it may lack. */
  void visit(RecordCursor record) {
    boolean isClassic = record.kind().isClassic();
    if (isClassic && is(SYSTEM_CONFIG_EX, record)) {
      hasBuild |= record.opcode() == BUILD_INFO;
      hasPaths |= record.opcode() == SYSTEM_PATHS;
      hasVolumes |= record.opcode() == VOLUME_MAPPING;
    }
    if (machine.isEmpty()) {
      return;
    }
    if (record.hasTime()) {
      lastTicks = Math.max(lastTicks, record.ticks());
    }
    boolean isCpu =
        isClassic
            ? record.opcode() == CPU && is(SYSTEM_CONFIG, record)
            : record.kind().isHook() && record.hookId() == KernelEvent.SYSTEMCONFIG_CPU;
    if (isCpu) {
      name(record);
    }
  }

  private static boolean is(Guid guid, RecordCursor record) {
    return record.providerLow() == guid.low() && record.providerHigh() == guid.high();
  }

  private void name(RecordCursor record) {
    int from = record.payloadOffset() + NAME;
    int end = Math.min(from + NAME_BYTES, record.payloadOffset() + record.payloadLength());
    if (from < end && names.size() < MOST_NAMES) {
      String name = record.bytes().utf16z(from, end);
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
  }

  /** Returns the paths of the kernel that a machine maps, in the order in which they are told. */
  static Map<String, String> mappings(RunningWindows machine) {
    Map<String, String> mappings = new LinkedHashMap<>();
    mappings.put("\\??\\", "");
    if (!machine.windowsDirectory().isEmpty()) {
      mappings.put("\\SystemRoot\\", machine.windowsDirectory());
    }
    for (Volume volume : machine.volumes()) {
      mappings.put(volume.device(), volume.drive());
    }
    // The same on each Windows: shares of other machines.
    mappings.put("\\Device\\LanmanRedirector\\", "\\\\");
    mappings.put("\\Device\\Mup\\", "\\\\");
    mappings.put("\\\\", "\\\\");
    return mappings;
  }

  private static byte[] texts(String first, String second) {
    BytesBuilder payload = new BytesBuilder(2 * (first.length() + second.length()) + 4);
    return payload.utf16z(first).utf16z(second).toArray();
  }

  /**
   * A fact with its records, which are empty if a machine does not tell it.
   *
   * @param ticks time stamp
   * @param counts what it adds
   */
  private record Fact(
      String name, int opcode, long ticks, SystemFacts counts, List<byte[]> payloads) {}

  private static Fact paths(RunningWindows machine, long ticks) {
    boolean isKnown = !machine.systemDirectory().isEmpty() && !machine.windowsDirectory().isEmpty();
    byte[] payload = texts(machine.systemDirectory(), machine.windowsDirectory());
    return new Fact(
        PATHS,
        SYSTEM_PATHS,
        ticks,
        new SystemFacts(0, 1, 0),
        isKnown ? List.of(payload) : List.of());
  }

  private static Fact volumes(RunningWindows machine, long ticks) {
    List<byte[]> payloads = new ArrayList<>();
    mappings(machine).forEach((device, drive) -> payloads.add(texts(device, drive)));
    return new Fact(
        LETTERS,
        VOLUME_MAPPING,
        ticks,
        new SystemFacts(machine.volumes().size(), 0, 0),
        machine.volumes().isEmpty() ? List.of() : payloads);
  }

  private static Fact build(RunningWindows machine, long ticks) {
    boolean isKnown = !machine.buildLab().isEmpty() && !machine.productName().isEmpty();
    byte[] names = texts(machine.buildLab(), machine.productName());
    byte[] payload =
        new BytesBuilder(8 + names.length).u64(machine.installed()).bytes(names).toArray();
    return new Fact(
        BUILD, BUILD_INFO, ticks, new SystemFacts(0, 0, 1), isKnown ? List.of(payload) : List.of());
  }

  /**
   * Returns the records that are added to a recording whose records were all visited.
   *
   * @param most bytes of a record that fits
   */
  List<AddedRecord> records(EtwRecording recording, int most) {
    Optional<String> why =
        machine.isEmpty()
            ? Optional.of(whyNot)
            : RecordedBoot.of(recording).doubt(machine.get(), names);
    if (why.isPresent()) {
      additions = new Additions(List.of(), 0, SystemFacts.NONE, 0, 0, missing(why.get()));
      return List.of();
    }
    EtlFile first = recording.files().getFirst();
    long begin = first.clock().headerTicks();
    List<Fact> facts = new ArrayList<>();
    machine.ifPresent(its -> {
      if (!hasPaths) {
        facts.add(paths(its, begin));
      }
      if (!hasVolumes) {
        facts.add(volumes(its, begin));
      }
      if (!hasBuild) {
        facts.add(build(its, Math.max(begin, lastTicks)));
      }
    });
    int pointerBytes = first.header().map(LogFileHeader::pointerBytes).orElse(8);
    List<AddedRecord> records = new ArrayList<>();
    List<Missing> missing = new ArrayList<>();
    SystemFacts added = SystemFacts.NONE;
    for (Fact fact : facts) {
      List<AddedRecord> its = new ArrayList<>();
      for (byte[] payload : fact.payloads) {
        byte[] bytes =
            new ClassRecord(SYSTEM_CONFIG_EX, fact.opcode, 0, fact.ticks, 0, 0, pointerBytes)
                .bytes(payload);
        its.add(new AddedRecord(fact.ticks, bytes));
      }
      if (its.isEmpty()) {
        missing.add(new Missing(WHAT, fact.name, "this machine does not tell it"));
      } else if (its.stream().anyMatch(one -> one.bytes().length > most)) {
        missing.add(new Missing(WHAT, fact.name, "its buffers are too small"));
      } else {
        records.addAll(its);
        added = added.and(fact.counts);
      }
    }
    additions = new Additions(records, 0, added, 0, 0, missing);
    return records;
  }

  private List<Missing> missing(String why) {
    List<Missing> missing = new ArrayList<>();
    if (!hasVolumes) {
      missing.add(new Missing(WHAT, LETTERS, why));
    }
    if (!hasPaths) {
      missing.add(new Missing(WHAT, PATHS, why));
    }
    if (!hasBuild) {
      missing.add(new Missing(WHAT, BUILD, why));
    }
    return missing;
  }
}
