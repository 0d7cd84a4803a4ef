package io.ntrail.cli.shell;

import io.ntrail.cli.pt.PtCommand;
import io.ntrail.cli.pt.driver.DriverMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.ipt.IptDriver.Libraries;
import io.ntrail.live.windows.WindowsVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Program that is {@code ntrail pt record} with a played driver, in a process of its own. It has
 * the Wine of who starts it: one that it made itself would end with the first signal.
 */
public final class PlayedPtRecord {
  private static final int OPTIONS_AT = 3;

  private PlayedPtRecord() {}

  /**
   * Runs it.
   *
   * @param args Wine's program, the library, its state, and the options
   */
  public static void main(String[] args) throws IOException {
    DriverMachine machine =
        new DriverMachine(
            Optional.of(new AgentHost.Wine(Path.of(args[0]), Map.of("NTRAIL_STANDIN", args[2]))),
            new Libraries(args[1], args[1]),
            Optional.of(new WindowsVersion(10, 0, 19045, "", 0, 1, "")));
    Commands.Entry pt = new Commands.Entry("pt", "", false, () -> new PtCommand(machine));
    int exit;
    try (Terminal terminal = Terminal.system()) {
      String[] words = Arrays.copyOfRange(args, OPTIONS_AT, args.length);
      exit = CommandRunner.run(pt, words, terminal);
    }
    System.exit(exit);
  }
}
