package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetProcess;

/**
 * System calls of a target by which it copies memory that arguments point to.
 *
 * @param query address of NtQueryVirtualMemory, which says what memory can be copied; 0 = nothing
 *     is copied
 * @param read address of NtReadVirtualMemory, by which 32-bit code copies it; else 0
 */
record CopyCalls(long query, long read) {
  private static final CopyCalls NONE = new CopyCalls(0, 0);
  private static final int QUERY_PARAMETERS = 6;
  private static final int READ_PARAMETERS = 5;

  /**
   * Finds them.
   *
   * @param isCopied whether memory is copied at all
   * @throws CannotGoOn if more than the system call would run there, with whatever locks the
   *     program holds at a call
   */
  static CopyCalls of(TargetProcess target, boolean isCopied) {
    if (!isCopied) {
      return NONE;
    }
    long query = find(target, "ntdll!NtQueryVirtualMemory", QUERY_PARAMETERS);
    return new CopyCalls(
        query, target.is32Bit() ? find(target, "ntdll!NtReadVirtualMemory", READ_PARAMETERS) : 0);
  }

  private static long find(TargetProcess target, String name, int parameters) {
    long address = target.calls().address(name);
    Bytes code = target.memory().read(address, PlainSystemCall.BYTES);
    boolean isPlain =
        target.is32Bit()
            ? PlainSystemCall32.is(
                code,
                Integer.BYTES * parameters,
                target
                    .memory()
                    .read(target.calls().address("ntdll!NtClose"), PlainSystemCall.BYTES))
            : PlainSystemCall.is(code);
    if (!isPlain) {
      throw new CannotGoOn(
          name
              + " is changed in this program, so that memory that arguments point to cannot be"
              + " copied safely",
          "leave copyin() and copyinstr() out, or end what hooks the program");
    }
    return address;
  }
}
