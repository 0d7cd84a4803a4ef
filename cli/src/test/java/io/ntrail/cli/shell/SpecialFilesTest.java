package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Inputs that are no files: said by what they are, and nothing waits for them. */
class SpecialFilesTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");
  private static final ExternalTool FIFO = ExternalTool.of("mkfifo", "mkfifo");
  private static final List<String> COMMANDS =
      List.of("info", "events", "profile", "calls", "image", "symbols");

  @TempDir private Path folder;

  private static Cli.Result run(Object... words) {
    return assertTimeoutPreemptively(Duration.ofMinutes(2), () -> Cli.run(words));
  }

  private Path fifo() throws Exception {
    assumeTrue(FIFO.available(), FIFO.missing());
    Path fifo = folder.resolve("my fifo");
    assertEquals(0, new ProcessBuilder(FIFO.path(), fifo.toString()).start().waitFor());
    return fifo;
  }

  private static void refused(Path path, String kind, Object... words) {
    Cli.Result result = run(words);
    assertEquals(1, result.exit(), List.of(words) + ": " + result);
    assertEquals("", result.out());
    assertEquals(
        "ntrail: " + path + " is " + kind + ": files are read at any place, not in order",
        result.messages().getFirst(),
        List.of(words).toString());
    assertTrue(result.messages().get(1).startsWith("try: "), result.err());
  }

  @Test
  void pipesAreRefusedByEveryCommand() throws Exception {
    Path fifo = fifo();
    for (String command : COMMANDS) {
      refused(fifo, "a named pipe", command, fifo);
    }
    refused(fifo, "a named pipe", "export", fifo, "--to", "collapsed");
    refused(fifo, "a named pipe", "diff", fifo, fifo);
    refused(fifo, "a named pipe", "info", SAMPLES.resolve("shop.etl"), fifo);
    assertEquals(
        "try: cat '" + fifo + "' > copy, then read the copy", run("info", fifo).messages().get(1));
    for (String option : List.of("--manifest", "--tmf")) {
      refused(fifo, "a named pipe", "events", SAMPLES.resolve("shop.etl"), option, fifo);
    }
  }

  @Test
  void devicesAndSocketsAreRefusedByWhatTheyAre() throws IOException {
    Path none = Path.of("/dev/null");
    Path zeros = Path.of("/dev/zero");
    Path path = folder.resolve("socket");
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(path));
      for (String command : COMMANDS) {
        refused(none, "a device (of characters)", command, none);
        refused(zeros, "a device (of characters)", command, zeros);
        refused(path, "a socket", command, path);
      }
    }
  }

  @Test
  void aPipeAmongPlacesOfSymbolsHoldsNothingUp() throws Exception {
    Path fifo = fifo();
    Cli.Result result = run("profile", SAMPLES.resolve("shop.etl"), "-y", fifo);
    assertEquals(0, result.exit(), result.err());
    Path dll = Files.write(folder.resolve("shopcore.dll"), SampleImage.make());
    assertTrue(run("symbols", dll, "-y", fifo).err().contains("is a named pipe"));
    assertEquals(0, run("image", dll, "-y", fifo).exit());
    Path named = folder.resolve("shopcore.pdb");
    assertEquals(0, new ProcessBuilder(FIFO.path(), named.toString()).start().waitFor());
    assertEquals(1, run("symbols", dll).exit());
    assertEquals(0, run("profile", SAMPLES.resolve("shop.etl"), "-y", folder).exit());
  }

  @Test
  void aPlaceOfSymbolsThatDoesNotExistIsSaidOnceAndIsNoError() throws IOException {
    Path etl = SAMPLES.resolve("shop.etl");
    Path dll = Files.write(folder.resolve("shopcore.dll"), SampleImage.make());
    Path nowhere = folder.resolve("nowhere");
    List<String> warning = List.of("warning: -y " + nowhere + ": no such file or folder");
    for (List<Object> words :
        List.<List<Object>>of(
            List.of("profile", etl),
            List.of("events", etl, "--stacks", "-n", "1"),
            List.of("stacks", etl, "--at", "1"),
            List.of("export", etl, "--to", "collapsed"),
            List.of("diff", etl, etl),
            List.of("image", dll),
            List.of("calls", SAMPLES.resolve("shop.jtrc")),
            List.of("symbols", etl))) {
      Cli.Result without = run(words.toArray());
      List<Object> with = new java.util.ArrayList<>(words);
      with.addAll(List.of("-y", nowhere, "-y", nowhere));
      Cli.Result result = run(with.toArray());
      assertEquals(without.exit(), result.exit(), words + ": " + result);
      assertEquals(
          warning,
          result.messages().stream().filter(line -> line.contains("no such")).toList(),
          words.toString());
    }
    for (String path : List.of("srv*" + nowhere, nowhere + ";" + folder)) {
      assertTrue(
          run("profile", etl, "-y", path).messages().containsAll(warning),
          () -> path + ": " + run("profile", etl, "-y", path));
    }
    Path cache = folder.resolve("cache");
    Cli.Result later = run("profile", etl, "-y", "cache*" + cache + ";" + folder);
    assertTrue(!later.err().contains("no such"), "a cache is made when it is needed: " + later);
  }
}
