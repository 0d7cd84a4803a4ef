package io.ntrail.formats.dump;

import java.util.List;

/**
 * The exception for which a dump was written (MINIDUMP_EXCEPTION_STREAM).
 *
 * @param thread id of its thread
 * @param code as an NTSTATUS; of other systems a signal or a code of their own
 * @param flags 1: it cannot be continued
 * @param record address of a nested record; 0 if there is none
 * @param address of the instruction
 * @param parameters at most 15; their meaning depends on the code
 * @param context registers at the exception
 */
public record DumpException(
    long thread,
    int code,
    int flags,
    long record,
    long address,
    List<Long> parameters,
    FileRange context) {
  /** Copies the list. */
  public DumpException {
    parameters = List.copyOf(parameters);
  }
}
