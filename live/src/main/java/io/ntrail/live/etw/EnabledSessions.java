package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import java.util.HashSet;
import java.util.Set;

/**
 * Answer of EnumerateTraceGuidsEx about a provider: the sessions that it is enabled in.
 *
 * <p>Source: TRACE_GUID_INFO, TRACE_PROVIDER_INSTANCE_INFO and TRACE_ENABLE_INFO of evntrace.h.
 */
final class EnabledSessions {
  private static final int HEAD = 8;
  private static final int INSTANCE = 16;
  private static final int ENABLE = 32;

  private EnabledSessions() {}

  /**
   * Returns the low 16 bits of the handles of those sessions.
   *
   * @throws io.ntrail.formats.bytes.DamagedInput if it is not what Windows answers
   */
  static Set<Integer> of(Bytes answer) {
    Set<Integer> sessions = new HashSet<>();
    long instances = answer.u32(0);
    int at = HEAD;
    for (long i = 0; i < instances; i++) {
      int next = (int) answer.u32(at);
      long enabled = answer.u32(at + 4);
      for (long j = 0; j < enabled; j++) {
        int one = Math.toIntExact(at + INSTANCE + j * ENABLE);
        if (answer.u32(one) != 0) {
          sessions.add(answer.u16(one + 6));
        }
      }
      if (next <= 0) {
        break;
      }
      at = Math.addExact(at, next);
    }
    return sessions;
  }
}
