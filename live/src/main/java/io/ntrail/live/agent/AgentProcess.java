package io.ntrail.live.agent;

import io.ntrail.formats.bytes.CannotGoOn;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Agent that runs as a process of this machine. */
final class AgentProcess implements AgentConnection {
  private static final long PATIENCE_MILLIS = 2000;

  private final Process process;
  private final Path image;
  private final InputStream in;
  private volatile boolean killed;

  private AgentProcess(Process process, Path image) {
    this.process = process;
    this.image = image;
    this.in = new BufferedInputStream(process.getInputStream(), 1 << 16);
  }

  /**
   * Writes the agent's file and starts it.
   *
   * @param builder a command that lacks the program, which is added
   */
  static AgentProcess start(ProcessBuilder builder, String what) {
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Path image = write("ntrail-agent-", AgentImage.file());
    builder.command().add(image.toString());
    return new AgentProcess(start(builder, what, image), image);
  }

  /**
   * Starts a helper that owns the standard streams of this process.
   *
   * @param builder a command that lacks the program, which is added
   */
  static StdioHelper hold(ProcessBuilder builder, String what) {
    Path image = write("ntrail-streams-", StdioHelperImage.file());
    String name = "ntrail-" + UUID.randomUUID();
    builder.command().addAll(List.of(image.toString(), name));
    Process process = start(builder.inheritIO(), what, image);
    return new StdioHelper(name, process, () -> removeWhenEnded(process, image));
  }

  /**
   * Writes the file into a folder of its own, since the system searches it first for programs
   * without a path.
   */
  private static Path write(String prefix, byte[] bytes) {
    try {
      Path folder = Files.createTempDirectory(prefix);
      Path image = folder.resolve(folder.getFileName() + ".exe");
      // An interrupt may come before its end is awaited.
      deleteOnExit(image);
      return Files.write(image, bytes);
    } catch (IOException e) {
      throw new CannotGoOn("cannot write the agent executable: " + e.getMessage(), "");
    }
  }

  private static Process start(ProcessBuilder builder, String what, Path image) {
    try {
      return builder.start();
    } catch (IOException e) {
      remove(image);
      throw new CannotGoOn(what + " could not be started: " + e.getMessage(), "ntrail doctor");
    }
  }

  private static void remove(Path image) {
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
  private static void deleteOnExit(Path image) {
    image.resolveSibling("").toFile().deleteOnExit();
    image.toFile().deleteOnExit();
  }

  private static void removeWhenEnded(Process process, Path image) {
    try {
      if (!process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        deleteOnExit(image);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    remove(image);
  }

  @Override
  public OutputStream toAgent() {
    return process.getOutputStream();
  }

  @Override
  public InputStream fromAgent() {
    return in;
  }

  @Override
  public void answered() {
    if (File.separatorChar == '/') {
      remove(image);
    }
  }

  @Override
  public boolean hasEnded() {
    return !process.isAlive();
  }

  @Override
  public void kill() {
    killed = true;
    process.destroyForcibly();
  }

  @Override
  public String epitaph() {
    try {
      if (process.waitFor(200, TimeUnit.MILLISECONDS)) {
        return " (exit code " + process.exitValue() + ")";
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "";
  }

  @Override
  public void close() {
    try {
      if (!killed) {
        process.getOutputStream().close();
      }
      // Of one that was killed the pipe may be full with a writer waiting.
      if (!process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    remove(image);
  }
}
