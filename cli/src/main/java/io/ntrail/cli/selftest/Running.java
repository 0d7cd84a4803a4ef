package io.ntrail.cli.selftest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A process of a step. Its output goes into files: programs that it starts would keep a pipe open.
 *
 * @param what its command, for messages
 * @param process itself
 * @param out file of its output
 * @param err file of its error output
 * @param deadline until which it has to do what is awaited
 */
record Running(String what, Process process, Path out, Path err, Deadline deadline) {
  private static final int MOST_SAID = 600;

  /** Result of a process that has ended. */
  record Ended(String what, int exit, String out, String err) {
    /** Both outputs, shortened, for messages. */
    String said() {
      return shortened(out + err);
    }

    /** Fails unless it ended with an exit code. */
    Ended exits(int code) {
      if (exit != code) {
        throw new StepFailed(
            "exit code " + code + " of " + what, "exit code " + exit + ": " + said());
      }
      return this;
    }

    /** Fails unless its error output has a text. */
    Ended tells(String text) {
      return checked(err, text);
    }

    /** Fails unless its output has a text. */
    Ended says(String text) {
      return checked(out, text);
    }

    private Ended checked(String where, String text) {
      if (!where.contains(text)) {
        throw new StepFailed("\"" + text + "\" by " + what, said());
      }
      return this;
    }
  }

  private static String shortened(String text) {
    String whole =
        text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " | ").replaceAll("\\p{Cntrl}", "?");
    return whole.isEmpty()
        ? "nothing"
        : whole.length() <= MOST_SAID
            ? whole
            : "... " + whole.substring(whole.length() - MOST_SAID);
  }

  private static String read(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
  }

  String said() throws IOException {
    return shortened(read(out) + read(err));
  }

  /** Waits until one of its outputs has a text so many times. */
  Running awaitText(String text, int times) throws IOException, InterruptedException {
    boolean[] ended = new boolean[1];
    boolean there =
        deadline.await(() -> {
          boolean over = !process.isAlive();
          boolean found = count(read(out) + read(err), text) >= times;
          ended[0] = over && !found;
          return found || over;
        });
    if (!there || ended[0]) {
      throw new StepFailed(
          "\"" + text + "\" by " + what, (there ? "it ended" : "it hung") + ": " + said());
    }
    return this;
  }

  private static int count(String where, String text) {
    int count = 0;
    for (int at = where.indexOf(text); at >= 0; at = where.indexOf(text, at + 1)) {
      count++;
    }
    return count;
  }

  /** Writes a line to its input. */
  void type(String line) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write((line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  /** Waits for its end. */
  Ended end() throws IOException, InterruptedException {
    if (!process.waitFor(deadline.millisLeft(), TimeUnit.MILLISECONDS)) {
      throw new StepFailed("the end of " + what, "it hung: " + said());
    }
    return new Ended(what, process.exitValue(), read(out), read(err));
  }

  /** Ends it with all that it started. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
