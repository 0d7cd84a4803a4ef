package io.ntrail.live.ipt;

import io.ntrail.formats.bytes.Bytes;

/**
 * Range of addresses of a thread, and what the processor does with it (IA32_RTIT_ADDRn).
 *
 * @param use 0: nothing; {@link #ONLY}; {@link #STOP}
 * @param first address of the first byte
 * @param last address of the last byte
 */
public record AddressRange(int use, long first, long last) {
  /** Only code in it is traced. */
  public static final int ONLY = 1;

  /** The trace stops when code in it is executed. */
  public static final int STOP = 2;

  /** Ranges that a processor has at most; how many one has tells CPUID 14H. */
  public static final int MOST = 4;

  /** Reads the answer to a question about a range. */
  static AddressRange read(Bytes answer) {
    return new AddressRange((int) answer.u32(0), answer.i64(8), answer.i64(16));
  }
}
