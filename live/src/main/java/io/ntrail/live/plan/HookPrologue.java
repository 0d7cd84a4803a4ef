package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;

/**
 * {@code lea rsp, [rsp+0]} of eight bytes, with which GCC makes room for a patch at the beginning
 * of a function (attribute ms_hook_prologue). It looks as if it moved the stack and as if it looked
 * at the return address, and does nothing.
 */
final class HookPrologue {
  private static final long BYTES = 0x24A4_8D48L;
  private static final int SIZE = 8;

  private HookPrologue() {}

  /** Returns whether an instruction is one. */
  static boolean is(Bytes code, int at, int size) {
    return size == SIZE && code.i64(at) == BYTES;
  }
}
