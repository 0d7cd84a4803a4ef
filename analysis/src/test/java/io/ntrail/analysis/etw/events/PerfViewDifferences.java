package io.ntrail.analysis.etw.events;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Differences from PerfView's output, by name and with the reason. */
final class PerfViewDifferences {
  private static final String TABLE =
      """
      # PerfView reads the layout of version 0, which has a short number behind the last port.
      UdpIp/Send dsize
      UdpIp/Recv dsize
      # PerfView reads the layout before version 3.
      SystemConfig/IRQ IRQNum
      # PerfView does not know that version 3 has it.
      SystemConfig/PnP PdoName
      # PerfView reads the upper half of the size, which is a pointer wide, as the process.
      ImageID ProcessID
      # PerfView reads ids at the place of another version's thread.
      DiskIO/FlushBuffers PID
      DiskIO/FlushBuffers TID
      DiskIO/FlushBuffers PName
      # Version 3 tells who issued the request; PerfView says who ran when it was passed on.
      DiskIO/WriteInit PID
      DiskIO/WriteInit TID
      DiskIO/WriteInit PName
      # The thread of the header is one of the process that the event is about; PerfView drops it.
      Process/Stop TID
      Image/Unload TID
      # The record is about a service's process; PerfView leaves the thread of the service manager.
      SystemConfig/Services TID
      # The record itself tells the name.
      Process/Defunct PName
      # PerfView names options as if they were attributes, where all bits have such a name.
      Create CreateOptions
      # The recording says how the path is written with a drive or a server; PerfView does not look.
      ProcessStart/Start ImageName
      # PerfView reads 8 of the 16 bits of milliseconds.
      PrimitiveTypesTest system_time_type
      """;

  private static final Map<String, String> REASONS = new LinkedHashMap<>();

  static {
    String reason = "";
    for (String line : TABLE.lines().toList()) {
      if (line.startsWith("# ")) {
        reason = line.substring(2);
      } else {
        REASONS.put(line, reason);
      }
    }
  }

  private PerfViewDifferences() {}

  /** Returns all differences, {@code Task/Opcode Field} with the reason. */
  static Map<String, String> all() {
    return REASONS;
  }

  /** Returns the key of a listed difference; null if it is not listed. */
  static @Nullable String key(String event, String field) {
    String key = event + " " + field;
    return REASONS.containsKey(key) ? key : null;
  }
}
