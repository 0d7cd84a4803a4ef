package io.ntrail.cli.selftest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folder of a self-test: whatever it writes lies there, and every process that it starts is known
 * by its name. The name has spaces, as paths on Windows do.
 */
final class WorkFolder {
  /** Place of temporary files of the commands, empty when they have ended. */
  private static final String TEMPORARY = "temp";

  private final Path root;

  private final int patience;

  private WorkFolder(Path root, int patience) {
    this.root = root;
    this.patience = patience;
  }

  /**
   * Makes it.
   *
   * @param patience seconds that what was ended may take to go
   */
  static WorkFolder create(int patience) throws IOException {
    Path root = Files.createTempDirectory("ntrail self test ").toRealPath();
    Files.createDirectory(root.resolve(TEMPORARY));
    return new WorkFolder(root, patience);
  }

  /** Returns the last word of its name, which no other has. */
  String id() {
    String name = root.getFileName().toString();
    return name.substring(name.lastIndexOf(' ') + 1);
  }

  Path root() {
    return root;
  }

  Path temporary() {
    return root.resolve(TEMPORARY);
  }

  /** Makes a folder in it. */
  Path folder(String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  static Path write(Path file, byte[] bytes) throws IOException {
    return Files.write(file, bytes);
  }

  /** Returns what temporary files are left, some time later. */
  List<String> leftovers() throws IOException, InterruptedException {
    Deadline.in(patience).await(() -> temporaryFiles().isEmpty());
    return temporaryFiles();
  }

  private List<String> temporaryFiles() throws IOException {
    return names(temporary());
  }

  /** Returns the names in a folder. */
  static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Returns the processes whose program or command line names this folder. */
  List<ProcessHandle> processes() {
    String name = root.getFileName().toString();
    return ProcessHandle.allProcesses()
        .filter(one -> one.pid() != ProcessHandle.current().pid())
        .filter(one ->
            one.info().command().orElse("").contains(name)
                || one.info().commandLine().orElse("").contains(name))
        .toList();
  }

  /** Returns the processes of {@link #processes} that are left, some time later. */
  List<ProcessHandle> running() throws IOException, InterruptedException {
    Deadline.in(patience).await(() -> processes().isEmpty());
    return processes();
  }

  /** Ends all processes and deletes all files; returns what could not be deleted. */
  List<String> remove() {
    processes().forEach(ProcessHandle::destroyForcibly);
    Deadline deadline = Deadline.in(patience);
    try {
      // On Windows the file of a program is locked for a while after its end.
      deadline.await(() -> {
        delete();
        return !Files.exists(root);
      });
      return Files.exists(root) ? List.of(root.toString()) : List.of();
    } catch (IOException | UncheckedIOException e) {
      return List.of(root.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of(root.toString());
    }
  }

  private void delete() {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // Something came or went meanwhile: tried again.
    }
  }
}
