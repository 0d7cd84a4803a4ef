package io.ntrail.cli.harness;

import java.util.HexFormat;

/** A small Processor Trace, typed by hand: header, branches, a target, a filler, the end. */
public final class SamplePt {
  private SamplePt() {}

  /** Returns its bytes. The clock is that of {@code --clock 3,2,308,37}. */
  public static byte[] make() {
    return bytes(
        "02820282028202820282028202820282" // PSB
            + "19dec0112b5f3a00" // TSC
            + "9901" // MODE.Exec, 64-bit
            + "7d4010b2a1f67f" // FUP 0x7ff6a1b21040
            + "0223" // PSBEND
            + "da" // TNT: T N T T N T
            + "6d109d21c0f87f" // TIP 0x7ff8c0219d10
            + "0000" // PAD, PAD
            + "19d6f6112b5f3a00" // TSC, 13,816 ticks later
            + "01"); // TIP.PGD
  }

  /** Returns a stream whose code is {@link #code}: JMP to 401002, NOP, the end before HLT. */
  public static byte[] loop() {
    return bytes(
        "02820282028202820282028202820282" // PSB
            + "9901" // MODE.Exec, 64-bit
            + "7d001040000000" // FUP 401000
            + "0223" // PSBEND
            + "2d0210" // TIP 401002
            + "3d0310" // FUP 401003
            + "01"); // TIP.PGD
  }

  /** Returns the code of {@link #loop} at 0x401000: JMP rax; NOP; HLT. */
  public static byte[] code() {
    return bytes("ffe090f4");
  }

  /** Returns bytes that are typed in hexadecimal. */
  public static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }
}
