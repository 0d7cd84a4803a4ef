package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvTest {
  @Test
  void quotesWhatNeedsIt() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Csv csv = new Csv(out);
    csv.row("a", "b,c", "say \"x\"", "", "two\nlines", "\u00e4");
    csv.row(Csv.orEmpty(null), Csv.orEmpty("x"));
    out.flush();
    assertEquals(
        "a,\"b,c\",\"say \"\"x\"\"\",,\"two\nlines\",\u00e4\n,x\n",
        bytes.toString(StandardCharsets.UTF_8));
  }

  private static String line(boolean isSafe) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.of(bytes, OutputStream.nullOutputStream())) {
      if (isSafe) {
        terminal.makeCsvSafe();
      }
      Csv csv = new Csv(terminal.out());
      for (String text : List.of("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "a=1", "=\"a\"")) {
        csv.cell(text);
      }
      csv.cell(-5);
      csv.number("-0.5");
      csv.end();
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void cellsThatBeginLikeFormulasGetAQuoteIfThatIsAskedFor() {
    assertEquals(
        "'=1+1,'+1,'-1,'@SUM(A1),'\tx,\"'\\rx\",a=1,\"'=\"\"a\"\"\",-5,-0.5\n", line(true));
    assertEquals("=1+1,+1,-1,@SUM(A1),\tx,\"\\rx\",a=1,\"=\"\"a\"\"\",-5,-0.5\n", line(false));
  }

  @Test
  void everyCommandWithCsvTakesTheOption(@TempDir Path folder) throws IOException {
    Path stacks = Files.writeString(folder.resolve("stacks.txt"), "=cmd;+b 3\n@c 4\n");
    Path before = Files.writeString(folder.resolve("before.txt"), "=cmd;+b 5\n@c 4\n");
    String plain = Cli.run("diff", before, stacks, "--format", "csv").out();
    assertTrue(plain.contains("+b") && !plain.contains("'+b"), plain);
    Cli.Result safe = Cli.run("diff", before, stacks, "--format", "csv", "--csv-safe");
    assertTrue(safe.out().contains("'+b"), safe.toString());
    assertTrue(safe.out().contains(",-12.69"), "a number stays one: " + safe.out());
    assertEquals(safe.out().replace("'", ""), plain);
    Path file = folder.resolve("out.csv");
    Cli.run("diff", before, stacks, "--format", "csv", "--csv-safe", "-o", file);
    assertEquals(safe.out(), Files.readString(file));
  }
}
