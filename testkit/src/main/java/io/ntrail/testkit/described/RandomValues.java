package io.ntrail.testkit.described;

import io.ntrail.testkit.Property.Gen;
import java.time.LocalDateTime;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Every type of value that descriptions know, with a source of values.
 *
 * @param in the in type, the same number in both numberings
 * @param tdh the out type in TDH's numbering, -1 if there is none
 * @param traceLogging the out type in TraceLogging's numbering, -1 if there is none
 * @param maker makes a value with pointers of so many bytes
 */
record RandomValues(
    int in, int tdh, int traceLogging, BiFunction<Gen, Integer, EncodedValue> maker) {
  private static final long YEAR_9999 = 2_650_467_743_999_999_999L;

  /** Returns true if manifests have a name for the type. */
  boolean inManifests() {
    return tdh >= 0 && in <= 25;
  }

  EncodedValue make(Gen g, int pointer) {
    return maker.apply(g, pointer);
  }

  private static RandomValues of(
      int in, int tdh, int traceLogging, Function<Gen, EncodedValue> maker) {
    return new RandomValues(in, tdh, traceLogging, (g, pointer) -> maker.apply(g));
  }

  /** Letters of ASCII: what 8-bit text means beyond depends on the machine that wrote it. */
  static String ascii(Gen g, int max) {
    StringBuilder out = new StringBuilder();
    for (int i = g.length(max); i > 0; i--) {
      out.append((char) ('a' + g.below(26)));
    }
    return out.toString();
  }

  private static int number(Gen g) {
    return (int) g.scaled();
  }

  static EncodedValue address4(Gen g) {
    return EncodedValue.ipv4(g.below(256), g.below(256), g.below(256), g.below(256));
  }

  static EncodedValue address6(Gen g) {
    if (g.below(8) == 7) {
      return EncodedValue.mappedIpv6(g.below(256), g.below(256), g.below(256), g.below(256));
    }
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = g.oneOf(0, 0, 1, g.below(0x10000));
    }
    // Zeros and 0xFFFF in the sixth place would be a mapped IPv4 address.
    groups[0] = g.oneOf(0x2001, 0xFE80, 1);
    return EncodedValue.ipv6(groups);
  }

  private static EncodedValue sid(Gen g) {
    long[] parts = new long[g.below(6)];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = g.scaled() & 0xFFFF_FFFFL;
    }
    return EncodedValue.sid(g.oneOf(5, 1, 16), parts);
  }

  private static EncodedValue systemTime(Gen g) {
    return EncodedValue.systemTime(
        LocalDateTime.of(2000, 1, 1, 0, 0)
            .plusSeconds(g.below(1 << 30))
            .plusNanos(1_000_000L * g.below(1000)));
  }

  private static UUID guid(Gen g) {
    return new UUID(g.bits(), g.bits());
  }

  /** All types. */
  static final List<RandomValues> ALL =
      List.of(
          of(8, 0, 0, g -> EncodedValue.unsigned(4, number(g))),
          of(1, 1, 0, g -> EncodedValue.wide(g.text(20))),
          of(1, 34, 12, g -> EncodedValue.wide("{\"" + g.text(20) + "\":1}")),
          of(2, 1, 0, g -> EncodedValue.narrow(ascii(g, 20))),
          of(2, 35, 35, g -> EncodedValue.narrow(g.text(20))),
          of(2, 34, 12, g -> EncodedValue.narrow("[\"" + g.text(20) + "\"]")),
          of(3, 3, 0, g -> EncodedValue.signed(1, number(g))),
          of(4, 4, 0, g -> EncodedValue.unsigned(1, number(g))),
          of(4, 1, 2, g -> EncodedValue.narrowChar((char) ('A' + g.below(26)))),
          of(4, 13, 3, g -> EncodedValue.bool(1, g.flag())),
          of(4, 16, 4, g -> EncodedValue.hex(1, number(g))),
          of(5, 0, 0, g -> EncodedValue.signed(2, number(g))),
          of(6, 0, 0, g -> EncodedValue.unsigned(2, number(g))),
          of(6, 1, 2, g -> EncodedValue.wideChar((char) ('A' + g.below(26)))),
          of(6, 17, 4, g -> EncodedValue.hex(2, number(g))),
          of(6, 22, 7, g -> EncodedValue.port(g.below(0x10000))),
          of(7, 0, 0, g -> EncodedValue.signed(4, number(g))),
          of(7, 32, 15, g -> EncodedValue.hex(4, number(g))),
          of(7, -1, 18, g -> EncodedValue.unsigned(4, number(g))),
          of(8, -1, 17, g -> EncodedValue.signed(4, number(g))),
          of(8, 18, 4, g -> EncodedValue.hex(4, number(g))),
          of(8, 20, 5, g -> EncodedValue.unsigned(4, number(g))),
          of(8, 21, 6, g -> EncodedValue.unsigned(4, number(g))),
          of(8, 23, 8, RandomValues::address4),
          of(8, 30, 13, g -> EncodedValue.unsigned(4, number(g))),
          of(8, 31, 14, g -> EncodedValue.hex(4, number(g))),
          of(9, 0, 0, g -> EncodedValue.signed(8, g.scaled())),
          of(9, -1, 16, g -> EncodedValue.fileTime(g.between(0, YEAR_9999))),
          of(10, 0, 0, g -> EncodedValue.unsigned(8, g.scaled())),
          of(10, 19, 4, g -> EncodedValue.hex(8, g.scaled())),
          of(10, 37, 37, g -> EncodedValue.hex(8, g.bits())),
          of(11, 0, 0, g -> EncodedValue.f32(Float.intBitsToFloat((int) g.bits()))),
          of(12, 0, 0, g -> EncodedValue.f64(Double.longBitsToDouble(g.bits()))),
          of(13, 13, 0, g -> EncodedValue.bool(4, g.flag())),
          of(14, -1, 0, g -> EncodedValue.binary(g.bytes(20)).counted(2)),
          of(14, -1, 9, g -> address6(g).counted(2)),
          of(15, 14, 0, g -> EncodedValue.guid(guid(g))),
          new RandomValues(16, 0, 0, (g, pointer) -> EncodedValue.hex(pointer, g.scaled())),
          of(17, 2, 0, g -> EncodedValue.fileTime(g.between(0, YEAR_9999))),
          of(17, 38, 38, g -> EncodedValue.fileTime(g.between(0, YEAR_9999))),
          of(18, 2, 0, RandomValues::systemTime),
          of(18, 38, 38, RandomValues::systemTime),
          of(19, 1, 0, RandomValues::sid),
          of(20, 18, 0, g -> EncodedValue.hex(4, number(g))),
          of(20, 31, 14, g -> EncodedValue.hex(4, number(g))),
          of(21, 19, 0, g -> EncodedValue.hex(8, g.bits())),
          of(22, 1, 0, g -> EncodedValue.countedWide(g.text(20))),
          of(23, 1, 0, g -> EncodedValue.countedNarrow(ascii(g, 20))),
          of(23, 35, 35, g -> EncodedValue.countedNarrow(g.text(20))),
          of(25, 15, 0, g -> EncodedValue.binary(g.bytes(20)).counted(2)),
          of(25, 24, 9, g -> address6(g).counted(2)),
          of(25, 25, 10, g -> EncodedValue.socket(address4(g), g.below(0x10000)).counted(2)),
          of(25, 25, 10, g -> EncodedValue.socket(address6(g), g.below(0x10000)).counted(2)),
          of(300, 1, -1, g -> EncodedValue.countedWide(g.text(20))),
          of(301, 1, -1, g -> EncodedValue.countedNarrow(ascii(g, 20))),
          of(302, 1, -1, g -> EncodedValue.reverseCountedWide(g.text(20))),
          of(306, 1, -1, g -> EncodedValue.wideChar((char) ('A' + g.below(26)))),
          of(307, 1, -1, g -> EncodedValue.narrowChar((char) ('A' + g.below(26)))),
          new RandomValues(308, 0, -1, (g, pointer) -> EncodedValue.hex(pointer, g.scaled())),
          of(309, 15, -1, g -> EncodedValue.binary(g.bytes(20)).counted(4)),
          new RandomValues(310, 1, -1, (g, pointer) -> EncodedValue.wbemSid(pointer, sid(g))));
}
