package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Property;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class NumbersTest {
  private static final Instant FILETIME_ZERO = Instant.parse("1601-01-01T00:00:00Z");
  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final long YEAR_10000 = 2_650_467_744_000_000_000L;

  @Test
  void counts() {
    assertEquals("0", Numbers.count(0));
    assertEquals("999", Numbers.count(999));
    assertEquals("1,000", Numbers.count(1000));
    assertEquals("-1,234,567", Numbers.count(-1_234_567));
    assertEquals("1 buffer", Numbers.counted(1, "buffer"));
    assertEquals("0 buffers", Numbers.counted(0, "buffer"));
    Property.check(g -> {
      long value = g.flag() ? g.scaled() : -g.scaled();
      assertEquals(String.format(Locale.ROOT, "%,d", value), Numbers.count(value));
    });
    assertEquals("-9,223,372,036,854,775,808", Numbers.count(Long.MIN_VALUE));
  }

  @Test
  void decimalsForProgramsEndWithTheirLastDigit() {
    assertEquals("0", Numbers.plainDecimal(0, 3));
    assertEquals("12", Numbers.plainDecimal(12_000, 3));
    assertEquals("0.05", Numbers.plainDecimal(50, 3));
    assertEquals("-0.5", Numbers.plainDecimal(-5, 1));
    assertEquals("1200", Numbers.plainDecimal(1200, 0));
    assertEquals("-9223372036854775.808", Numbers.plainDecimal(Long.MIN_VALUE, 3));
    Property.check(g -> {
      long units = g.flag() ? g.scaled() : -g.scaled();
      int decimals = g.below(20);
      BigDecimal exact = BigDecimal.valueOf(units, decimals).stripTrailingZeros();
      assertEquals(exact.toPlainString(), Numbers.plainDecimal(units, decimals));
    });
  }

  @Test
  void hexadecimalHasNoPaddingAndNoSign() {
    assertEquals("0x0", Numbers.hex(0));
    assertEquals("0x7ff6a1b21040", Numbers.hex(0x7FF6_A1B2_1040L));
    assertEquals("0xffffffffffffffff", Numbers.hex(-1));
    Property.check(g -> {
      long value = g.bits();
      assertEquals("0x" + Long.toHexString(value), Numbers.hex(value));
    });
  }

  @Test
  void bytesInHexadecimalAreThoseOfAWindow() {
    byte[] all = new byte[40];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (i * 37 + 200);
    }
    Bytes window = Bytes.copyOf(all, "bytes");
    for (int at = 0; at < all.length; at++) {
      for (int length = 0; length <= all.length - at; length++) {
        String expected = HexFormat.of().formatHex(all, at, at + length);
        assertEquals(expected, Numbers.hex(window, at, length));
      }
    }
  }

  @Test
  void bytes() {
    assertEquals("0 bytes", Numbers.bytes(0));
    assertEquals("1 byte", Numbers.bytes(1));
    assertEquals("1,023 bytes", Numbers.bytes(1023));
    assertEquals("1 KiB", Numbers.bytes(1024));
    assertEquals("1.5 KiB", Numbers.bytes(1536));
    assertEquals("64 KiB", Numbers.bytes(65536));
    assertEquals("1 MiB", Numbers.bytes(1024 * 1024 - 1));
    assertEquals("412.6 MiB", Numbers.bytes(432_642_458));
    assertEquals("16 GiB", Numbers.bytes(16L << 30));
    assertEquals("8,388,608 TiB", Numbers.bytes(Long.MAX_VALUE));
  }

  @Test
  void oneUnitAColumn() {
    assertEquals("bytes", Numbers.SizeUnit.of(10_239).title());
    assertEquals("KiB", Numbers.SizeUnit.of(10_240).title());
    assertEquals("MiB", Numbers.SizeUnit.of(10 << 20).title());
    assertEquals("GiB", Numbers.SizeUnit.of(10L << 30).title());
    assertEquals("9,999", Numbers.SizeUnit.of(10_000).text(9999));
    assertEquals("1.5", Numbers.SizeUnit.of(20_000).text(1536));
    assertEquals("0.1", Numbers.SizeUnit.of(20 << 20).text(100_000));
  }

  @Test
  void percent() {
    assertEquals("0.0", Numbers.percent(0, 0));
    assertEquals("100.0", Numbers.percent(7, 7));
    assertEquals("33.3", Numbers.percent(1, 3));
    assertEquals("66.7", Numbers.percent(2, 3));
    assertEquals("-0.4", Numbers.oneDecimal(-0.4));
    assertEquals("-1.5", Numbers.oneDecimal(-1.5));
    assertEquals("3,236.2", Numbers.oneDecimal(3236.18));
  }

  @Test
  void seconds() {
    assertEquals("12.004117", Numbers.seconds(12_004_117_000L));
    assertEquals("0.000000", Numbers.seconds(999));
    assertEquals("-0.000001", Numbers.seconds(-1));
    assertEquals("-0.000040", Numbers.seconds(-40_000));
    assertEquals("-1.000000", Numbers.seconds(-1_000_000_000L));
    Property.check(g -> {
      long nanos = g.flag() ? g.scaled() : -g.scaled();
      BigDecimal exact = BigDecimal.valueOf(nanos, 9).setScale(6, RoundingMode.FLOOR);
      assertEquals(exact.toPlainString(), Numbers.seconds(nanos));
    });
  }

  @Test
  void durations() {
    assertEquals("0 ns", Numbers.duration(0));
    assertEquals("999 ns", Numbers.duration(999));
    assertEquals("1.004 us", Numbers.duration(1004));
    assertEquals("247.557 ms", Numbers.duration(247_557_300));
    assertEquals("62.402 s", Numbers.duration(62_402_000_000L));
    assertEquals("-1.500 s", Numbers.duration(-1_500_000_000L));
    assertEquals("3,600.000 s", Numbers.duration(3_600_000_000_000L));
  }

  @Test
  void addresses() {
    assertEquals("0x0", Numbers.hex(0));
    assertEquals("0x7ff6a1b21040", Numbers.hex(0x7FF6_A1B2_1040L));
    assertEquals("0xffffffffffffffff", Numbers.hex(-1));
  }

  private static String byJavaTime(long fileTime) {
    return ISO.format(
        FILETIME_ZERO.plusSeconds(fileTime / 10_000_000).plusNanos(fileTime % 10_000_000 * 100));
  }

  @Test
  void utcOverTheWholeRange() {
    assertNull(Numbers.utc(0));
    assertNull(Numbers.utc(-1));
    assertNull(Numbers.utc(Long.MIN_VALUE));
    assertNull(Numbers.utc(YEAR_10000));
    assertNull(Numbers.utc(Long.MAX_VALUE));
    assertEquals("1601-01-01T00:00:00.0000001Z", Numbers.utc(1));
    assertEquals("9999-12-31T23:59:59.9999999Z", Numbers.utc(YEAR_10000 - 1));
    assertEquals("1970-01-01T00:00:00.0000000Z", Numbers.utc(116_444_736_000_000_000L));
    // Every day of the range, a time of the day that changes.
    long day = 864_000_000_000L;
    for (long at = 12_345_678_901L; at < YEAR_10000; at += day + 7_654_321) {
      assertEquals(byJavaTime(at), Numbers.utc(at));
    }
    Property.check(
        2000,
        g -> {
          long at = g.between(1, YEAR_10000 - 1);
          assertEquals(byJavaTime(at), Numbers.utc(at));
        });
  }

  @Test
  void ranges() {
    long at = 134_179_072_135_891_234L;
    assertEquals(
        byJavaTime(at).substring(0, 10) + " " + byJavaTime(at).substring(11, 23) + " UTC",
        Numbers.utcRange(at, at));
    assertEquals(
        "2020-01-02 03:04:05.678 .. 03:04:06.678 UTC",
        Numbers.utcRange(
            fileTime("2020-01-02T03:04:05.6789Z"), fileTime("2020-01-02T03:04:06.6789Z")));
    assertEquals(
        "2020-01-02 23:59:59.999 .. 2020-01-03 00:00:00.000 UTC",
        Numbers.utcRange(fileTime("2020-01-02T23:59:59.9999Z"), fileTime("2020-01-03T00:00:00Z")));
    assertNull(Numbers.utcRange(0, at));
  }

  private static long fileTime(String instant) {
    Instant at = Instant.parse(instant);
    return (at.getEpochSecond() - FILETIME_ZERO.getEpochSecond()) * 10_000_000 + at.getNano() / 100;
  }
}
