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
    String pdb = TestData.projectRoot().resolve("samples/shopd.pdb").toString();
    List<String> command = Cli.command("symbols", pdb);
    command.addAll(1, List.of("-Duser.language=ar", "-Duser.country=EG"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.contains(", id ") && said.matches("(?s).* age [0-9]+\n.*"), said);
    assertTrue(said.chars().allMatch(c -> c < 0x80 || c == '…'), said);
  }
}
