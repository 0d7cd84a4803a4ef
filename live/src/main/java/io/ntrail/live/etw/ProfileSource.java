package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Source that samples can be taken by: the timer, or a counter of the processor.
 *
 * <p>Source of the layout: PROFILE_SOURCE_INFO of evntrace.h.
 *
 * @param name as Windows has it
 * @param number by which settings name it
 * @param least smallest interval, in events of the counter (timer: units of 100 ns)
 * @param most largest interval
 */
public record ProfileSource(String name, int number, long least, long most) {
  private static final int NAME = 24;

  /**
   * Reads the answer of TraceQueryInformation about all of them.
   *
   * @throws io.ntrail.formats.bytes.DamagedInput if it is not what Windows answers
   */
  static List<ProfileSource> read(Bytes answer) {
    List<ProfileSource> sources = new ArrayList<>();
    int at = 0;
    while (true) {
      int next = (int) answer.u32(at);
      int end = next > NAME ? Math.addExact(at, next) : answer.length();
      sources.add(
          new ProfileSource(
              answer.utf16z(at + NAME, Math.min(end, answer.length())),
              (int) answer.u32(at + 4),
              answer.u32(at + 8),
              answer.u32(at + 12)));
      if (next <= NAME) {
        return sources;
      }
      at = end;
    }
  }
}
