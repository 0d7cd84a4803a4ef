package io.ntrail.live.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedSystem;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedTimes;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.util.ArrayList;
import java.util.List;

/** Answers of the system about itself, a process and its threads. */
final class SystemFacts {
  private static final int SYSTEM_BYTES = 48;
  private static final int TIMES_BYTES = 32;
  private static final int PROCESS_TIMES = 4;
  private static final int PROCESS_PRIORITY = 18;
  private static final int THREAD_BASIC = 0;
  private static final int THREAD_TIMES = 1;
  private static final int THREAD_START = 9;
  private static final int FEATURES = 64;

  private final WindowsApi calls;
  private final TargetProcess process;
  private final long cells;

  /**
   * Times of a process.
   *
   * @param created FILETIME
   * @param kernel in units of 100 ns
   * @param user in units of 100 ns
   */
  record Times(long created, long kernel, long user) {}

  SystemFacts(TargetProcess process) {
    this.process = process;
    this.calls = process.calls();
    this.cells = calls.agent().scratch();
  }

  /** Makes a call that fills a structure; zeros where it fails. */
  private Bytes filled(int size, String name, long... arguments) {
    calls.agent().poke(cells, new byte[size]);
    calls.call(name, arguments);
    return calls.agent().peek(cells, size);
  }

  /** Returns the version of the system and its processors. */
  DumpedSystem system() {
    WindowsVersion version = WindowsVersion.of(calls);
    Bytes system = filled(SYSTEM_BYTES, "kernel32!GetNativeSystemInfo", cells);
    // Behind two addresses and a mask of processors in SYSTEM_INFO.
    int processors = 8 + 3 * calls.layout().pointerBytes();
    return new DumpedSystem(
        !process.is32Bit(),
        system.u16(processors + 12),
        system.u16(processors + 14),
        (int) system.u32(processors),
        version.productType(),
        version.major(),
        version.minor(),
        version.build(),
        version.servicePack(),
        version.suite(),
        features());
  }

  private long features() {
    List<AgentCall> questions = new ArrayList<>();
    for (int i = 0; i < FEATURES; i++) {
      questions.add(calls.prepare("kernel32!IsProcessorFeaturePresent", i));
    }
    long bits = 0;
    List<CallOutcome> outcomes = calls.call(questions);
    for (int i = 0; i < FEATURES; i++) {
      bits |= outcomes.get(i).isTrue() ? 1L << i : 0;
    }
    return bits;
  }

  /** Returns the times of the process. */
  Times times() {
    Bytes times =
        filled(
            TIMES_BYTES,
            "ntdll!NtQueryInformationProcess",
            process.handle(),
            PROCESS_TIMES,
            cells,
            TIMES_BYTES,
            0);
    return new Times(times.i64(0), times.i64(16), times.i64(24));
  }

  /** Returns the priority class of the process; 0 if unknown. */
  int priorityClass() {
    Bytes priority =
        filled(
            8, "ntdll!NtQueryInformationProcess", process.handle(), PROCESS_PRIORITY, cells, 2, 0);
    // PROCESS_PRIORITY_CLASS numbers classes; a dump has the flag of CreateProcess.
    return switch (priority.u8(1)) {
      case 1 -> 0x40;
      case 2 -> 0x20;
      case 3 -> 0x80;
      case 4 -> 0x100;
      case 5 -> 0x4000;
      case 6 -> 0x8000;
      default -> 0;
    };
  }

  /** Returns the priority of a thread relative to its process; 0 if unknown. */
  int priority(CapturedThread thread) {
    long handle = process.threads().open(thread.thread());
    int priority = calls.call("kernel32!GetThreadPriority", handle).asInt();
    return priority == Integer.MAX_VALUE ? 0 : priority;
  }

  /** Returns times, start and affinity of a thread. */
  DumpedTimes times(CapturedThread thread) {
    long handle = process.threads().open(thread.thread());
    String query = "ntdll!NtQueryInformationThread";
    Bytes times = filled(TIMES_BYTES, query, handle, THREAD_TIMES, cells, TIMES_BYTES, 0);
    SystemLayout layout = calls.layout();
    int word = layout.pointerBytes();
    Bytes start = filled(word, query, handle, THREAD_START, cells, word, 0);
    int bytes = layout.threadBytes();
    Bytes basic = filled(bytes, query, handle, THREAD_BASIC, cells, bytes, 0);
    return new DumpedTimes(
        thread.tid(),
        times.i64(0),
        times.i64(16),
        times.i64(24),
        layout.pointer(start, 0),
        layout.pointer(basic, layout.affinity()));
  }
}
