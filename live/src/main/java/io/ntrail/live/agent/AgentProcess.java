package io.ntrail.live.agent;

import io.ntrail.formats.bytes.CannotGoOn;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Agent that runs as a process of this machine. */
final class AgentProcess implements AgentConnection {
  private static final long PATIENCE_MILLIS = 2000;

  private final Process process;
  private final Optional<Path> temporary;
  private final InputStream in;
  private volatile boolean killed;

  private AgentProcess(Process process, Optional<Path> temporary) {
    this.process = process;
    this.temporary = temporary;
    this.in = new BufferedInputStream(process.getInputStream(), 1 << 16);
  }

  /**
   * Starts an agent, from the file that is kept or from one that is written.
   *
   * @param executable the agent's
   * @param builder a command that lacks the program, which is added
   */
  static AgentProcess start(ProcessBuilder builder, String what, AgentExecutable executable) {
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Image image = Image.of(executable);
    builder.command().add(image.file.toString());
    return new AgentProcess(start(builder, what, image), image.temporary());
  }

  /**
   * Starts a helper that owns the standard streams of this process.
   *
   * @param builder a command that lacks the program, which is added
   * @param executable the helper's
   */
  static StdioHelper hold(ProcessBuilder builder, String what, AgentExecutable executable) {
    Image image = Image.of(executable);
    // Nobody else may have it: sections have names in the whole session.
    String name =
        "ntrail-" + ProcessHandle.current().pid() + '-' + Long.toHexString(System.nanoTime());
    builder.command().addAll(List.of(image.file.toString(), name));
    Process process = start(builder.inheritIO(), what, image);
    return new StdioHelper(
        name,
        process::isAlive,
        () -> {
          process.destroyForcibly();
          image.temporary().ifPresent(file -> removeWhenEnded(process, file));
        });
  }

  /**
   * File of an executable.
   *
   * @param isKept whether it stays
   */
  private record Image(Path file, boolean isKept) {
    static Image of(AgentExecutable executable) {
      return executable
          .kept()
          .map(file -> new Image(file, true))
          .orElseGet(() -> new Image(executable.writeTemporary(), false));
    }

    Optional<Path> temporary() {
      return isKept ? Optional.empty() : Optional.of(file);
    }
  }

  private static Process start(ProcessBuilder builder, String what, Image image) {
    try {
      return builder.start();
    } catch (IOException e) {
      image.temporary().ifPresent(AgentExecutable::remove);
      throw new CannotGoOn(what + " could not be started: " + e.getMessage(), "ntrail doctor");
    }
  }

  private static void removeWhenEnded(Process process, Path image) {
    try {
      if (!process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        AgentExecutable.deleteOnExit(image);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    AgentExecutable.remove(image);
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
      temporary.ifPresent(AgentExecutable::remove);
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
    temporary.ifPresent(AgentExecutable::remove);
  }
}
