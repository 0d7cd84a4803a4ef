package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of the stacks of probes that come from servers: only on request. */
class ProbeSymbolServersTest {
  private static final String CORE = "mscorlib.ni.pdb";
  private static final String CORE_PLACE = CORE + "/51E2934144BA15628BA5A31BE2DAE7DC1/" + CORE;
  private static final String PROGRAM = "kernel::PerfInfo:SampleProf { @[ustack(4)] = count(); }";

  @TempDir private Path folder;
  private final SymbolStoreServer server = new SymbolStoreServer();
  private Path recording = Path.of("");

  @BeforeEach
  void fill() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    recording = TestData.file("etl/perfview-net45-x86-win7.etl.gz");
    server.has("/" + CORE_PLACE, TestData.gunzip("etl/perfview-net45-x86-win7." + CORE + ".gz"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Runs a command with a cache of its own. */
  private Result process(Object... words) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(
                Cli.command(Stream.of(words).map(Object::toString).toArray(String[]::new)))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    Map<String, String> environment = builder.environment();
    for (String name : List.copyOf(new HashMap<>(environment).keySet())) {
      if (name.startsWith("_NT_")) {
        environment.remove(name);
      }
    }
    environment.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    int exit = builder.start().waitFor();
    return new Result(exit, Files.readString(out), Files.readString(err));
  }

  @Test
  void stacksHaveTheNamesThatAServerHas() {
    String path = "srv*" + folder.resolve("store") + "*" + server.root();
    Result plain = Cli.run("probe", PROGRAM, recording, "-x", "quiet");
    assertFalse(plain.out().contains("mscorlib.ni`System."), "no name without the server");
    Result named = Cli.run("probe", PROGRAM, recording, "-x", "quiet", "-y", path);
    assertEquals(0, named.exit(), named.err());
    assertTrue(named.out().contains("mscorlib.ni`System."), named.err());
    long asked = server.asked().size();
    assertEquals(
        named.out(), Cli.run("probe", PROGRAM, recording, "-x", "quiet", "-y", path).out());
    assertEquals(asked, server.asked().size(), "what is there and what is missing is known");
  }

  @Test
  void theServerMayBeAnOptionOfItsOwnAlsoOfDtrace() throws Exception {
    Object[] words = {
      "dtrace", "-q", "--recording", recording, "-n", PROGRAM, "--server", server.root(),
    };
    Result named = process(words);
    assertEquals(0, named.exit(), named.err());
    assertTrue(named.out().contains("mscorlib.ni`System."), named.err());
    assertTrue(server.asked("/" + CORE_PLACE) > 0);
  }

  @Test
  void aTextDoesNotWaitLongAndNamesWhatIsLate() {
    server.on("/" + CORE_PLACE, SymbolStoreServer.Exchange::untilClosed);
    String path = "srv*" + folder.resolve("store") + "*" + server.root();
    Result late =
        Cli.run("probe", PROGRAM, recording, "-x", "quiet", "-y", path, "--symbols-wait", "2");
    assertEquals(0, late.exit(), late.err());
    assertTrue(late.err().contains("not downloaded in time"), late.err());
    assertTrue(late.out().contains("mscorlib.ni`0x"), "the place is there");
  }

  @Test
  void aProgramWithoutStacksAsksNobody() {
    String path = "srv*" + folder.resolve("store") + "*" + server.root();
    Result result =
        Cli.run(
            "probe",
            "kernel::PerfInfo:SampleProf { @[execname] = count(); }",
            recording,
            "-y",
            path);
    assertEquals(0, result.exit(), result.err());
    assertEquals(0, server.asked().size());
  }
}
