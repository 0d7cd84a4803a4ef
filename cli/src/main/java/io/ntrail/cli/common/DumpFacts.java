package io.ntrail.cli.common;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpedException;
import io.ntrail.analysis.dumps.DumpedModule;
import io.ntrail.analysis.dumps.DumpedThread;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.identity.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Facts about a dump in words that text and JSON share. */
public final class DumpFacts {
  private static final int WORKSTATION = 1;

  private DumpFacts() {}

  /** {@code Windows 10 22H2 (10.0.19045)}; the name and version of other systems; null: unknown. */
  public static @Nullable String system(DumpRecording dump) {
    Optional<SystemInfo> known = dump.system();
    if (known.isEmpty()) {
      return null;
    }
    SystemInfo system = known.get();
    String version = version(system);
    if (!system.isWindows()) {
      return system.otherSystem() + " " + version;
    }
    String product =
        system.productType() == 0 ? null : system.productType() == WORKSTATION ? "" : "Server";
    return WindowsVersions.text(
        system.major() + "." + system.minor() + ".", system.build(), product);
  }

  /** {@code 10.0.19045}. */
  public static String version(SystemInfo system) {
    return system.major() + "." + system.minor() + "." + system.build();
  }

  /** Returns when the dump was written; null if unknown. */
  public static @Nullable String utc(DumpRecording dump) {
    return dump.time().isPresent()
        ? Numbers.utc(FileTime.ofUnixSeconds(dump.time().getAsLong()))
        : null;
  }

  /** {@code shopd.exe (4312)}; null if neither is known. */
  public static @Nullable String process(DumpRecording dump) {
    String name = dump.process().name();
    String pid =
        dump.process().pid().isPresent()
            ? Long.toUnsignedString(dump.process().pid().getAsLong())
            : "";
    if (name.isEmpty()) {
      return pid.isEmpty() ? null : "process " + pid;
    }
    return pid.isEmpty() ? name : name + " (" + pid + ")";
  }

  /** {@code thread 4316 "main": ACCESS VIOLATION, it read address 0x18 (null pointer + 0x18)}. */
  public static String stopped(DumpRecording dump, DumpedException exception) {
    String name = dump.faultingThread().map(DumpedThread::name).orElse(null);
    return "thread "
        + exception.thread()
        + (name == null ? "" : " \"" + name + "\"")
        + ": "
        + exception.text();
  }

  /** {@code 0x7ff75355af42, tiny.exe + 0x2af42}. */
  public static String place(DumpRecording dump, long address) {
    Optional<DumpedModule> module = dump.modules().moduleAt(address);
    return Numbers.hex(address)
        + module.map(m -> ", " + m.name() + " + " + Numbers.hex(address - m.base())).orElse("");
  }
}
