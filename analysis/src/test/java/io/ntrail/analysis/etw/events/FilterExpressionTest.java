package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.FilterExpression.Form;
import io.ntrail.analysis.etw.events.FilterExpression.Kind;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.Property;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions on fields, and the patterns in them. */
class FilterExpressionTest {
  private static FilterExpression.Value number(String text, long bits, Form form, double real) {
    return new FilterExpression.Value(Kind.NUMBER, "INT64", text, null, false, bits, form, real, 0);
  }

  private static FilterExpression.Value signed(long value) {
    return signed(value, Form.SIGNED64);
  }

  private static FilterExpression.Value signed(long value, Form form) {
    return number("" + value, value, form, (double) value);
  }

  private static FilterExpression.Value unsigned(long bits) {
    String text = Long.toUnsignedString(bits);
    return number(text, bits, Form.UNSIGNED, new BigInteger(text).doubleValue());
  }

  private static FilterExpression.Value real(double value) {
    return number(Double.toString(value), (long) value, Form.OTHER, value);
  }

  private static FilterExpression.Value text(String text) {
    return new FilterExpression.Value(
        Kind.TEXT, "UNICODE_STRING", text, null, false, 0, Form.OTHER, 0, 0);
  }

  private static FilterExpression.Value status(long bits, @Nullable String meaning) {
    return new FilterExpression.Value(
        Kind.NUMBER, "UINT32", "" + bits, meaning, true, bits, Form.UNSIGNED, bits, 0);
  }

  /** A time of 12.5 seconds, and as many ticks of 100 ns. */
  private static FilterExpression.Value time(Kind kind) {
    return kind == Kind.TIME
        ? new FilterExpression.Value(
            kind, "a time", "12.5", null, false, 12, Form.OTHER, 12.5, 12_500_000_000L)
        : new FilterExpression.Value(
            kind,
            "UINT64",
            "125000000",
            null,
            false,
            125_000_000,
            Form.UNSIGNED,
            125_000_000,
            12_500_000_000L);
  }

  private static final Map<String, FilterExpression.Value> VALUES =
      Map.ofEntries(
          Map.entry("size", signed(65536)),
          Map.entry("minus", signed(-5)),
          Map.entry("zero", signed(0)),
          Map.entry("byte", signed(-2, Form.SIGNED8)),
          Map.entry("short", signed(-2, Form.SIGNED16)),
          Map.entry("int", signed(-2, Form.SIGNED32)),
          Map.entry("exit", signed(0xC000_013A, Form.SIGNED_STATUS)),
          Map.entry("float", number("1.1", 1, Form.FLOAT, 1.1f)),
          Map.entry("least", number("1.4E-45", 0, Form.FLOAT, Float.MIN_VALUE)),
          Map.entry("endless", number("Infinity", 0, Form.FLOAT, Float.POSITIVE_INFINITY)),
          Map.entry("address", unsigned(0xFFFF_F800_0000_1000L)),
          Map.entry("most", unsigned(-1)),
          Map.entry("duration", real(1.5)),
          Map.entry("nan", real(Double.NaN)),
          Map.entry("minuszero", real(-0.0)),
          Map.entry("path", text("C:\\Shop\\Orders.db")),
          Map.entry("name", text("a b")),
          Map.entry("slash", text("a/b")),
          Map.entry("empty", text("")),
          Map.entry("status", status(0, "STATUS_SUCCESS")),
          Map.entry("odd", status(77, null)),
          Map.entry("when", time(Kind.TIME)),
          Map.entry("span", time(Kind.TICKS)),
          Map.entry(
              "flag",
              new FilterExpression.Value(
                  Kind.FLAG, "BOOLEAN", "true", null, false, 1, Form.UNSIGNED, 0, 0)));

