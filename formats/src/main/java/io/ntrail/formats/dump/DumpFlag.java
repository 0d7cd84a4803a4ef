package io.ntrail.formats.dump;

import java.util.ArrayList;
import java.util.List;

/** Bits of MINIDUMP_TYPE: what the writer was asked to save. */
public enum DumpFlag {
  DATA_SEGMENTS(0, "data segments"),
  FULL_MEMORY(1, "full memory"),
  HANDLE_DATA(2, "handles"),
  FILTER_MEMORY(3, "filtered memory"),
  SCAN_MEMORY(4, "scanned memory"),
  UNLOADED_MODULES(5, "unloaded modules"),
  INDIRECTLY_REFERENCED_MEMORY(6, "indirectly referenced memory"),
  FILTER_MODULE_PATHS(7, "filtered module paths"),
  PROCESS_THREAD_DATA(8, "process and thread data"),
  PRIVATE_READ_WRITE_MEMORY(9, "private read-write memory"),
  WITHOUT_OPTIONAL_DATA(10, "no optional data"),
  FULL_MEMORY_INFO(11, "memory information"),
  THREAD_INFO(12, "thread information"),
  CODE_SEGMENTS(13, "code segments"),
  WITHOUT_AUXILIARY_STATE(14, "no auxiliary state"),
  FULL_AUXILIARY_STATE(15, "full auxiliary state"),
  PRIVATE_WRITE_COPY_MEMORY(16, "private copy-on-write memory"),
  IGNORE_INACCESSIBLE_MEMORY(17, "inaccessible memory ignored"),
  TOKEN_INFORMATION(18, "tokens"),
  MODULE_HEADERS(19, "module headers"),
  FILTER_TRIAGE(20, "filtered for triage"),
  AVX_XSTATE_CONTEXT(21, "extended state"),
  IPT_TRACE(22, "Processor Trace"),
  SCAN_INACCESSIBLE_PARTIAL_PAGES(23, "inaccessible partial pages scanned");

  private final int bit;
  private final String words;

  DumpFlag(int bit, String words) {
    this.bit = bit;
    this.words = words;
  }

  /** Returns true if the bit is set. */
  public boolean isIn(long flags) {
    return (flags >>> bit & 1) != 0;
  }

  /** Returns the flags that are set, in the order of their bits. */
  public static List<DumpFlag> of(long flags) {
    List<DumpFlag> set = new ArrayList<>();
    for (DumpFlag flag : values()) {
      if (flag.isIn(flags)) {
        set.add(flag);
      }
    }
    return set;
  }

  /** Returns what it means, in words for people. */
  public String words() {
    return words;
  }
}
