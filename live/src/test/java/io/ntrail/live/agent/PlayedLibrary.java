package io.ntrail.live.agent;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Library that plays one of Windows' for an agent under Wine, built for 64 bits from C beside a
 * test.
 *
 * @param name its path, as the agent knows it
 * @param host starts agents for it
 */
public record PlayedLibrary(String name, AgentHost host) {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Builds it. The test is skipped where there is no Wine, or no compiler.
   *
   * @param test beside which the source lies
   * @param source its file
   * @param state path of the files, without the ends of their names, in which the library keeps
   *     what it was asked
   */
  public static PlayedLibrary of(Class<?> test, String source, Path state)
      throws IOException, URISyntaxException {
    assumeTrue(Wine.available(), Wine.missing());
    WindowsCompiler compiler = WindowsCompiler.MINGW_C;
    assumeTrue(compiler.available(), compiler.missing());
    Path code = Path.of(Objects.requireNonNull(test.getResource(source)).toURI());
    Path library = compiler.build(List.of(code), "-shared", "-O1", "-Wl,--kill-at");
    Map<String, String> environment = new HashMap<>(Wine.shared().environment());
    environment.put("NTRAIL_STANDIN", windows(state));
    return new PlayedLibrary(
        windows(library), new AgentHost.Wine(Wine.shared().loader(), environment));
  }

  /** Starts an agent. */
  public Agent agent() {
    return Agent.on(connection(), PATIENCE);
  }

  /** Starts an agent, which does not know yet what is at the other end. */
  public AgentConnection connection() {
    return host.start(MachineType.AMD64);
  }

  /** Returns the name that Wine has for a file. */
  public static String windows(Path file) {
    return "Z:" + file.toAbsolutePath().normalize().toString().replace('/', '\\');
  }
}
