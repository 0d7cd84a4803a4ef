package io.ntrail.formats.pt;

import java.util.ArrayList;
import java.util.List;

/**
 * The 64-bit word in which Windows has the settings of a Processor Trace: {@code IptOption} of ETW
 * events, {@code IPT_OPTIONS} of ipt.sys.
 *
 * <p>Source: the type {@code _IPT_OPTION} in the symbols of ipt.sys, and the header of winipt.
 *
 * @param word from bit 0: version (4 bits), timing (4), MTC frequency (4), CYC threshold (4), size
 *     of the buffer (4), match (3), inherit (1), code mode (4); the other 36 bits are reserved
 */
public record IptOptions(long word) {
  private static final int KNOWN_VERSION = 1;

  /** Bytes of the smallest buffer, a page. */
  private static final long PAGE = 4096;

  private static final int RESERVED_AT = 28;

  private static final List<String> MATCHES =
      List.of("any program", "programs by image file", "any package", "packages by name");

  private static final List<String> MODES =
      List.of("user code", "kernel code", "user and kernel code");

  /** Code modes from this one on are the same ones, set in the registry. */
  private static final int BY_REGISTRY = 3;

  /** Sizes of rings: powers of two, from a page on. */
  private static final int MOST_POWER = 15;

  /**
   * Returns the word for the code of user mode of a process.
   *
   * @param timing packets of time that are asked for
   * @param mtcFrequency RTIT_CTL[17:14]
   * @param cycThreshold RTIT_CTL[22:19]
   * @param ringBytes size of a thread's ring: 4 KiB times a power of two, at most 128 MiB
   * @throws IllegalArgumentException if there is no such setting
   */
  public static IptOptions ofProcess(
      TraceTiming timing, int mtcFrequency, int cycThreshold, long ringBytes) {
    int power = Long.numberOfTrailingZeros(ringBytes / PAGE);
    boolean isRing = power <= MOST_POWER && PAGE << power == ringBytes;
    if (!isRing || mtcFrequency >>> 4 != 0 || cycThreshold >>> 4 != 0) {
      throw new IllegalArgumentException("ring of " + ringBytes + " bytes, or a setting");
    }
    int time =
        switch (timing) {
          case NONE -> 0;
          case MTC -> 1;
          case CYC -> 2;
        };
    return new IptOptions(
        KNOWN_VERSION | time << 4 | mtcFrequency << 8 | cycThreshold << 12 | power << 16);
  }

  private int bits(int at, int width) {
    return (int) (word >>> at) & (1 << width) - 1;
  }

  /** Returns the version of the word; 1 is known. */
  public int version() {
    return bits(0, 4);
  }

  /** Returns which packets of time were asked for: 0 none, 1 MTC and TSC, 2 CYC as well. */
  public int timingSetting() {
    return bits(4, 4);
  }

  /** Returns the timing that was asked for; NONE for settings that are not known. */
  public TraceTiming timing() {
    return switch (timingSetting()) {
      case 1 -> TraceTiming.MTC;
      case 2 -> TraceTiming.CYC;
      default -> TraceTiming.NONE;
    };
  }

  /** Returns RTIT_CTL[17:14]: an MTC comes every 2 to the power of this ticks of the crystal. */
  public int mtcFrequency() {
    return bits(8, 4);
  }

  /** Returns RTIT_CTL[22:19]: the least number of cycles between two CYCs, as an exponent. */
  public int cycThreshold() {
    return bits(12, 4);
  }

  /** Returns the size of the ring in bytes: 4 KiB to 128 MiB. */
  public long bufferBytes() {
    return PAGE << bits(16, 4);
  }

  /** Returns the setting that tells which programs are traced: 0 to 3 are known. */
  public int match() {
    return bits(20, 3);
  }

  /** Returns whether children of a traced process are traced. */
  public boolean inherit() {
    return bits(23, 1) != 0;
  }

  /** Returns the setting that tells whose code is traced: 0 to 5 are known. */
  public int codeMode() {
    return bits(24, 4);
  }

  /** Returns whether code of user mode is traced. */
  public boolean hasUserCode() {
    return isKnownMode() && codeMode() % BY_REGISTRY != 1;
  }

  /** Returns whether code of the kernel is traced. */
  public boolean hasKernelCode() {
    return isKnownMode() && codeMode() % BY_REGISTRY != 0;
  }

  private boolean isKnownMode() {
    return codeMode() < 2 * BY_REGISTRY;
  }

  /** Returns the reserved bits, in their places; 0 if none is set. */
  public long reserved() {
    return word >>> RESERVED_AT << RESERVED_AT;
  }

  /** Returns what is not known about the word, in words; empty if all of it is. */
  public List<String> unknown() {
    List<String> unknown = new ArrayList<>();
    if (version() != KNOWN_VERSION) {
      unknown.add("version " + version() + " of the option word");
    }
    if (timingSetting() > 2) {
      unknown.add("timing setting " + timingSetting());
    }
    if (match() >= MATCHES.size()) {
      unknown.add("match setting " + match());
    }
    if (!isKnownMode()) {
      unknown.add("code mode " + codeMode());
    }
    if (reserved() != 0) {
      unknown.add("reserved bits 0x" + Long.toHexString(reserved()));
    }
    return unknown;
  }

  /** Returns the settings in words; what is not known comes last. */
  public String text() {
    List<String> parts = new ArrayList<>();
    if (isKnownMode()) {
      String from = codeMode() >= BY_REGISTRY ? " (by the registry)" : "";
      parts.add(MODES.get(codeMode() % BY_REGISTRY) + from);
    }
    if (match() < MATCHES.size()) {
      parts.add(MATCHES.get(match()) + (inherit() ? " and its children" : ""));
    }
    switch (timingSetting()) {
      case 0 -> parts.add("no timing");
      case 1 -> parts.add("MTC every " + (1 << mtcFrequency()) + " ticks");
      case 2 ->
          parts.add(
              "MTC every " + (1 << mtcFrequency()) + " ticks, CYC threshold " + cycThreshold());
      default -> {
        // Comes with what is not known.
      }
    }
    parts.add("ring of " + (bufferBytes() >> 10) + " KiB");
    unknown().forEach(what -> parts.add("unknown: " + what));
    return String.join(", ", parts);
  }
}
