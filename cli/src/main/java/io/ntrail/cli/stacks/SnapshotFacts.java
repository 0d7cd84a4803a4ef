package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.StackModule;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a process beside its stacks.
 *
 * @param name of the file or process, for messages and JSON
 * @param kind word for JSON: {@code minidump}, {@code live}
 * @param heading first line of the answer, without the state of the recording
 * @param osName {@code Windows 11 23H2 (10.0.22631)}; null if unknown
 * @param osVersion {@code 10.0.22631}; null if unknown
 * @param machine {@code x64}; null if unknown
 * @param side which side of a 32-bit process on 64-bit Windows (WOW64) the stacks are of; empty if
 *     a process has one side, or its program's own is always shown
 * @param pid -1 if unknown
 * @param process name of its program; null if unknown
 * @param fault why it stopped; empty if for no exception
 * @param unloaded modules that had been unloaded
 */
record SnapshotFacts(
    String name,
    String kind,
    String heading,
    @Nullable String osName,
    @Nullable String osVersion,
    @Nullable String machine,
    Optional<Side> side,
    long pid,
    @Nullable String process,
    Optional<Fault> fault,
    List<StackModule> unloaded) {
  /** Copies the list. */
  SnapshotFacts {
    unloaded = List.copyOf(unloaded);
  }

  /**
   * One side of a 32-bit process on 64-bit Windows.
   *
   * @param machine {@code x86}: that of the program; {@code x64}: that of the emulator
   * @param why reason for which it is not that of the program, as a sentence without a full stop;
   *     null if it is
   */
  record Side(String machine, @Nullable String why) {}

  /**
   * Exception for which a process stopped.
   *
   * @param tid of its thread
   * @param code as NTSTATUS
   * @param codeText symbol of the code; null if unknown
   * @param address of the instruction
   * @param text in words, without a full stop
   */
  record Fault(long tid, int code, @Nullable String codeText, long address, String text) {}
}
