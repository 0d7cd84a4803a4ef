package io.ntrail.testkit.pe;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One UNWIND_INFO as a tool decoded it for one function. All places are RVAs.
 *
 * @param at where it lies
 * @param begin first byte of the function
 * @param end past its last byte
 * @param version 1 or 2
 * @param flags bits: 1 exception handler, 2 termination handler, 4 chained
 * @param prolog bytes of the prologue
 * @param slots the stated number of code slots
 * @param frameRegister 0 for none
 * @param frameOffset in bytes
 * @param codes in the order stored, without epilogue codes
 * @param epilogSize bytes of each epilogue of version 2, 0 without any
 * @param epilogs starts of the epilogues of version 2 relative to {@code begin}, in the order
 *     stored
 * @param handler of the function if it has one
 * @param chained the function whose unwind data go on
 */
public record ToolUnwind(
    long at,
    long begin,
    long end,
    int version,
    int flags,
    int prolog,
    int slots,
    int frameRegister,
    int frameOffset,
    List<ToolCode> codes,
    int epilogSize,
    List<Integer> epilogs,
    OptionalLong handler,
    Optional<ToolFunction> chained) {
  /** Keeps what it is given. */
  public ToolUnwind {
    codes = List.copyOf(codes);
    epilogs = List.copyOf(epilogs);
  }

  private static final List<String> REGISTERS =
      List.of("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi");

  /** The number of a general or XMM register from its name in any case. */
  static int register(String name) {
    String lower = name.toLowerCase(java.util.Locale.ROOT);
    if (lower.startsWith("xmm")) {
      return Integer.parseInt(lower.substring(3));
    }
    int known = REGISTERS.indexOf(lower);
    return known >= 0 ? known : Integer.parseInt(lower.substring(1));
  }
}
