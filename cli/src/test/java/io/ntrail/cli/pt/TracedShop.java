package io.ntrail.cli.pt;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A recording of two programs with Processor Trace behind four calls of the system: of
 * kernel32.dll, which is at hand, of ntdll.dll, which is missing, and of a compiled method; one
 * piece has no PSB.
 */
final class TracedShop {
  static final long KERNEL32 = 0x7FFB_3B40_0000L;
  static final long NTDLL = 0x7FFB_3C2D_0000L;
  static final long RESUME = KERNEL32 + 0x39600;
  static final long MUL_DIV = KERNEL32 + 0x25000;

  /** Address of the compiled method. */
  static final long METHOD = 0x7FFA_1000_0000L;

  static final int PID = 4000;
  static final int TID = 4008;
  static final long USER_MTC = 0x0000_0311L;

  private TracedShop() {}

  /** Comes into the function and calls MulDiv, which jumps somewhere. */
  private static PtPackets stream(long target) {
    PtPackets packets = new PtPackets(false).psb().tsc(29_040_000).tma(0, 0).psbEnd().mode(64);
    return packets
        .ip(PtPackets.PGE, RESUME)
        .ip(PtPackets.TIP, MUL_DIV)
        .tsc(29_068_000)
        .ip(PtPackets.TIP, target);
  }

  /** Goes on there, with a branch. */
  private static byte[] branching(long target) {
    return stream(target).tnt(1, 1).toByteArray();
  }

  /** Returns to the function, and is interrupted behind an instruction. */
  static byte[] returning() {
    return stream(RESUME + 0xB).ip(PtPackets.FUP, RESUME + 0x10).noIp(PtPackets.PGD).toByteArray();
  }

  /** Puts kernel32.dll into a folder, and returns the recording. */
  static TraceRecording recording(Path folder) throws IOException {
    byte[] image = TestData.gunzip("pe/windows/kernel32.dll.gz");
    Files.write(folder.resolve("kernel32.dll"), image);
    int header = (int) LittleEndian.getU32(image, 0x3C);
    int stamp = (int) LittleEndian.getU32(image, header + 8);
    long size = LittleEndian.getU32(image, header + 24 + 56);
    TraceRecording recording =
        new TraceRecording()
            .process(PID, TID, "shop.exe")
            .process(5000, 5008, "other.exe")
            .found(PID, KERNEL32, size, stamp, TraceRecording.systemPath("kernel32.dll"))
            .found(PID, NTDLL, 0x1F_5000, 0x1234, TraceRecording.systemPath("ntdll.dll"))
            .method(5, PID, METHOD, 64, "Total")
            .onto(10, 1, TID, 0);
    byte[] none = new PtPackets(false).tnt(1, 2).toByteArray();
    recording
        .traced(1000, 1, PID, TID, USER_MTC, branching(NTDLL + 0x1230))
        .traced(2000, 1, PID, TID, USER_MTC, branching(METHOD + 8))
        .traced(3000, 2, 5000, 5008, USER_MTC, none)
        .traced(4000, 1, PID, TID, USER_MTC, returning());
    return recording;
  }
}
