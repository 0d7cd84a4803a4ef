package io.ntrail.cli.pt.recipe;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Profile of Windows Performance Recorder (.wprp) that has Processor Trace written behind events:
 * once into a file, once into memory.
 *
 * <p>Source of names and order: WPR's published schema; of ProcessorTrace, a published example.
 */
final class WprProfile {
  /** Name after the exclamation mark of {@code wpr -start}. */
  static final String NAME = "ProcessorTrace";

  /** Size in KiB of a buffer of the session: 32 of the largest pieces. */
  private static final int BUFFER_KIB = 1024;

  /** Buffers of the session. */
  private static final int BUFFERS = 256;

  /** Size in MiB of the session in memory. */
  static final int MEMORY_MIB = BUFFERS * BUFFER_KIB / 1024;

  private WprProfile() {}

  /** Returns the profile. */
  static String xml(Recipe recipe) {
    return """
    <?xml version="1.0" encoding="utf-8"?>
    <WindowsPerformanceRecorder Version="1.0" Author="ntrail">
      <Profiles>
        <SystemCollector Id="Collector" Name="NT Kernel Logger">
          <BufferSize Value="%d"/>
          <Buffers Value="%d"/>
        </SystemCollector>
        <SystemProvider Id="Provider">
          <Keywords>
    %s
          </Keywords>
        </SystemProvider>
        <HardwareCounter Id="Trace">
          <ProcessorTrace>
            <BufferSize Value="%d"/>
            <CodeMode Value="%s"/>
            <Events>
    %s
            </Events>
          </ProcessorTrace>
        </HardwareCounter>
    %s
    %s
      </Profiles>
    </WindowsPerformanceRecorder>
    """
        .formatted(
            BUFFER_KIB,
            BUFFERS,
            lines(recipe.keywords(), "        <Keyword Value=\"%s\"/>"::formatted),
            recipe.ringKib(),
            recipe.mode().word(),
            lines(recipe.events(), "          <Event Value=\"%s\"/>"::formatted),
            profile("File"),
            profile("Memory"));
  }

  private static String lines(List<String> values, Function<String, String> line) {
    return values.stream().map(line).collect(Collectors.joining("\n"));
  }

  private static String profile(String mode) {
    return """
    <Profile Id="%1$s.Verbose.%2$s" Name="%1$s"
             Description="Intel Processor Trace behind kernel events"
             DetailLevel="Verbose" LoggingMode="%2$s">
      <ProblemCategories>
        <ProblemCategory Value="First Level Triage"/>
      </ProblemCategories>
      <Collectors>
        <SystemCollectorId Value="Collector">
          <SystemProviderId Value="Provider"/>
          <HardwareCounterId Value="Trace"/>
        </SystemCollectorId>
      </Collectors>
    </Profile>\
    """
        .formatted(NAME, mode)
        .indent(4)
        .stripTrailing();
  }
}