  private static boolean holds(String condition) {
    return FilterExpression.parse(condition)
        .holds(name -> VALUES.get(name.toLowerCase(Locale.ROOT)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "size == 65536",
        "size = 65536",
        "SIZE==65536",
        "size == 0x10000",
        "size == 0X10000",
        "size == 64KiB",
        "size == '64 KiB'",
        "size == 64kib",
        "size == 65,536",
        "size < 1MiB",
        "size < 1GiB and size < 1TiB",
        "size >= 0.5KiB",
        "size == 65536.0",
        "size != 1",
        "size > 65535 && size < 65537",
        "size >= 65536 and size <= 65536",
        "size > -1",
        "minus < 0",
        "minus == -5",
        "minus > -6",
        "minus == 0xFFFFFFFFFFFFFFFB",
        "zero == -0",
        "address > 0xFFFFF80000000FFF",
        "address == 0xFFFFF80000001000",
        "address > 9223372036854775807",
        "address > -1",
        "most == 18446744073709551615",
        "most > 18446744073709551614",
        "duration > 1",
        "duration < 2",
        "duration == 1.5",
        "duration >= 1.5",
        "duration > -1.5",
        "nan != 1",
        "minuszero == 0",
        "minuszero == 0.0",
        "path == 'c:\\shop\\orders.DB'",
        "path =~ *.db",
        "path =~ '*ORDERS*'",
        "path =~ /orders\\.db$/",
        "path !~ *.exe",
        "path > B and path < D",
        "name == 'a b'",
        "name == \"a b\"",
        "slash == a/b",
        "slash =~ '/a.b/'",
        "empty == ''",
        "status == STATUS_SUCCESS",
        "status == 0",
        "status =~ STATUS_*",
        "status != STATUS_ACCESS_DENIED",
        "flag == true",
        "flag != false",
        "flag == 1",
        "flag != 0",
        "odd != STATUS_SUCCESS",
        "odd == 77",
        "when == 12.5",
        "when >= 12.5s",
        "when == 12500ms",
        "when == '12500 ms'",
        "when < 12500000.001us",
        "when > 12499999999ns",
        "when > -1s",
        "when < 99999999999999999999s",
        "span == 125000000",
        "span == 12.5s",
        "span > 12S and span < 13S",
        "path != 5s",
        "missing == 1 or size == 65536",
        "not (missing == 1 and size == 1)",
        "not size == 1",
        "!size == 1",
        "!(size == 1)",
        "not not size == 65536",
        "size == 1 or zero == 0",
        "size == 1 || zero == 0",
        // and binds closer than or, not closer than and.
        "zero == 0 or size == 1 and size == 2",
        "(zero == 0 or size == 1) and size == 65536",
        "not size == 1 and zero == 0",
        "not (size == 65536 and zero == 1)",
        "  size==65536\tand\nzero==0  ",
        "size == 65536 AND Zero == 0",
      })
  void holdsForTheseValues(String condition) {
    assertTrue(holds(condition));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "size == 65537",
        "size != 64KiB",
        "size < 64KiB",
        "size > 64KiB",
        "minus > 0",
        "minus == 5",
        "minus == 18446744073709551611",
        "address < 0",
        "most < 0",
        "most == -1",
        "duration == 1",
        "nan > 1",
        "nan <= 1",
        "nan == 1",
        "path =~ orders",
        "path !~ /shop/",
        "path < A",
        "status == STATUS_ACCESS_DENIED",
        "missing == 1",
        "missing != 1",
        "missing < 1 or missing >= 1",
        "missing =~ *",
        "missing !~ *",
        "not missing == 1",
        "not (missing == 1)",
        "!(missing == 1 or size == 1)",
        "missing != 1 and size == 65536",
        "odd == STATUS_SUCCESS",
        "when > 12.5s",
        "span < 12s",
        "(zero == 1 or size == 65536) and size == 1",
        "not zero == 0 and size == 65536",
        "not (zero == 0 or size == 1)",
      })
  void doesNotHoldForTheseValues(String condition) {
    assertFalse(holds(condition));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "byte == 0xfe",
        "short == 0xfffe",
        "int == 0xfffffffe",
        "minus == 0xfffffffffffffffb",
        "byte > 0xfd and byte < 0xff and byte >= 0xFE and byte <= 0xFE",
        "exit == 0xc000013a",
        "not exit != 0xc000013a",
        "exit != 0xc000013b",
        "exit >= 0xc0000000",
        "exit < 0x100000000",
        "size > 0x5 and zero < 0x1",
        // A decimal number has the sign of the field.
        "int != 4294967294",
        "int < 0 and int == -2 and int > -0x3",
        // It need not for codes, which tools print without one.
        "exit == 3221225786",
        "not exit != 3221225786",
        "exit >= 3221225472 and exit < 3221225787",
        "exit == -1073741510",
        "exit < 0",
        // A number has the width of the field.
        "byte != 0xfffe",
        "int < 0xfffffffffffffffe",
        "duration < 0xfffffffffffffffe",
      })
  void negativeNumbersAreAlsoTheirBitsInHexadecimalAndCodesInDecimal(String condition) {
    assertTrue(holds(condition));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "float == 1.1",
        "not float != 1.1",
        "float >= 1.1 and float <= 1.1",
        "not float > 1.1 and not float < 1.1",
        "float > 1 and float != 1.2",
        "float < 1.2 and float > 1.0999",
        "float == 1.10000002384185791015625",
        // What 32 bits do not have, is not in them.
        "least > 1e-60 and least != 1e-60",
        "endless > 1e60 and endless != 1e60",
      })
  void fractionsOf32BitsAreWhatTheyAreShownAs(String condition) {
    assertTrue(holds(condition));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size < abc | size is INT64 and cannot be compared with abc",
        "size == abc | size is INT64 and cannot be compared with abc",
        "size != 5s | size is INT64 and cannot be compared with 5s",
        "size >= 5ms | size is INT64 and cannot be compared with 5ms",
        "status == 5s | status is UINT32 and cannot be compared with 5s",
        "status < STATUS_SUCCESS | status is UINT32 and cannot be compared with STATUS_SUCCESS",
        "path > 5 | path is UNICODE_STRING and cannot be compared with 5",
        "path < 5s | path is UNICODE_STRING and cannot be compared with 5s",
        "flag == yes | flag is BOOLEAN and cannot be compared with yes",
        "flag > true | flag is BOOLEAN and cannot be compared with true",
        "when == noon | when is a time and cannot be compared with noon",
        "when > 5KB | when is a time and cannot be compared with 5KB",
        "span < soon | span is UINT64 and cannot be compared with soon",
        "not size == abc | size is INT64 and cannot be compared with abc",
      })
  void comparisonsWithAnotherTypeAreRefused(String condition, String message) {
    CannotGoOn e = assertThrows(CannotGoOn.class, () -> holds(condition));
    assertEquals(CannotGoOn.Reason.NOT_COMPARABLE, e.reason());
    assertEquals("--where: " + message, e.message());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | 1 | the name of a field is missing",
        "size | 5 | a comparison",
        "size == | 8 | a value is missing",
        "== 5 | 1 | the name of a field is missing",
        "(size == 5 | 11 | a ) is missing",
        "size == 5) | 10 | unexpected text",
        "size == 5 zero == 3 | 11 | unexpected text",
        "size == 'a | 9 | the closing '",
        "size =~ /a | 9 | the closing /",
        "size =~ /(/ | 12 | not a regular expression",
        "size == 5 and | 14 | the name of a field is missing",
        "not | 4 | the name of a field is missing",
        "size ~ 5 | 6 | a comparison",
      })
  void invalidConditionsAreReportedWithTheirPosition(String condition, int place, String reason) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> FilterExpression.parse(condition));
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(reason), message);
    assertTrue(message.contains("at character " + place + " of"), message);
  }

  @Test
  void parenthesesAndNegationsMayBeDeepButNotWithoutEnd() {
    assertTrue(holds("(".repeat(60) + "zero == 0" + ")".repeat(60)));
    assertTrue(holds("not ".repeat(60) + "zero == 0"));
    for (String deep : List.of("(", "not ", "!", "!(", "not (")) {
      String endless = deep.repeat(100_000) + "zero == 0";
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> FilterExpression.parse(endless));
      assertTrue(String.valueOf(e.getMessage()).length() < 1000, "the message is short");
    }
  }

  @Test
  void conditionsMayBeLong() {
    String or = "size == 1 or ".repeat(10_000) + "zero == 0";
    assertTrue(ProcessorTime.within(Duration.ofSeconds(5), () -> holds(or)));
    String and = "size == 65536 and ".repeat(10_000) + "zero == 0";
    assertTrue(ProcessorTime.within(Duration.ofSeconds(5), () -> holds(and)));
  }

  @Test
  void theNamesInAConditionAreKnown() {
    assertEquals(
        List.of("a.b", "size"),
        FilterExpression.parse("size > 1 and (a.b == 2 or size < 9)").names());
    assertEquals("size > 1", FilterExpression.parse("size > 1").toString());
  }

  @Test
  void integersCompareExactlyWhateverTheirSign() {
    Property.check(g -> {
      boolean valueSigned = g.flag();
      long bits = g.oneOf(g.scaled(), -g.scaled(), g.bits(), Long.MIN_VALUE, Long.MAX_VALUE);
      BigInteger value =
          valueSigned ? BigInteger.valueOf(bits) : new BigInteger(Long.toUnsignedString(bits));
      BigInteger literal = BigInteger.valueOf(g.scaled() >>> 1);
      literal = g.flag() ? literal.negate() : g.flag() ? value.max(BigInteger.ZERO) : literal;
      FilterExpression.Value made = valueSigned ? signed(bits) : unsigned(bits);
      int order = value.compareTo(literal);
      boolean[] expected = {order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0};
      String[] operators = {"==", "!=", "<", "<=", ">", ">="};
      for (int i = 0; i < operators.length; i++) {
        String condition = "x " + operators[i] + " " + literal;
        assertEquals(
            expected[i],
            FilterExpression.parse(condition).holds(name -> made),
            value + " " + condition);
      }
    });
  }

  @Test
  void everyTextEitherIsAConditionOrIsRefused() {
    Property.check(
        1000,
        g -> {
          StringBuilder text = new StringBuilder();
          for (int i = g.length(30); i > 0; i--) {
            text.append(
                g.oneOf(
                    "size", " ", "==", "(", ")", "not ", "and ", "or ", "'", "/", "0x", "5", "-",
                    "!", "~", "<", ">", "KiB", "*", ".", "&&", "||", "\u20AC"));
          }
          try {
            holds(text.toString());
          } catch (IllegalArgumentException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("at character"), e::toString);
          } catch (CannotGoOn e) {
            assertEquals(CannotGoOn.Reason.NOT_COMPARABLE, e.reason());
          }
        });
  }

  @Test
  void globsMeanTheWholeNameInAnyCase() {
    assertTrue(NamePattern.of("FileIo/Read").matches("fileio/read"));
    assertFalse(NamePattern.of("FileIo").matches("FileIo/Read"));
    assertTrue(NamePattern.of("file*").matches("FileIo/Read"));
    assertTrue(NamePattern.of("*Read").matches("FileIo/Read"));
    assertTrue(NamePattern.of("F?leIo/*").matches("FileIo/Read"));
    assertFalse(NamePattern.of("F??leIo/*").matches("FileIo/Read"));
    assertTrue(NamePattern.of("*").matches(""));
    assertFalse(NamePattern.of("?").matches(""));
    assertTrue(NamePattern.of("").matches(""));
    assertTrue(NamePattern.of("**a**").matches("bab"));
    assertTrue(NamePattern.of("a*b*c").matches("a-b-b-c"));
    assertFalse(NamePattern.of("*").matches(null));
    assertTrue(NamePattern.of("plain").isPlain());
    assertFalse(NamePattern.of("pl*in").isPlain());
    assertFalse(NamePattern.of("/plain/").isPlain());
  }

  @Test
  void expressionsMeanAnyPartOfANameInAnyCase() {
    assertTrue(NamePattern.of("/io.r/").matches("FileIo/Read"));
    assertFalse(NamePattern.of("/^io/").matches("FileIo/Read"));
    assertTrue(NamePattern.of("//").matches("anything"));
    assertTrue(NamePattern.of("/").matches("/"), "a single slash is no expression");
    assertTrue(NamePattern.of("/stra\u00DFe|\u00C4/").matches("\u00E4"));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> NamePattern.of("/[a/"));
    assertTrue(String.valueOf(e.getMessage()).contains("/[a/"), e::toString);
  }

  @Test
  void globsAgreeWithExpressions() {
    Property.check(
        1000,
        g -> {
          StringBuilder glob = new StringBuilder();
          StringBuilder expression = new StringBuilder();
          for (int i = g.below(8); i > 0; i--) {
            String piece = g.oneOf("a", "b", "*", "?");
            glob.append(piece);
            expression.append(piece.equals("*") ? ".*" : piece.equals("?") ? "." : piece);
          }
          StringBuilder name = new StringBuilder();
          for (int i = g.below(10); i > 0; i--) {
            name.append(g.oneOf("a", "b"));
          }
          assertEquals(
              name.toString().matches(expression.toString()),
              NamePattern.of(glob.toString()).matches(name.toString()),
              glob + " " + name);
        });
  }

  @Test
  void globsThatAreMeantToTakeForeverDoNot() {
    String name = "a".repeat(20_000);
    ProcessorTime.within(
        Duration.ofSeconds(5),
        () -> assertFalse(NamePattern.of("*a".repeat(200) + "*b").matches(name)));
  }

  @Test
  void expressionsThatAreMeantToTakeForeverDoNot() {
    NamePattern pattern = NamePattern.of("/^(a+)+$/");
    ProcessorTime.within(
        Duration.ofSeconds(5), () -> assertFalse(pattern.matches("a".repeat(40) + "b")));
  }
}
