package io.ntrail.cli.pt.driver;

import io.ntrail.cli.common.ProgramHost;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.ipt.IptDriver.Libraries;
import io.ntrail.live.windows.WindowsVersion;
import java.util.Optional;

/**
 * The Windows whose driver traces.
 *
 * @param host of the agent that makes the calls; empty if there is no Windows
 * @param libraries with the calls
 * @param played version that is taken for that of the machine; empty: the machine is asked
 */
public record DriverMachine(
    Optional<AgentHost> host, Libraries libraries, Optional<WindowsVersion> played) {
  /** Returns the machine that this program runs on. */
  public static DriverMachine here() {
    return new DriverMachine(
        ProgramHost.isWindows() ? Optional.of(new AgentHost.Local()) : Optional.empty(),
        Libraries.WINDOWS,
        Optional.empty());
  }

  AgentHost its() {
    return host.orElseThrow(() ->
        CannotGoOn.impossible(
            "recording Processor Trace needs Windows; this is %s %s"
                .formatted(
                    System.getProperty("os.name", "another system"),
                    System.getProperty("os.version", "")),
            "ntrail pt flow FILE, for one that was recorded there"));
  }
}
