package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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
}
