package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Messages with values in them. */
class MessageTextTest {
  private static final ValueMap STATES = new ValueMap("States", false, Map.of(1L, "on"));

  private static String fill(
      SchemaSource source, String message, List<Field> fields, byte[] bytes) {
    Schema schema = new Schema(source, null, null, message, fields);
    Payload payload = new Payload();
    payload.read(schema, Bytes.copyOf(bytes, "test"), 0, bytes.length, 8);
    MessageText text = Objects.requireNonNull(MessageText.of(schema));
    return source == SchemaSource.TMF
        ? text.fill(payload, name -> "<" + name + ">")
        : text.fill(payload);
  }

  private static String fill(String message, InType in, long value) {
    byte[] bytes = new LittleEndian().u64(value).toByteArray();
    return fill(SchemaSource.MANIFEST, message, List.of(Field.of("a", in)), bytes);
  }

  @Test
  void insertsAreFieldsByTheirNumber() {
    assertEquals(
        "2 of 1, 1%3",
        fill(
            SchemaSource.MANIFEST,
            "%2 of %1, %1%3",
            List.of(Field.of("a", InType.UINT8), Field.of("b", InType.UINT8)),
            new byte[] {1, 2}));
  }

  @Test
  void hiddenFieldsCountAndShortPayloadsLeaveTheInsertAsItIsWritten() {
    List<Field> fields =
        List.of(
            Field.of("a", InType.UINT8),
            Field.of("b", InType.UINT8).out(OutType.NO_PRINT),
            Field.of("c", InType.UINT8),
            Field.of("d", InType.UINT8));
    assertEquals(
        "3 %2 %4!x!", fill(SchemaSource.MANIFEST, "%3 %2 %4!x!", fields, new byte[] {1, 2, 3}));
  }

  @Test
  void escapesAreWhatFormatMessageMakesOfThem() {
    assertEquals("100% a\n\tb! 5", fill("100%% a%n%tb%! %1%0 gone", InType.UINT8, 5));
    assertEquals("%", fill("%", InType.UINT8, 5));
    assertEquals("50% x", fill("50% x", InType.UINT8, 5));
  }

  @Test
  void mapsArraysAndStructuresAreText() {
    Field state = Field.of("s", InType.UINT8).map(STATES);
    assertEquals(
        "on, 2 {x=1, y=on}",
        fill(
            SchemaSource.MANIFEST,
            "%1 %2",
            List.of(
                state.named("list").count(LengthSpec.fixed(2)),
                Field.struct("t", List.of(Field.of("x", InType.UINT8), state.named("y")))),
            new byte[] {1, 2, 1, 1}));
  }

  @Test
  void formatsAreThoseOfPrintf() {
    assertEquals("-1", fill("%1!d!", InType.UINT32, -1));
    assertEquals("4294967295", fill("%1!u!", InType.INT32, -1));
    assertEquals("ff", fill("%1!x!", InType.INT8, -1));
    assertEquals("000000FF", fill("%1!08X!", InType.UINT32, 255));
    assertEquals("0xff", fill("%1!#x!", InType.UINT32, 255));
    assertEquals("00000000000000FF", fill("%1!p!", InType.POINTER, 255));
    assertEquals("255", fill("%1!I64d!", InType.UINT64, 255));
    assertEquals("255", fill("%1!llu!", InType.UINT64, 255));
    assertEquals("   5", fill("%1!4d!", InType.UINT8, 5));
    assertEquals("5   |", fill("%1!-4d!|", InType.UINT8, 5));
    assertEquals("+005", fill("%1!+04d!", InType.UINT8, 5));
    assertEquals("005", fill("%1!.3d!", InType.UINT8, 5));
    assertEquals("A", fill("%1!c!", InType.UINT8, 'A'));
    assertEquals("10", fill("%1!o!", InType.UINT8, 8));
    assertEquals("5", fill("%1!s!", InType.UINT8, 5));
    assertEquals("5", fill("%1!ws!", InType.UINT8, 5));
    assertEquals("-9223372036854775808", fill("%1!d!", InType.INT64, Long.MIN_VALUE));
    assertEquals("1.500000", fill("%1!f!", InType.DOUBLE, Double.doubleToLongBits(1.5)));
    assertEquals("-1.5", fill("%1!.1f!", InType.DOUBLE, Double.doubleToLongBits(-1.5)));
    assertEquals("1.5e+10", fill("%1!.2g!", InType.DOUBLE, Double.doubleToLongBits(1.5e10)));
    assertEquals("0.5", fill("%1!g!", InType.DOUBLE, Double.doubleToLongBits(0.5)));
    assertEquals("NaN", fill("%1!f!", InType.DOUBLE, Double.doubleToLongBits(Double.NaN)));
    assertEquals("5!what!", fill("%1!what!", InType.UINT8, 5));
    assertEquals("5!", fill("%1!", InType.UINT8, 5));
  }

  @Test
  void textIsNotANumberInAnyFormat() {
    List<Field> fields = List.of(Field.of("a", InType.ANSI_STRING));
    byte[] bytes = {'a', 'b', 'c', 0};
    assertEquals("abc", fill(SchemaSource.MANIFEST, "%1!d!", fields, bytes));
    assertEquals("ab", fill(SchemaSource.MANIFEST, "%1!.2s!", fields, bytes));
    assertEquals("  abc", fill(SchemaSource.MANIFEST, "%1!5S!", fields, bytes));
  }

  @Test
  void argumentsOfSoftwareTracingBeginAtTen() {
    assertEquals(
        "<FUNC>: <1> <9> 7 0x8 %12 <LEVEL>",
        fill(
            SchemaSource.TMF,
            "%0%!FUNC!: %1 %9 %10!d! 0x%11!x! %12 %!LEVEL!",
            List.of(Field.of("a", InType.UINT8), Field.of("b", InType.UINT8)),
            new byte[] {7, 8}));
  }

  @Test
  void schemaWithoutAMessageHasNone() {
    assertNull(MessageText.of(new Schema(SchemaSource.TMF, null, null, null, List.of())));
  }

  @Test
  void lengthOfTheResultIsBounded() {
    byte[] bytes = new byte[60_000];
    java.util.Arrays.fill(bytes, (byte) 'x');
    ProcessorTime.within(
        Duration.ofSeconds(5),
        () ->
            assertTrue(
                fill(
                            SchemaSource.MANIFEST,
                            "%1".repeat(20_000),
                            List.of(Field.of("a", InType.ANSI_STRING)),
                            bytes)
                        .length()
                    < 200_000));
  }

  @Test
  void anyMessageIsFilled() {
    SplittableRandom random = new SplittableRandom(5);
    String letters = "%%%%!!0123456789nbtdxXspc-+#.lhI64e ";
    byte[] bytes = new LittleEndian().u64(-1).utf16z("text").toByteArray();
    List<Field> fields =
        List.of(Field.of("a", InType.DOUBLE), Field.of("b", InType.UNICODE_STRING));
    for (int run = 0; run < 20_000; run++) {
      StringBuilder message = new StringBuilder();
      for (int length = random.nextInt(30); length > 0; length--) {
        message.append(letters.charAt(random.nextInt(letters.length())));
      }
      fill(SchemaSource.MANIFEST, message.toString(), fields, bytes);
      fill(SchemaSource.TMF, message.toString(), fields, bytes);
    }
  }
}
