package io.ntrail.live.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedUnload;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.List;

/**
 * Modules that a process has unloaded, as its ntdll remembers the last ones
 * (RTL_UNLOAD_EVENT_TRACE).
 */
final class UnloadedModules {
  private static final int LEAST = 92;
  private static final int MOST = 0x1000;
  private static final int NAME = 28;
  private static final int NAME_END = 92;

  private UnloadedModules() {}

  /**
   * Reads the list; empty where the system keeps none, and of programs of 32 bits, whose ntdll is
   * another one.
   */
  static List<DumpedUnload> of(TargetProcess process) {
    WindowsApi calls = process.calls();
    String routine = "ntdll!RtlGetUnloadEventTraceEx";
    if (process.is32Bit() || calls.find(routine) == 0) {
      return List.of();
    }
    long cells = calls.agent().scratch();
    calls.agent().poke(cells, new byte[24]);
    calls.call(routine, cells, cells + 8, cells + 16);
    // Addresses in ntdll, which lies at the same place in the process.
    Bytes places = calls.agent().peek(cells, 24);
    TargetMemory memory = process.memory();
    long size = value(memory, places.i64(0)) & 0xFFFF_FFFFL;
    long count = value(memory, places.i64(8)) & 0xFFFF_FFFFL;
    long list = value(memory, places.i64(16));
    List<DumpedUnload> unloaded = new ArrayList<>();
    if (list == 0 || size < LEAST || size > MOST || count > MOST) {
      return unloaded;
    }
    byte[] all = memory.readUpTo(list, (int) (size * count));
    Bytes bytes = Bytes.copyOf(all, "unloaded");
    for (int at = 0; at + size <= bytes.length(); at += (int) size) {
      if (bytes.i64(at) != 0) {
        unloaded.add(
            new DumpedUnload(
                bytes.i64(at),
                bytes.i64(at + 8),
                bytes.u32(at + 24),
                bytes.u32(at + 20),
                bytes.utf16z(at + NAME, at + NAME_END)));
      }
    }
    return unloaded;
  }

  private static long value(TargetMemory memory, long address) {
    byte[] bytes = address == 0 ? new byte[0] : memory.readUpTo(address, Long.BYTES);
    return bytes.length < Long.BYTES ? 0 : Bytes.copyOf(bytes, "unloaded").i64(0);
  }
}
