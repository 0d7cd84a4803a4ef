package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final String LONG = "Microsoft-Windows-Kernel-Processor-Power/ThermalThrottling";

  private static String printed(Table table, int indent, int width) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    table.print(out, indent, width);
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }

  private static Table table() {
    Table table = new Table().number("records").number("%").name("event");
    table.row("1,234", "99.9", LONG);
    table.row("1", "0.1", "short");
    table.row("1,235", "100.0", "total");
    return table;
  }

  @Test
  void numbersRightNamesLeftAndLast() {
    assertEquals(
        """
        records      %  event
          1,234   99.9  LONG
              1    0.1  short
          1,235  100.0  total
        """
            .replace("LONG", LONG),
        printed(table(), 0, 0));
  }

  @Test
  void cutInTheMiddleToTheTerminal() {
    String text = printed(table(), 2, 50);
    assertEquals(
        """
          records      %  event
            1,234   99.9  Microsoft-Windo...rmalThrottling
                1    0.1  short
            1,235  100.0  total
        """,
        text);
    text.lines().forEach(line -> assertEquals(true, line.length() <= 50, line));
    assertEquals(printed(table(), 0, 0), printed(table(), 0, 500), "nothing to cut");
  }

  @Test
  void detailsAreCutBeforeWhatTheyBelongTo() {
    String whole = "shopcore.dll!Tx::Current(7ff1, 2, 0, 10)  (pending)";
    assertEquals(whole, detailed(0));
    assertEquals(whole, detailed(whole.length()));
    assertEquals("shopcore.dll!Tx::Current(7ff1, 2, 0,...  (pending)", detailed(50));
    assertEquals("shopcore.dll!Tx::Current(...  (pending)", detailed(39));
    assertEquals("shopcore.dll!Tx::Current  (pending)", detailed(38));
    assertEquals("shopcore.dll!...nt  (pending)", detailed(29));
  }

  private static String detailed(int width) {
    Table table = new Table().name("routine");
    table.row(List.of("shopcore.dll!Tx::Current"), "(7ff1, 2, 0, 10)", "  (pending)");
    return printed(table, 0, width).lines().toList().getLast();
  }

  @Test
  void cut() {
    assertEquals("abcdef", Table.cut("abcdef", 6));
    assertEquals("ab...fg", Table.cut("abcdefg".replace("c", "cx"), 7));
    assertEquals("abc...gh", Table.cut("abcdefxxgh", 8));
  }

  @Test
  void noBlanksAtTheEnd() {
    Table table = new Table().name("what").name("state");
    table.row("a", "");
    assertEquals("what  state\na\n", printed(table, 0, 0));
  }

  @Test
  void wrongNumberOfCells() {
    assertThrows(IllegalArgumentException.class, () -> table().row("1"));
  }
}
