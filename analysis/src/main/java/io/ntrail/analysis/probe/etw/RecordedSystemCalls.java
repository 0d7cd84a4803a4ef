package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.sources.ProbeNames;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * System calls of a recording. The kernel's event of an entry has the address of the service and
 * nothing else, that of an exit its status and nothing else: the exit is of the last entry of its
 * thread that returns to its caller. Where that is not known (it was not recorded, events were lost
 * since, the thread is not known, or a service without a name may have passed the exit on) the
 * service of the exit is {@link #UNKNOWN}. In a recording that lost events, both are of one buffer,
 * with no other thread between them.
 */
final class RecordedSystemCalls {
  /** Function of exits whose entry is not known. */
  static final String UNKNOWN = "unknown";

  private static final String ENTRY = "PerfInfo/SysClEnter";
  private static final String EXIT = "PerfInfo/SysClExit";

  /** Addresses that have a name; Windows has some 2,000 services. */
  private static final int MOST_SERVICES = 1 << 16;

  /** Entries of a thread that are kept: calls that never return leave theirs behind. */
  private static final int MOST_DEPTH = 64;

  /** Threads whose entries are kept. */
  private static final int MOST_THREADS = 1 << 18;

  private final Map<Long, ProbeNames> services = new LinkedHashMap<>();
  private final boolean isLossy;
  private final Map<Integer, Deque<Entered>> open = new HashMap<>();
  private final Map<Integer, Stretch> stretches = new HashMap<>();
  private long stretch;
  private final FieldReference address = new FieldReference("SysCallAddress");
  private boolean hasExits;
  private int buffer = -1;
  private @Nullable EtlFile file;
  private final Set<LossBefore> lossesPassed = new HashSet<>();

  /** Buffer before which events were lost. */
  private record LossBefore(EtlFile file, int buffer) {}

  /** Records of a processor without a gap and without a switch of threads. */
  private record Stretch(EtlFile file, int buffer, int thread, long number) {}

  /**
   * Entry that has no exit yet.
   *
   * @param stretch of records without a gap and without a switch of threads
   */
  record Entered(long address, long nanos, long stretch) {}

  /** Ways in which services return. */
  private enum Returning {
    /** To the caller, unless the thread ends. */
    ALWAYS,
    /** To the caller only if they fail: else the thread goes on elsewhere in the program. */
    IF_IT_FAILS,
    /** Likewise; else the thread goes on in the service that called the program back. */
    INTO_ANOTHER
  }

  /** Kinds of events. */
  enum Kind {
    /** A service is entered. */
    ENTRY,
    /** A service returns. */
    RETURN,
    /** Another event. */
    NONE
  }

  /**
   * Nothing is known yet.
   *
   * @param isLossy true if events may be missing between two buffers
   */
  RecordedSystemCalls(boolean isLossy) {
    this.isLossy = isLossy;
  }

  /** Returns true if events may be missing between two buffers of a recording. */
  static boolean isLossy(EtwRecording recording) {
    return !recording.gaps().isEmpty()
        || recording.files().stream().anyMatch(RecordedSystemCalls::isLossy);
  }

  private static boolean isLossy(EtlFile of) {
    for (int buffer = 0; buffer < of.buffers().count(); buffer++) {
      if (of.buffers().lossBefore(buffer)) {
        return true;
      }
    }
    return of.header()
        .filter(header ->
            header.eventsLost() == 0
                && header.buffersLost() == 0
                && (header.logFileMode() & LogFileHeader.EVENT_TRACE_FILE_MODE_CIRCULAR) == 0)
        .isEmpty();
  }

  /** Returns the kind of the events of a type. */
  static Kind kind(EventType type) {
    String name = type.event();
    if (name == null || !"Windows Kernel".equals(type.provider())) {
      return Kind.NONE;
    }
    return switch (name) {
      case ENTRY -> Kind.ENTRY;
      case EXIT -> Kind.RETURN;
      default -> Kind.NONE;
    };
  }

  /** Learns the services that a recording has, with their names as far as symbols tell them. */
  void learn(Events.Walk walk) {
    while (walk.next()) {
      switch (kind(walk.event().type())) {
        case ENTRY -> {
          long at = address(walk.event());
          if (!services.containsKey(at) && services.size() < MOST_SERVICES) {
            services.put(at, names(walk.place(walk.event().processId(), at), at));
          }
        }
        case RETURN -> hasExits = true;
        case NONE -> {
          // Another event.
        }
      }
    }
  }

  /** Returns the names of a service: its function, or else where it lies. */
  private static ProbeNames names(NamedFrame frame, long at) {
    String function = frame.function();
    String module = frame.module();
    // Services are entered at their first byte: a name of that place, exported or public, is
    // theirs.
    if (function != null && frame.offset() == 0) {
      return named("", function);
    }
    return module == null || frame.rva() == NamedFrame.UNKNOWN
        ? named("", "0x" + Long.toHexString(at))
        : named(module.replaceFirst("\\.[^.]*$", ""), "0x" + Long.toHexString(frame.rva()));
  }

  private static ProbeNames named(String module, String function) {
    return new ProbeNames(List.of("syscall"), List.of(module), List.of(function), List.of(""));
  }

  /** Returns the names of the services, each once, in the order of the recording. */
  List<ProbeNames> services() {
    List<ProbeNames> all = new ArrayList<>(services.values().stream().distinct().toList());
    if (hasExits) {
      all.add(unknown());
    }
    return all;
  }

  /** Returns the names of services that are not known. */
  static ProbeNames unknown() {
    return named("", UNKNOWN);
  }

  /** Returns the names of the service at an address. */
  ProbeNames service(long at) {
    return services.getOrDefault(at, unknown());
  }

  /** Returns the address that an event of an entry has; 0 if it has none. */
  long address(EventReader event) {
    try {
      return ProbeFields.number(event, address);
    } catch (Fault damaged) {
      return 0;
    }
  }

  /** Forgets the entries of all threads where events were lost. */
  void pass(EventReader event) {
    RecordCursor record = event.record();
    if (record.buffer() != buffer || record.file() != file) {
      buffer = record.buffer();
      file = record.file();
      // Buffers of several processors take turns: what was lost is before the first record.
      if (record.file().buffers().lossBefore(buffer)
          && lossesPassed.add(new LossBefore(record.file(), buffer))) {
        open.clear();
      }
    }
    if (isLossy) {
      Stretch last = stretches.get(record.cpu());
      int thread = event.threadId();
      if (last == null
          || last.file() != file
          || last.buffer() != buffer
          || last.thread() != thread) {
        stretches.put(record.cpu(), new Stretch(record.file(), buffer, thread, ++stretch));
      }
    }
    String name = event.type().event();
    if ("Thread/Start".equals(name) || "Thread/End".equals(name)) {
      open.remove(event.threadId());
    }
  }

  private long stretch(EventReader event) {
    Stretch its = stretches.get(event.record().cpu());
    return its == null ? 0 : its.number();
  }

  private static boolean isKnown(int thread) {
    // Each processor has a thread 0 of its own.
    return thread != RecordCursor.NO_ID && thread != 0;
  }

  private boolean isNamed(Entered entry) {
    return !service(entry.address()).functions().getFirst().startsWith("0x");
  }

  private Returning returning(Entered entry) {
    return switch (service(entry.address()).functions().getFirst()) {
      case "NtContinue", "NtContinueEx", "NtRaiseException" -> Returning.IF_IT_FAILS;
      case "NtCallbackReturn" -> Returning.INTO_ANOTHER;
      default -> Returning.ALWAYS;
    };
  }

  /** Notes the entry of the thread of an event. */
  void enter(EventReader event, long at) {
    if (!isKnown(event.threadId())) {
      return;
    }
    if (open.size() >= MOST_THREADS) {
      open.clear();
    }
    Deque<Entered> of = open.computeIfAbsent(event.threadId(), _ -> new ArrayDeque<>());
    // One that did not come back: the thread calls from elsewhere.
    if (!of.isEmpty() && returning(of.getLast()) != Returning.ALWAYS) {
      of.removeLast();
    }
    if (of.size() == MOST_DEPTH) {
      of.removeFirst();
    }
    of.addLast(new Entered(at, event.nanos(), stretch(event)));
  }

  /** Returns the entry that an event of an exit belongs to; null if it is not known. */
  @Nullable Entered leave(EventReader event) {
    Deque<Entered> of = isKnown(event.threadId()) ? open.get(event.threadId()) : null;
    Entered last = of == null ? null : of.pollLast();
    if (of == null || last == null) {
      return null;
    }
    if (returning(last) == Returning.INTO_ANOTHER) {
      last = of.pollLast();
    }
    boolean isSure =
        last != null
            && (!isLossy || last.stretch() == stretch(event))
            // Without a name it may be one that goes on in the service that is open beside it.
            && (isNamed(last) || of.isEmpty());
    if (!isSure) {
      of.clear();
      return null;
    }
    return last;
  }
}
