package io.ntrail.live.etw;

import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Session of the heaps of programs that is to be started: the provider of heaps has no keywords,
 * but is started with a session of its own, whose extension says of which processes.
 *
 * <p>Source: ETWKernelControl.cs of PerfView, and what xperf has with {@code -heap -Pids} and
 * {@code -PidNewProcess}.
 *
 * @param name of the session
 * @param file path of the recording
 * @param buffers memory for events
 * @param mode bits of {@link SessionMode}
 * @param mebibytes size of the file at which it ends or begins anew; 0: none
 * @param processes that run, at most {@link FlagExtension#MOST_PROCESSES}
 * @param program name of a program's file: its processes that begin later; empty: none
 * @param stacks events of heaps that have stacks
 */
public record HeapRequest(
    String name,
    String file,
    Buffers buffers,
    int mode,
    int mebibytes,
    List<Integer> processes,
    String program,
    List<StackEvent> stacks) {
  /** Provider of heaps: 222962ab-6180-4b88-a825-346b75f2a24a. */
  private static final Guid HEAPS = Guid.parse("222962ab-6180-4b88-a825-346b75f2a24a");

  /** Key below which programs have flags that Windows looks at when they start. */
  private static final String IMAGES =
      "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
          + "\\Image File Execution Options\\";

  private static final String FLAGS = "TracingFlags";

  /** Heaps. */
  private static final int TRACED = 1;

  /** Keeps the lists from changes. */
  public HeapRequest {
    processes = List.copyOf(processes);
    stacks = List.copyOf(stacks);
  }

  /** Returns what the session is started with. */
  SessionProperties properties() {
    // Processes that begin later are not chosen by their ids: 0 alone stands for none of now.
    FlagExtension extension =
        new FlagExtension().processes(processes.isEmpty() ? List.of(0) : processes);
    return new SessionProperties(
        name,
        file,
        HEAPS,
        buffers,
        mode,
        mebibytes,
        0,
        0,
        Optional.of(stacks.isEmpty() ? extension : extension.stacks(stacks)),
        OptionalLong.empty());
  }

  /**
   * Has the heaps of a program traced whenever it starts.
   *
   * @return false if that is so already, by somebody else
   */
  static boolean trace(MachineRegistry registry, String program) {
    if (registry.find(IMAGES + program, FLAGS).isPresent()) {
      return false;
    }
    registry.key(IMAGES + program).number(FLAGS, TRACED);
    return true;
  }

  /** Returns the command that ends that by hand. */
  static String undo(String program) {
    return "reg delete \"%s%s\" /v %s /f".formatted(IMAGES, program, FLAGS);
  }

  /** Ends that. */
  static void forget(MachineRegistry registry, String program) {
    registry.key(IMAGES + program).deleteValue(FLAGS);
  }
}
