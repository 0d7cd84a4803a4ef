package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
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
  }

  @Test
  void aRemarkThatHasNoRoomBesideTheNameStandsBelowIt() {
    assertEquals("shopcore.dll!Tx::Current(7ff...\n    (pending)", detailed(31));
    assertEquals("shopcore...Current\n    (pending)", detailed(18));
  }

  private static String detailed(int width) {
    Table table = new Table().name("routine");
    table.row(List.of("shopcore.dll!Tx::Current"), "(7ff1, 2, 0, 10)", "  (pending)");
    return printed(table, 0, width).lines().skip(1).collect(Collectors.joining("\n"));
  }

  @Test
  void aRemarkBelowANameOfATreeStandsBesideTheLinesThatGoOn() {
    Table table = new Table().number("us").name("routine");
    table.row(
        List.of("1", "\u2502  \u251C\u2500 shopd.exe!Match"), "", "  (OBJECT_NAME_NOT_FOUND)");
    table.row(
        List.of("2", "\u2502  \u2514\u2500 shopd.exe!Match"), "", "  (OBJECT_NAME_NOT_FOUND)");
    table.row(List.of("3", "|  |- shopd.exe!Match"), "", "  (OBJECT_NAME_NOT_FOUND)");
    assertEquals(
        """
        us  routine
         1  \u2502  \u251C\u2500 shopd.exe!Match
            \u2502  \u2502      (OBJECT_NAME_NOT_FOUND)
         2  \u2502  \u2514\u2500 shopd.exe!Match
            \u2502         (OBJECT_NAME_NOT_FOUND)
         3  |  |- shopd.exe!Match
            |  |      (OBJECT_NAME_NOT_FOUND)
        """,
        printed(table, 0, 40));
  }

  @Test
  void theLastFieldsAreLeftOut() {
    Table table = new Table().name("event").fields("fields");
    table.row("Disk/Read", "disk=0 offset=4096 size=512");
    table.row("Disk/Write", "name=abcdefghijklmnopqrstuvwxyz size=512");
    assertEquals(
        """
        event       fields
        Disk/Read   disk=0 offset=4096 ...
        Disk/Write  name=abc...stuvwxyz ...
        """,
        printed(table, 0, 35));
  }

  @Test
  void wordsOfARemarkGoOnBelowThemselves() {
    Table table = new Table().number("files").remark("why not");
    table.row("12", "the symbols of another build are there");
    assertEquals(
        """
        files  why not
           12  the symbols of
               another build
               are there
        """,
        printed(table, 0, 25));
  }

  @Test
  void columnsThatCanBeSparedGoBeforeANameIsCut() {
    Table table = new Table().number("cpu").name("event").fields("fields").spare(0);
    table.row("1", "EventTrace/Information", "a=0x1000000 b=0x2000000 c=0x3000000");
    assertEquals(
        """
        event                   fields
        EventTrace/Information  a=0x1000000 ...
        """,
        printed(table, 0, 48));
    Table wider = new Table().number("cpu").name("event").fields("fields").spare(0);
    wider.row("1", "EventTrace/Information", "a=0x1000000 b=0x2000000 c=0x3000000");
    assertEquals(
        """
        cpu  event                   fields
          1  EventTrace/Information  a=0x1000000 ...
        """,
        printed(wider, 0, 53));
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
