package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Output in countries with digits of their own. */
class CountryTest {
  @Test
  void digitsAreAsciiWhereOthersAreUsual() throws Exception {
    String recording = TestData.projectRoot().resolve("samples/shop.etl").toString();
    List<String> command = Cli.command("probe", "-l", recording);
    command.addAll(1, List.of("-Duser.language=ar", "-Duser.country=EG"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.matches("(?s).*\n +1 +dtrace +BEGIN\n.*"), said);
    assertTrue(said.chars().noneMatch(c -> c >= 0x80 && Character.isDigit(c)), said);
  }
}
