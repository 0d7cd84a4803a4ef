package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.DumpException;
import io.ntrail.formats.dump.Minidump;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The exception for which a dump was written, in words.
 *
 * @param raw as the dump has it
 * @param address of the instruction, zero-extended if the process is a 32-bit one
 * @param name symbol of its code: {@code STATUS_ACCESS_VIOLATION}; empty if it is not known
 * @param title what happened, in capitals: {@code ACCESS VIOLATION}
 * @param detail clause that follows it: {@code it read address 0x18 (null pointer + 0x18)}; empty
 *     if there is no more to say
 * @param access how memory was accessed, of access violations and page errors
 * @param memory address that was accessed, of access violations and page errors
 */
public record DumpedException(
    DumpException raw,
    long address,
    String name,
    String title,
    String detail,
    Optional<FaultAddress.Access> access,
    Optional<FaultAddress> memory) {
  static DumpedException of(
      Minidump dump, DumpException raw, DumpView view, @Nullable DumpedThread thread) {
    return new ExceptionReader(dump, raw, view, thread).read();
  }

  /** Returns the code as an NTSTATUS. */
  public int code() {
    return raw.code();
  }

  /** Returns the id of the thread. */
  public long thread() {
    return raw.thread();
  }

  /** Returns title and detail as one sentence without a full stop. */
  public String text() {
    return detail.isEmpty() ? title : title + ", " + detail;
  }
}
