package io.ntrail.live.agent;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * Executables that run beside a target: they are always the same, so that the start cache keeps
 * their files. To assemble them takes a fifth of the time until a program is traced.
 */
public enum AgentExecutable {
  /** The agent. */
  AGENT("ntrail-agent"),

  /** The agent for 32-bit programs. */
  AGENT_32("ntrail-agent32"),

  /** Helper that owns the standard streams. */
  STREAMS("ntrail-streams"),

  /** Helper for standard streams beside an agent for 32-bit programs. */
  STREAMS_32("ntrail-streams32");

  /** Property of the JVM with the path of its start cache. */
  private static final String CACHE = "ntrail.aot";

  /** Folder beside the start cache: systems search that of a program first. */
  private static final String FOLDER = "agent";

  /** Longer paths are left to the temporary folder: Windows programs may not take them. */
  private static final int MAX_PATH = 200;

  private final String stem;

  AgentExecutable(String stem) {
    this.stem = stem;
  }

  /** Returns the agent of a machine type, x64 or x86. */
  static AgentExecutable agent(int machine) {
    return switch (machine) {
      case MachineType.AMD64 -> AGENT;
      case MachineType.I386 -> AGENT_32;
      default -> throw new IllegalArgumentException("no agent for " + MachineType.text(machine));
    };
  }

  /** Returns the helper that owns the standard streams for agents of a machine type. */
  static AgentExecutable streams(int machine) {
    return agent(machine) == AGENT_32 ? STREAMS_32 : STREAMS;
  }

  /** Returns the file that the start cache keeps; empty if it keeps none. */
  Optional<Path> kept() {
    String cache = System.getProperty(CACHE, "");
    return cache.isEmpty() ? Optional.empty() : keptBeside(Path.of(cache));
  }

  /** Returns the file that is kept beside a start cache. */
  Optional<Path> keptBeside(Path cache) {
    Path file = cache.toAbsolutePath().resolveSibling(FOLDER).resolve(fileName(""));
    return file.toString().length() <= MAX_PATH && Files.isRegularFile(file)
        ? Optional.of(file)
        : Optional.empty();
  }

  private String fileName(String suffix) {
    return stem + suffix + ".exe";
  }

  /**
   * Writes all files beside a start cache; each is whole as soon as it has its name.
   *
   * @param cache the path of the cache
   * @throws IOException if that is not possible
   */
  public static void keep(Path cache) throws IOException {
    Path folder = Files.createDirectories(cache.toAbsolutePath().resolveSibling(FOLDER));
    for (AgentExecutable executable : values()) {
      Path part = Files.write(folder.resolve(executable.fileName(".part")), executable.bytes());
      Files.move(
          part, folder.resolve(executable.fileName("")), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Returns the content of the file. */
  byte[] bytes() {
    return switch (this) {
      case AGENT -> AgentImage.file();
      case AGENT_32 -> AgentImage32.file();
      case STREAMS -> StdioHelperImage.file();
      case STREAMS_32 -> StdioHelperImage32.file();
    };
  }

  /**
   * Writes the file into a temporary folder of its own, since the system searches it first for
   * programs without a path.
   *
   * @throws CannotGoOn if it cannot be written
   */
  Path writeTemporary() {
    try {
      Path folder = Files.createTempDirectory(stem + "-");
      Path image = folder.resolve(folder.getFileName() + ".exe");
      // An interrupt may come before its end is awaited.
      deleteOnExit(image);
      return Files.write(image, bytes());
    } catch (IOException e) {
      throw new CannotGoOn("cannot write the agent executable: " + e.getMessage(), "");
    }
  }

  /** Removes a temporary file with its folder. */
  static void remove(Path image) {
    Path folder = image.resolveSibling("");
    try {
      Files.deleteIfExists(image);
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // On Windows the file of a program can be locked for a while after its end.
      deleteOnExit(image);
    }
  }

  /** Deletes the temporary folder at exit; what is named last is deleted first. */
  static void deleteOnExit(Path image) {
    image.resolveSibling("").toFile().deleteOnExit();
    image.toFile().deleteOnExit();
  }
}
