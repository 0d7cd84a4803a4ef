package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.engine.Options;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of aggregations, their order and their tables, worked out by hand. */
class ProbeAggregationsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "@ = count(), @ = count(); 2",
        "@ = sum(5), @ = sum(-7); -2",
        "@ = min(5), @ = min(-7); -7",
        "@ = max(5), @ = max(-7); 5",
        "@ = max(-5), @ = max(-7); -5",
        "@ = avg(5), @ = avg(8); 6",
        "@ = avg(-5), @ = avg(-8); -6",
        // Squares: 100 + 400 = 500, / 2 = 250; mean 15, squared 225; the root of 25.
        "@ = stddev(10), @ = stddev(20); 5",
        "@ = stddev(-10), @ = stddev(10); 10",
        "@ = stddev(7); 0",
        "@ = sum(9223372036854775807), @ = sum(1); -9223372036854775808",
        // Divided by 3 before it is divided by the number of values.
        "@ = avg(10), @ = avg(11), normalize(@, 3); 3",
        "@ = sum(10), normalize(@, 3); 3",
        "@ = sum(-10), normalize(@, 3); -3",
        "@ = sum(10), normalize(@, 3), denormalize(@); 10",
        // Squares: 36 + 144 = 180, / 3 / 3 / 2 = 10; mean 18 / 3 / 2 = 3, squared 9.
        "@ = stddev(6), @ = stddev(12), normalize(@, 3); 1",
        "@ = min(5), clear(@); 0",
        "@ = max(-5), clear(@); 0",
        "@ = avg(5), clear(@); 0"
      })
  void aFunctionSumsItsValuesUp(String actions, String value) {
    String statements = actions.replace(", @", "; @").replace(", norm", "; norm");
    statements = statements.replace(", denorm", "; denorm").replace(", clear", "; clear");
    assertEquals(value, ProbeScript.begin(statements + "; printa(\"%@d\", @)"));
  }

  @Test
  void squaresOfADeviationHaveMoreThan64Bits() {
    // Mean 3.2e9, squares 9e18 + 10.24e18 + 11.56e18.
    assertTrue(
        ProbeScript.begin("@ = stddev(3000000000); @ = stddev(3200000000); @ = stddev(3400000000)")
            .contains(" 163299316"));
  }

  @Test
  void aValueAfterClearIsTheFirstOne() {
    assertEquals(
        "7\n",
        ProbeScript.quiet(
            ProbeScript.lines(
                "BEGIN { @ = min(5); clear(@); } END { @ = min(7); printa(\"%@d\\n\", @); }",
                "BEGIN { exit(0); }")));
  }

  /** Returns the rows of the table of a distribution: label, bar, count. */
  private static List<String> rows(String actions) {
    List<String> rows = new ArrayList<>();
    for (String line : ProbeScript.begin(actions + "; printa(@)").split("\n", -1)) {
      if (line.contains("|")) {
        rows.add(line.strip().replaceAll(" *\\| *", "|").replaceAll(" +", " "));
      }
    }
    return rows;
  }

  private static final String ALL = "@".repeat(40);
  private static final String HALF = "@".repeat(20);

  @Test
  void aDistributionOfPowersOfTwoHasARowBesideThoseWithValues() {
    assertEquals(
        List.of("4|0", "8|" + HALF + " 1", "16|" + HALF + " 1", "32|0"),
        rows("@ = quantize(15); @ = quantize(16)"));
  }

  @Test
  void negativeValuesLieInRangesThatEndAtThem() {
    // -4 is the first value of its range, -3 lies in that of -2.
    assertEquals(
        List.of("-8|0", "-4|" + HALF + " 1", "-2|" + HALF + " 1", "-1|0"),
        rows("@ = quantize(-4); @ = quantize(-3)"));
  }

  @Test
  void theGreatestNumbersHaveRanges() {
    assertEquals(
        List.of("2305843009213693952|0", "4611686018427387904|" + ALL + " 1"),
        rows("@ = quantize(9223372036854775807)"));
    assertEquals(
        List.of("-4611686018427387904|" + ALL + " 1", "-2305843009213693952|0"),
        rows("@ = quantize(-9223372036854775807 - 1)"));
  }

  @Test
  void weightsAreAddedAndMayBeNegative() {
    String text = ProbeScript.begin("@ = quantize(1, 3); @ = quantize(4, -1); printa(@)");
    // Both signs: halves of 20; 3 of 4 are 15, 1 of 4 are 5.
    assertTrue(
        text.contains("1 " + " ".repeat(20) + "|" + "@".repeat(15) + " ".repeat(5) + " 3  "), text);
    assertTrue(
        text.contains("4 " + " ".repeat(15) + "@".repeat(5) + "|" + " ".repeat(20) + " -1 "), text);
  }

  @Test
  void onlyNegativeWeightsHaveBarsToTheLeft() {
    String text = ProbeScript.begin("@ = quantize(1, -2); printa(@)");
    assertTrue(text.contains("1 " + ALL + "| -2  "), text);
    assertTrue(text.contains("0 " + " ".repeat(40) + "| 0  "), text);
  }

  @Test
  void aLinearDistributionNamesWhatIsOutside() {
    assertEquals(
        List.of(
            "< 0|" + "@".repeat(10) + " 1",
            "0|" + "@".repeat(10) + " 1",
            "10|0",
            "20|" + "@".repeat(10) + " 1",
            ">= 30|" + "@".repeat(10) + " 1"),
        rows(
            "@ = lquantize(-1, 0, 30, 10); @ = lquantize(9, 0, 30, 10);"
                + "@ = lquantize(29, 0, 30, 10); @ = lquantize(30, 0, 30, 10)"));
  }

  @Test
  void aLinearDistributionCutsValuesTo32Bits() {
    assertEquals(List.of("0|0", "1|" + ALL + " 1", "2|0"), rows("@ = lquantize(4294967297, 0, 3)"));
  }

  @Test
  void aLogLinearDistributionHasRangesOfOneWidthInEachOrder() {
    // 10 to 100 in 10 ranges of width 10, then 100 to 1000 in ranges of width 100.
    assertEquals(
        List.of(
            "< 1|" + "@".repeat(8) + " 1",
            "1|0",
            "2|0",
            "3|" + "@".repeat(8) + " 1",
            "4|0",
            "5|0",
            "6|0",
            "7|0",
            "8|0",
            "9|0",
            "10|0",
            "20|0",
            "30|" + "@".repeat(8) + " 1",
            "40|0",
            "50|0",
            "60|0",
            "70|0",
            "80|0",
            "90|" + "@".repeat(8) + " 1",
            ">= 100|" + "@".repeat(8) + " 1"),
        rows(
            "@ = llquantize(0, 10, 0, 1, 10); @ = llquantize(3, 10, 0, 1, 10);"
                + "@ = llquantize(39, 10, 0, 1, 10); @ = llquantize(99, 10, 0, 1, 10);"
                + "@ = llquantize(100, 10, 0, 1, 10)"));
  }

  @Test
  void aDistributionWithoutWeightsShowsTheRangesAroundZero() {
    assertEquals(List.of("-1|0", "0|0", "1|0"), rows("@ = quantize(5, 0)"));
    assertEquals(List.of("< 0|0", "0|0", "1|0"), rows("@ = lquantize(5, 0, 9, 1, 0)"));
    assertEquals(List.of("< 1|0", "1|0"), rows("@ = llquantize(5, 10, 0, 1, 10, 0)"));
  }

  @Test
  void rowsAreInTheOrderOfTheirValuesThenOfTheirKeys() {
    assertEquals(
        "b 1\nc 1\na 2\n",
        ProbeScript.begin(
            "@[\"a\"] = sum(2); @[\"c\"] = sum(1); @[\"b\"] = sum(1); printa(\"%s %@d\\n\", @)"));
  }

  @Test
  void negativeValuesComeBeforePositiveOnes() {
    assertEquals(
        "-5\n-1\n0\n3\n",
        ProbeScript.begin(
            "@[1] = sum(3); @[2] = sum(-1); @[3] = sum(0); @[4] = sum(-5);"
                + "printa(\"%@d\\n\", @)"));
  }

  @Test
  void meansAreComparedExactly() {
    // 10.5 and 10.33: both print as 10.
    assertEquals(
        "b 10\na 10\n",
        ProbeScript.begin(
            "@[\"a\"] = avg(10); @[\"a\"] = avg(11);"
                + "@[\"b\"] = avg(10); @[\"b\"] = avg(10); @[\"b\"] = avg(11);"
                + "printa(\"%s %@d\\n\", @)"));
  }

  @Test
  void distributionsAreComparedByTheirSums() {
    String text =
        ProbeScript.begin(
            "@[\"large\"] = quantize(64); @[\"small\"] = quantize(8);"
                + "@[\"small\"] = quantize(8); printa(\"%s%@d\", @)");
    assertTrue(text.indexOf("small") < text.indexOf("large"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"aggsortkey; a1 b2 c1", "aggsortrev; b2 c1 a1", "aggsortkey=1; a1 b2 c1"})
  void optionsChangeTheOrder(String option, String rows) {
    assertEquals(
        rows + " ",
        ProbeScript.quiet(
            "#pragma D option %s\n".formatted(option)
                + "BEGIN { @[\"c\"] = sum(1); @[\"b\"] = sum(2); @[\"a\"] = sum(1);"
                + "printa(\"%s%@d \", @); exit(0); }"));
  }

  @Test
  void trunkKeepsTheLargestOrTheSmallest() {
    String fill = "@[1] = sum(1); @[2] = sum(2); @[3] = sum(3);";
    assertEquals("2 3 ", ProbeScript.begin(fill + "trunc(@, 2); printa(\"%@d \", @)"));
    assertEquals("1 2 ", ProbeScript.begin(fill + "trunc(@, -2); printa(\"%@d \", @)"));
    assertEquals("1 2 3 ", ProbeScript.begin(fill + "trunc(@, 9); printa(\"%@d \", @)"));
    assertEquals("", ProbeScript.begin(fill + "trunc(@); printa(\"%@d \", @)"));
    assertEquals("", ProbeScript.begin(fill + "trunc(@, 0); printa(\"%@d \", @)"));
  }

  @Test
  void aTableHasKeysByTheirSizeAndThenTheValue() {
    assertEquals(
        "\n 255 65535       -1               -1  text" + " ".repeat(46) + "                7\n",
        ProbeScript.begin("@[(char)-1, (short)-1, -1, -1LL, \"text\"] = sum(7); printa(@)"));
  }

  @Test
  void aTableOfSeveralHasAColumnForEach() {
    assertEquals(
        "\n        1                5                2\n        2                7                0\n",
        ProbeScript.begin(
            "@a[1] = sum(5); @a[2] = sum(7); @b[1] = count(); @b[1] = count(); printa(@a, @b)"));
  }

  @Test
  void theLeaderOfSeveralIsChosenByAnOption() {
    assertEquals(
        "2 1 ",
        ProbeScript.quiet(
            ProbeScript.lines(
                "#pragma D option aggsortpos=1",
                "BEGIN { @a[1] = sum(1); @b[1] = sum(9); @a[2] = sum(5); @b[2] = sum(3); printa(\"%d"
                    + " \", @a, @b); exit(0); }")));
  }

  @Test
  void whatWasNotPrintedIsPrintedAtTheEnd() {
    assertEquals(
        "7\n                3\n",
        ProbeScript.quiet("BEGIN { @a = sum(7); @b = sum(3); printa(\"%@d\", @a); exit(0); }")
            + "\n");
  }

  @Test
  void aStackIsAKeyWithALineForEachFrame() {
    assertEquals(
        "\n\n              ntdll`Read+0x4\n              app`main\n                2\n",
        ProbeScript.quiet(
                "read { @[ustack()] = count(); }",
                ProbeScript.Event.read(1, 1, 0, ""),
                ProbeScript.Event.read(2, 1, 0, ""))
            + "\n");
  }

  @Test
  void placesInCodeAreKeysByFunctionOrModule() {
    assertEquals(
        "app`main 2\n",
        ProbeScript.quiet(
            "read { @[ufunc(0x1010)] = count(); } END { printa(\"%s %@d\\n\", @); }",
            ProbeScript.Event.read(1, 1, 0, ""), ProbeScript.Event.read(2, 1, 0, "")));
  }

  @Test
  void keysThatAreTruncatedMakeRoom() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option aggsize=4k",
                    "int i;",
                    "tick-1ms { @[i++] = count(); trunc(@); } tick-1ms /i == 100/ { exit(0); }"));
    assertEquals(List.of(), result.drops());
  }

  @Test
  void keysWithoutRoomAreCountedAsDrops() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option aggsize=4k",
                    "int i;",
                    "tick-1ms { @[i++] = count(); } tick-1ms /i == 100/ { trunc(@); exit(0); }"));
    // An entry takes 160 + 8 + 16 bytes: 22 of them fit.
    assertEquals(List.of("78 aggregation drops"), result.drops());
  }

  private static String utf8(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Returns a row of bars of 40 places: key, whole places, count. */
  private static String bar(String key, int ats, long count) {
    return "%17s |%s%s %-9d\n".formatted(key, "@".repeat(ats), " ".repeat(40 - ats), count);
  }

  private static final String BARS = " ------------- Distribution ------------- count    \n";

  @Test
  void sumsMayHaveBarsBehindNarrowKeys() {
    assertEquals(
        "\n\n" + " ".repeat(14) + "key " + BARS + bar("a", 10, 1) + bar("b", 30, 3).stripTrailing(),
        ProbeScript.quiet(
                "#pragma D option agghist\n"
                    + "BEGIN { @[\"a\"] = sum(1); @[\"b\"] = sum(3); exit(0); }")
            .stripTrailing());
  }

  @Test
  void aCountWithoutKeysHasABarAsWell() {
    String text =
        ProbeScript.quiet("#pragma D option agghist\nBEGIN { @ = count(); printa(@); exit(0); }");
    assertEquals(
        "\n\n" + " ".repeat(11) + "value " + BARS + " |" + "@".repeat(40) + " 1        \n", text);
  }

  @Test
  void barsOfSumsAreZoomedToAWholeNumber() {
    // 95 % of 3.16 are 3, and 3 is the whole: its bar is full. A third of 40 is 13.
    String text =
        ProbeScript.quiet(
            "#pragma D option agghist\n#pragma D option aggzoom\n"
                + "BEGIN { @[\"a\"] = sum(1); @[\"b\"] = sum(3); printa(@); exit(0); }");
    assertTrue(text.endsWith(bar("a", 13, 1) + bar("b", 40, 3)), text);
  }

  @Test
  void barsMayBeZoomedToTheLongest() {
    String text =
        ProbeScript.quiet(
            "#pragma D option aggzoom\n"
                + "BEGIN { @ = quantize(1, 2); @ = quantize(2, 1); printa(@); exit(0); }");
    // 95 % of 40 are 38; half of them are 19.
    assertTrue(text.contains("1 |" + "@".repeat(38) + "   2 "), text);
    assertTrue(text.contains("2 |" + "@".repeat(19) + " ".repeat(21) + " 1 "), text);
  }

  @Test
  void barsMayHaveEighthsOfBlocks() {
    String text =
        utf8(
            ProbeScript.quiet(
                "#pragma D option encoding=utf8\n"
                    + "BEGIN { @ = quantize(1, 2); @ = quantize(2, 1); printa(@); exit(0); }"));
    // A third of 40 are 13 blocks and 2.67 eighths, of which two are full.
    assertTrue(
        text.contains("2 |" + "\u2588".repeat(13) + "\u258e" + " ".repeat(26) + " 1 "), text);
  }

  @Test
  void barsOfNegativeWeightsHaveNoBlocks() {
    String text =
        utf8(
            ProbeScript.quiet(
                "#pragma D option encoding=utf8\n"
                    + "BEGIN { @ = quantize(1, -2); @ = quantize(2, 2); printa(@); exit(0); }"));
    assertTrue(text.contains("1 " + " ".repeat(10) + "@".repeat(10) + "|" + " ".repeat(20)), text);
    assertTrue(text.contains("2 " + " ".repeat(20) + "|" + "@".repeat(10)), text);
  }

  @Test
  void distributionsMayBePackedIntoALineForEachKey() {
    String program =
        "#pragma D option aggpack\n"
            + "BEGIN { @[7] = quantize(1, 3); @[7] = quantize(4, 1); printa(@); exit(0); }";
    // Three quarters of 7 are 5.25, the level 5 of 0 to 7; a quarter is the level 2.
    assertEquals(
        """

              key  min .-----. max  | count
                7    0 : x x : 8    | 4
        """,
        ProbeScript.quiet("#pragma D option encoding=ascii\n" + program).substring(1));
    assertTrue(
        utf8(ProbeScript.quiet(program)).endsWith("   0 : \u2586 \u2583 : 8    | 4\n"),
        "blocks, unless the encoding is ascii");
  }

  @Test
  void packedDistributionsHaveTheRangesOfAllKeysUnlessTheyBeginWithZero() {
    String program =
        "#pragma D option aggpack\n#pragma D option encoding=ascii\n"
            + "BEGIN { @[\"a\"] = quantize(0); @[\"b\"] = quantize(2, -1); @[\"b\"] = quantize(3, 2); ";
    // Of b, 2 and 3 are in one range, with the weight 1.
    assertEquals(
        """

                      key  min .----. max  | count
                        a    0 :X   : 4    | 1
                        b    0 :  X : 4    | 1
        """,
        ProbeScript.quiet(program + "printa(@); exit(0); }").substring(1));
  }

  @Test
  void negativeWeightsOfPackedDistributionsHaveLettersOfTheirOwn() {
    String text =
        ProbeScript.quiet(
            "#pragma D option aggpack\n"
                + "BEGIN { @ = quantize(1, -9); @ = quantize(4, -1); printa(@); exit(0); }");
    // Nine tenths of 5 are 4.5, the level 5 of 0 to 5; a tenth is the level 1.
    assertTrue(text.endsWith("   0 : V v : 8    | -10\n"), text);
  }

  @Test
  void packedLinearDistributionsHaveAllRanges() {
    assertEquals(
        """

             min .------. max      | count
             < 0 :  x x : >= 4     | 2
        """,
        ProbeScript.quiet(
                "#pragma D option aggpack\n#pragma D option encoding=ascii\n"
                    + "BEGIN { @ = lquantize(1, 0, 4); @ = lquantize(3, 0, 4); printa(@); exit(0); }")
            .substring(1));
  }

  @Test
  void distributionsOfPowersOfAFactorAreNotPacked() {
    String program = "BEGIN { @ = llquantize(3, 10, 0, 2, 10); printa(@); exit(0); }";
    assertEquals(
        ProbeScript.quiet(program), ProbeScript.quiet("#pragma D option aggpack\n" + program));
  }

  @Test
  void anEncodingIsAsciiOrUtf8() {
    assertEquals(Optional.empty(), new Options().set("encoding", Optional.of("ascii")));
    assertTrue(new Options().set("encoding", Optional.of("utf16")).isPresent());
  }

  @Test
  void whatAFiringPrintsOfAnAggregationHasAllOfTheFiring() {
    assertEquals("2", ProbeScript.begin("@ = count(); printa(\"%@d\", @); @ = count()"));
  }
}
