package io.ntrail.programs.image;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges.Range;
import java.util.List;

/** Code of an image that is in no function that is known. */
public final class UnclaimedCode {
  /** Bytes that are looked at together. */
  private static final long WINDOW = 1 << 20;

  private final ImageView view;
  private final ArmCode arm;
  private final List<Range> sections;
  private int section;
  private long bytes;

  private UnclaimedCode(PeImage image, ArmCode arm) {
    this.view = image.view();
    this.arm = arm;
    this.sections = CodeRanges.ofSections(image).list();
  }

  /**
   * Returns the bytes of the executable sections of an image that are in no function, ARM code and
   * padding (CC, 90, 00) left out. There may be data among them.
   */
  public static long bytes(PeImage image, ImageFunctions functions, ArmCode arm) {
    UnclaimedCode code = new UnclaimedCode(image, arm);
    List<ImageFunction> list = functions.list();
    long reach = 0;
    int function = 0;
    int part = 0;
    // Functions and ranges of the function table ascend, each by themselves.
    while (function < list.size() || part < functions.partCount()) {
      boolean isFunction =
          part >= functions.partCount()
              || function < list.size() && functions.start(function) <= functions.partBegin(part);
      long begin = isFunction ? functions.start(function) : functions.partBegin(part);
      long end = isFunction ? list.get(function++).end() : functions.partEnd(part++);
      code.add(reach, begin);
      reach = Math.max(reach, end);
    }
    code.add(reach, Long.MAX_VALUE);
    return code.bytes;
  }

  /** Adds the bytes of a stretch; stretches ascend. */
  private void add(long begin, long end) {
    while (section < sections.size() && begin < end) {
      Range range = sections.get(section);
      long from = Math.max(begin, range.begin());
      long to = Math.min(end, range.end());
      if (from < to) {
        arm.others(from, to).forEach(this::count);
      }
      if (range.end() > end) {
        return;
      }
      section++;
    }
  }

  private void count(Range range) {
    long at = range.begin();
    while (at < range.end()) {
      long stored = Math.min(Math.min(view.stored(at), WINDOW), range.end() - at);
      if (stored > 0) {
        Bytes window = view.window(at, stored);
        for (int i = 0; i < stored; i++) {
          int value = window.u8(i);
          bytes += value == 0xCC || value == 0x90 || value == 0 ? 0 : 1;
        }
        at += stored;
      } else {
        // What is not stored is zeros, or not there.
        long skipped = Math.max(view.zeros(at), view.missing(at));
        at = skipped <= 0 || skipped > range.end() - at ? range.end() : at + skipped;
      }
    }
  }
}
