package io.ntrail.live.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Executables that the start cache keeps. */
final class AgentExecutableTest {
  @TempDir private Path folder;

  @Test
  void keptFilesAreWhatWouldBeAssembled() throws IOException {
    Path cache = folder.resolve("some.aot");
    AgentExecutable.keep(cache);
    for (AgentExecutable executable : AgentExecutable.values()) {
      Path kept = executable.keptBeside(cache).orElseThrow();
      assertArrayEquals(executable.bytes(), Files.readAllBytes(kept), kept.toString());
    }
  }

  @Test
  void theirFolderHasNothingElseThatASystemCouldFindThere() throws IOException {
    Path cache = folder.resolve("some.aot");
    AgentExecutable.keep(cache);
    AgentExecutable.keep(cache);
    try (Stream<Path> files = Files.list(folder.resolve("agent"))) {
      assertEquals(
          List.of(
              "ntrail-agent.exe",
              "ntrail-agent32.exe",
              "ntrail-streams.exe",
              "ntrail-streams32.exe"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void besideACacheThatKeepsNoneThereIsNone() {
    assertEquals(Optional.empty(), AgentExecutable.AGENT.keptBeside(folder.resolve("other.aot")));
  }

  @Test
  void filesWithLongPathsAreLeftToTheTemporaryFolder() throws IOException {
    Path deep = Files.createDirectories(folder.resolve("d".repeat(100)).resolve("e".repeat(100)));
    AgentExecutable.keep(deep.resolve("some.aot"));
    assertEquals(Optional.empty(), AgentExecutable.AGENT.keptBeside(deep.resolve("some.aot")));
  }
}
