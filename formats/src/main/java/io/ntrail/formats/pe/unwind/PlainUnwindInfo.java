package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;

/**
 * Check of unwind information without making its codes, for those of a whole table: version 1 or 2,
 * stored in one piece, continues no other one, and every code is known. {@link UnwindInfoReader}
 * reads all, and tells what is wrong with it.
 */
final class PlainUnwindInfo {
  /** It is not plain: only a reader can tell. */
  static final int OTHER = -1;

  private static final int HEADER = 4;
  private static final int MOST = HEADER + 2 * 256 + 4;

  private PlainUnwindInfo() {}

  /** Returns 1 if it names a language handler, 0 if it does not, {@link #OTHER} if not plain. */
  static int handlers(ImageView view, long rva) {
    if (view.stored(rva) < HEADER) {
      return OTHER;
    }
    Bytes info = view.window(rva, MOST);
    int first = info.u8(0);
    int version = first & 7;
    int flags = first >> 3;
    int count = info.u8(2);
    boolean isRead = version == 1 || version == 2;
    if (!isRead
        || (flags & UnwindInfo.CHAININFO) != 0
        || info.length() < HEADER + 2 * count
        || !areKnown(info, version, count)) {
      return OTHER;
    }
    if ((flags & (UnwindInfo.EHANDLER | UnwindInfo.UHANDLER)) == 0) {
      return 0;
    }
    int tail = HEADER + 2 * (count + 1 & ~1);
    return info.length() < tail + 4 ? OTHER : info.i32(tail) == 0 ? 0 : 1;
  }

  private static boolean areKnown(Bytes info, int version, int count) {
    int slot = 0;
    while (version == 2 && slot < count && operation(info, slot) == 6) {
      slot++;
    }
    if ((slot & 1) != 0) {
      return false;
    }
    while (slot < count) {
      UnwindOperation operation = UnwindOperation.ofSlot(version, operation(info, slot));
      if (operation == UnwindOperation.UNKNOWN || operation == UnwindOperation.UWOP_EPILOG) {
        return false;
      }
      slot += UnwindCode.slots(operation, info.u8(HEADER + 2 * slot + 1) >> 4);
    }
    return slot == count;
  }

  private static int operation(Bytes info, int slot) {
    return info.u8(HEADER + 2 * slot + 1) & 0xF;
  }
}
