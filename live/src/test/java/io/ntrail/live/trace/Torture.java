package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code torture.cpp} while it runs: 49 threads and 20 fibers that check all of the time what they
 * do, until they are told to stop.
 */
final class Torture {
  private static final int ALL_RIGHT = 49;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Tracing tracing;
  private final Path stop;
  private final Path out;
  private final int pid;
  private final long process;

  private Torture(Tracing tracing, Path stop, Path out, int pid, long process) {
    this.tracing = tracing;
    this.stop = stop;
    this.out = out;
    this.pid = pid;
    this.process = process;
  }

  /**
   * Starts it, and waits until all threads are there.
   *
   * @param folder an empty one
   * @param pause in milliseconds, at most so long after each thing that a thread does
   */
  static Torture start(Programs programs, Path folder, long seed, int pause) throws IOException {
    Tracing tracing = programs.tracing();
    List<Path> files = new ArrayList<>();
    files.add(
        copy(programs.machine().build(List.of("-shared"), "sehrounds.c"), folder, "sehrounds"));
    files.add(
        copy(programs.machine().build(List.of("-shared"), "throwing.cpp"), folder, "throwing"));
    Path library = programs.machine().build(List.of("-shared"), "library.c");
    for (String name : List.of("one", "two", "three")) {
      files.add(copy(library, folder, name));
    }
    Path stop = folder.resolve("stop");
    List<String> arguments = new ArrayList<>(List.of(tracing.name(stop), "" + seed, "" + pause));
    files.forEach(file -> arguments.add(tracing.name(file)));
    int[] pid = new int[1];
    Path out =
        tracing.start(
            programs.line(programs.make("torture.cpp"), arguments.toArray(String[]::new)),
            (target, session, name) -> {
              pid[0] = target.pid();
              target.resumeMain();
            });
    Torture torture = new Torture(tracing, stop, out, pid[0], tracing.watch(pid[0]));
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!torture.said().contains("ready")) {
      assertTrue(System.nanoTime() < end, "it does not begin");
      torture.mustRun();
      LockSupport.parkNanos(10_000_000);
    }
    return torture;
  }

  private static Path copy(Path built, Path folder, String name) throws IOException {
    return Files.copy(built, folder.resolve(name + ".dll"));
  }

  int pid() {
    return pid;
  }

  /** Returns its output so far. */
  String said() throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1).strip();
  }

  /** Returns its output for a message. */
  String told() {
    try {
      return said();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** It has not ended: nothing was wrong. */
  void mustRun() throws IOException {
    assertEquals(OptionalInt.empty(), tracing.end(process, Duration.ZERO), said());
  }

  /**
   * Tells it to stop; it must have found nothing wrong.
   *
   * @return what it has done
   */
  String end() throws IOException {
    Files.createFile(stop);
    OptionalInt exit = tracing.end(process, PATIENCE.dividedBy(4));
    assertTrue(exit.isPresent(), () -> "it does not end, process " + pid);
    assertEquals(ALL_RIGHT, exit.getAsInt(), said());
    assertTrue(said().contains("all right"), said());
    tracing.forget(process);
    return said().replaceFirst("(?s).*all right: ", "");
  }
}
